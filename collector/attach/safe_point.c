// SPDX-License-Identifier: GPL-3.0-or-later
/* The argument for a stack that cannot be followed to its end. What lies below code without unwind
 * tables has called it, or was interrupted by a signal. An allocator calls nobody; the dynamic
 * loader calls constructors, in which dlopen is allowed (its lock is recursive). So the rest of
 * the stack is searched for what signal handlers return to, and for callers that hold something
 * while they call back (fork, exit, dl_iterate_phdr); without these the thread can be borrowed
 * where it waits in libc. */
#include "collector/attach/safe_point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/attach/safe_point_frames.h"
#include "collector/attach/safe_point_maps.h"
#include "collector/attach/safe_point_memory.h"
#include "collector/attach/safe_point_objects.h"
#include "collector/attach/safe_point_symbols.h"
#include "collector/attach/safe_point_threads.h"

#define MOST_RESTORERS	4u
#define MOST_REST	(1u << 20) /* of a stack, searched */
#define MOST_HELPERS	3u	   /* functions of libc without names in which waits end */
#define MOST_CODE_BYTES (1u << 24)

struct safe_points {
	pid_t pid;
	bool stale; /* a stack had code that the objects do not hold */
	struct safe_point_maps maps;
	uint64_t executable; /* of the maps that the objects were read by */
	struct safe_point_objects objects;
	const struct safe_point_object *libc, *dl, *program;
	struct safe_point_rows *rows;
	uint64_t restorer[MOST_RESTORERS];
	size_t restorers;
	struct safe_point_stack stack;
	uint64_t rest[MOST_REST / sizeof(uint64_t)];
};

static uint64_t find_code(const struct safe_points *s, const struct safe_point_object *o,
			  const uint8_t *code, size_t bytes)
{
	for (size_t i = 0; i < o->codes; i++) {
		size_t length = o->code[i].end - o->code[i].start;
		if (length > MOST_CODE_BYTES)
			length = MOST_CODE_BYTES;
		uint8_t *text = safe_point_memory_copy(s->pid, o->code[i].start, length);
		const uint8_t *found = text != NULL ? memmem(text, length, code, bytes) : NULL;
		uint64_t at = found != NULL ? o->code[i].start + (uint64_t)(found - text) : 0;
		free(text);
		if (at != 0)
			return at;
	}
	return 0;
}

static void note_objects(struct safe_points *s)
{
	s->libc = s->dl = s->program = NULL;
	s->restorers = 0;
	for (size_t i = 0; i < s->objects.count; i++) {
		const struct safe_point_object *o = &s->objects.object[i];
		bool ours = s->libc == NULL || (o->base_namespace && !s->libc->base_namespace);
		if (o->kind == SAFE_POINT_PROGRAM)
			s->program = o;
		if (o->kind == SAFE_POINT_DL && (s->dl == NULL || o->base_namespace))
			s->dl = o;
		if (o->kind == SAFE_POINT_LIBC && ours)
			s->libc = o;
		if ((o->kind == SAFE_POINT_LIBC || o->kind == SAFE_POINT_PTHREAD) &&
		    s->restorers < MOST_RESTORERS) {
			uint64_t at = find_code(s, o, safe_point_machine_restorer,
						safe_point_machine_restorer_bytes);
			if (at != 0)
				s->restorer[s->restorers++] = at;
		}
	}
}

/* Take up what has been loaded or unloaded since. Only while nothing is stopped. */
static bool refresh(struct safe_points *s)
{
	if (!safe_point_maps_read(&s->maps, s->pid))
		return false;
	if (s->objects.count > 0 && !s->stale && s->executable == s->maps.executable)
		return true;
	s->stale = false;
	s->executable = s->maps.executable;
	safe_point_frames_forget(s->rows);
	if (!safe_point_objects_read(&s->objects, s->pid, &s->maps))
		return false;
	note_objects(s);
	return true;
}

struct safe_points *safe_points_open(pid_t pid, struct profile_error *err)
{
	struct safe_points *s = calloc(1, sizeof(*s));
	if (s != NULL) {
		s->pid = pid;
		s->rows = safe_point_frames_rows();
	}
	if (s == NULL || s->rows == NULL || !refresh(s) || s->libc == NULL) {
		snprintf(err->text, sizeof(err->text),
			 s != NULL && s->objects.count > 0
				 ? "process %d: no C library is mapped (libc.so.6 of glibc): a "
				   "static program, or one of another libc"
				 : "process %d: its memory cannot be read",
			 (int)pid);
		safe_points_close(s);
		return NULL;
	}
	return s;
}

void safe_points_close(struct safe_points *s)
{
	if (s == NULL)
		return;
	safe_point_objects_free(&s->objects);
	safe_point_maps_free(&s->maps);
	free(s->rows);
	free(s);
}

size_t safe_points_candidates(struct safe_points *s, pid_t *tids, size_t room)
{
	return refresh(s) ? safe_point_threads_list(s->pid, &s->maps, tids, room) : 0;
}

uint64_t safe_points_function(struct safe_points *s, const char *name)
{
	uint64_t at = safe_point_symbols_find(s->libc, s->pid, name);
	if (at == 0 && s->dl != NULL)
		at = safe_point_symbols_find(s->dl, s->pid, name);
	if (at == 0 && strcmp(name, "dlopen") == 0)
		at = safe_point_symbols_find(s->libc, s->pid, "__libc_dlopen_mode");
	return at;
}

uint64_t safe_points_code(struct safe_points *s, const uint8_t *code, size_t bytes)
{
	return find_code(s, s->libc, code, bytes);
}

static bool of_libc(const struct safe_point_object *o)
{
	return o != NULL && (o->kind == SAFE_POINT_LIBC || o->kind == SAFE_POINT_PTHREAD);
}

static enum safe_point_meaning meaning(const struct safe_point_frame *f)
{
	return f->symbol != NULL ? f->symbol->meaning : SAFE_POINT_NOTHING;
}

/* How many innermost frames are in functions of libc without names that a waiting function of it
 * called to wait. */
static size_t helpers(const struct safe_point_stack *k)
{
	size_t n = 0;
	if (!k->innermost.system_call)
		return 0;
	while (n < k->count && n < MOST_HELPERS && of_libc(k->frame[n].object) &&
	       k->frame[n].symbol == NULL)
		n++;
	if (n == k->count || !of_libc(k->frame[n].object))
		return 0;
	enum safe_point_meaning m = meaning(&k->frame[n]);
	return m == SAFE_POINT_WAITS || m == SAFE_POINT_BLOCKS ? n : 0;
}

/* The thread is blocked in a function that no allocator calls. */
static bool waits(const struct safe_point_stack *k)
{
	size_t n = helpers(k);
	return k->innermost.system_call && n < k->count && of_libc(k->frame[n].object) &&
	       meaning(&k->frame[n]) == SAFE_POINT_WAITS;
}

/* Threads begin in functions of libc that have no names, or by a system call of its own. */
static bool outermost(const struct safe_point_stack *k, size_t i)
{
	if (i == 0 || k->end != SAFE_POINT_WHOLE)
		return false;
	return i + 2 >= k->count || (meaning(&k->frame[i + 1]) == SAFE_POINT_OUTERMOST &&
				     of_libc(k->frame[i + 1].object));
}

static const char *inside_libc(const struct safe_point_stack *k, size_t i, size_t helping)
{
	const struct safe_point_frame *f = &k->frame[i];
	if (f->symbol == NULL)
		return i < helping || outermost(k, i)
			       ? NULL
			       : "inside a function of libc that has no exported name";
	switch (f->symbol->meaning) {
	case SAFE_POINT_HOLDS:
		return "inside a function of libc that may hold a lock";
	case SAFE_POINT_ALLOCATES:
		return "inside the allocator";
	case SAFE_POINT_OUTERMOST:
		return i > 0 && k->end == SAFE_POINT_WHOLE ? NULL : "beginning or ending";
	default:
		return NULL;
	}
}

/* Why a frame forbids it; NULL: it does not. */
static const char *inside(const struct safe_point_stack *k, size_t i, size_t helping)
{
	const struct safe_point_object *o = k->frame[i].object;
	if (o == NULL)
		return NULL;
	switch (o->kind) {
	case SAFE_POINT_LOADER:
	case SAFE_POINT_DL:
		return "inside the dynamic loader";
	case SAFE_POINT_OURS:
		return "inside scprof's library";
	case SAFE_POINT_LIBC:
	case SAFE_POINT_PTHREAD:
		return inside_libc(k, i, helping);
	case SAFE_POINT_PLAIN:
		return o->allocator ? "inside the allocator" : NULL;
	default:
		return NULL;
	}
}

/* The objects on the stack are those that were read. */
static bool objects_same(const struct safe_points *s)
{
	const struct safe_point_object *last = NULL;
	for (size_t i = 0; i < s->stack.count; i++) {
		const struct safe_point_object *o = s->stack.frame[i].object;
		bool seen = o == NULL || o == last;
		for (size_t k = 0; !seen && k < i; k++)
			seen = s->stack.frame[k].object == o;
		if (!seen && !safe_point_objects_same(&s->objects, o))
			return false;
		last = o;
	}
	return true;
}

/* A word of the rest of a stack that tells of a handler, or of a caller that holds something. */
static bool tells(const struct safe_points *s, uint64_t word)
{
	for (size_t i = 0; i < s->restorers; i++)
		if (word == s->restorer[i])
			return true;
	const struct safe_point_object *o = s->libc;
	if (word < o->base || word >= o->end)
		return false;
	const struct safe_point_symbol *f = safe_point_symbols_at(o, word - 1);
	return f != NULL && f->meaning == SAFE_POINT_HOLDS && f->start != word;
}

static bool rest_is_clear(struct safe_points *s, const struct safe_point_map *map)
{
	uint64_t at = s->stack.rest;
	if (at < map->start || at >= map->end || map->end - at > MOST_REST || at % 8 != 0)
		return false;
	size_t bytes = safe_point_memory_some(s->pid, at, s->rest, map->end - at);
	if (bytes != map->end - at)
		return false;
	for (size_t i = 0; i < bytes / 8; i++)
		if (tells(s, s->rest[i]))
			return false;
	return true;
}

/* A stack of its own: below it lies nothing that can be written. */
static bool guarded(const struct safe_points *s, const struct safe_point_map *map)
{
	const struct safe_point_map *below =
		map > s->maps.map && map[-1].end == map->start ? map - 1 : NULL;
	return map->stack || (!map->heap && (below == NULL || !below->writable));
}

/* It began where threads begin, so that its stack is what the system made for it. */
static bool began_as_thread(const struct safe_point_stack *k)
{
	const struct safe_point_frame *last = &k->frame[k->count - 1];
	return of_libc(last->object) || (k->count > 1 && of_libc(last[-1].object) &&
					 meaning(&last[-1]) == SAFE_POINT_OUTERMOST);
}

static enum safe_verdict judge_stack_room(struct safe_points *s, const char **why)
{
	const struct safe_point_stack *k = &s->stack;
	uint64_t sp = k->innermost.of[safe_point_machine_sp];
	const struct safe_point_map *map = safe_point_maps_find(&s->maps, sp);
	uint64_t room = map != NULL && map->writable ? sp - map->start : 0;
	if (sp - k->alternate.start < k->alternate.bytes && sp - k->alternate.start < room)
		room = sp - k->alternate.start;
	if (map == NULL || room < SAFE_POINT_ROOM) {
		s->stale |= map == NULL;
		*why = "its stack is almost full";
		return SAFE_NOT_NOW;
	}
	if (k->end == SAFE_POINT_WHOLE && began_as_thread(k))
		return SAFE_POINT;
	if (!guarded(s, map)) {
		*why = "on a stack whose size is not known (a coroutine's)";
		return SAFE_UNKNOWN;
	}
	if (k->end == SAFE_POINT_WHOLE)
		return SAFE_POINT;
	if (waits(k) && !k->signal && rest_is_clear(s, map))
		return SAFE_POINT;
	*why = "its stack cannot be followed through code without unwind tables";
	return SAFE_UNKNOWN;
}

static enum safe_verdict judge_frames(struct safe_points *s, const char **why)
{
	const struct safe_point_stack *k = &s->stack;
	size_t helping = helpers(k);
	for (size_t i = 0; i < k->count; i++) {
		*why = inside(k, i, helping);
		if (*why != NULL)
			return SAFE_NOT_NOW;
		if (k->frame[i].object == NULL &&
		    safe_point_maps_find(&s->maps, k->frame[i].at) == NULL)
			s->stale = true;
	}
	if (k->end == SAFE_POINT_ASTRAY || k->count == 0 || s->stale) {
		*why = "its stack cannot be followed";
		return SAFE_UNKNOWN;
	}
	if (s->program != NULL && s->program->allocator && !waits(k)) {
		*why = "perhaps inside the program's own allocator";
		return SAFE_NOT_NOW;
	}
	return judge_stack_room(s, why);
}

enum safe_verdict safe_points_judge(struct safe_points *s, pid_t tid, const char **why)
{
	*why = "its registers cannot be read";
	if (!safe_point_frames_walk(&s->objects, s->rows, tid, &s->stack))
		return SAFE_UNKNOWN;
	if (!objects_same(s)) {
		s->stale = true;
		*why = "libraries were loaded or unloaded meanwhile";
		return SAFE_NOT_NOW;
	}
	enum safe_verdict v = judge_frames(s, why);
	if (v == SAFE_POINT)
		*why = "it can be borrowed";
	return v;
}

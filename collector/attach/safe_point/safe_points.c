// SPDX-License-Identifier: GPL-3.0-or-later
/* The argument for a stack that cannot be followed to its end. What lies below code without unwind
 * tables has called it, or was interrupted by a signal. An allocator calls nobody; the dynamic
 * loader calls constructors, in which dlopen is allowed (its lock is recursive). So the rest of
 * the stack is searched for what signal handlers return to, and for callers that hold something
 * while they call back (fork, exit, dl_iterate_phdr); without these the thread can be borrowed
 * where it waits in libc. */
#include "collector/attach/safe_point/safe_points.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "collector/attach/safe_point/safe_point_private.h"
#include "collector/attach/safe_point/threads.h"
#include "profile/base/error.h"

#define MOST_RESTORERS	4u
#define MOST_REST	(1u << 20) /* of a stack, searched */
#define MOST_CODE_BYTES (1u << 24)

/* PTRACE_GET_RSEQ_CONFIGURATION, which older headers do not have. */
#define SEQUENCE_REQUEST 0x420f

struct safe_points {
	pid_t pid;
	bool stale; /* a stack had code that the objects do not hold */
	struct proc_map_list maps;
	uint64_t executable; /* of the maps that the objects were read by */
	struct safe_point_objects objects;
	const struct safe_point_object *libc, *dl, *program, *loader;
	uint64_t lock; /* of dlopen; 0: not known, or of no interest */
	bool ignore_lock;
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
		uint8_t *text = memory_copy(s->pid, o->code[i].start, length);
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
	s->libc = s->dl = s->program = s->loader = NULL;
	s->restorers = 0;
	for (size_t i = 0; i < s->objects.count; i++) {
		const struct safe_point_object *o = &s->objects.object[i];
		bool ours = s->libc == NULL || (o->base_namespace && !s->libc->base_namespace);
		if (o->kind == SAFE_POINT_PROGRAM)
			s->program = o;
		if (o->kind == SAFE_POINT_LOADER && s->loader == NULL)
			s->loader = o;
		if (o->kind == SAFE_POINT_DL && (s->dl == NULL || o->base_namespace))
			s->dl = o;
		if (o->kind == SAFE_POINT_LIBC && ours)
			s->libc = o;
		if ((frames_libc(o) || o->kind == SAFE_POINT_VDSO) &&
		    s->restorers < MOST_RESTORERS) {
			uint64_t at = find_code(s, o, machine_restorer, machine_restorer_bytes);
			if (at != 0)
				s->restorer[s->restorers++] = at;
		}
	}
}

/* Not at once: at the moment when it is being taken it looks like none. */
static void find_lock(struct safe_points *s)
{
	if (s->lock == 0 && s->loader != NULL && !s->ignore_lock)
		s->lock = symbols_find_lock(s->loader, s->pid);
}

/* Take up what has been loaded or unloaded since. Only while nothing is stopped. */
static bool refresh(struct safe_points *s)
{
	if (!proc_maps_list(&s->maps, s->pid, NULL))
		return false;
	if (s->objects.count > 0 && !s->stale && s->executable == s->maps.executable)
		return find_lock(s), true;
	s->stale = false;
	s->executable = s->maps.executable;
	frames_forget(s->rows);
	if (!objects_read(&s->objects, s->pid, &s->maps))
		return false;
	note_objects(s);
	find_lock(s);
	return true;
}

struct safe_points *safe_points_open(pid_t pid, struct profile_error *err)
{
	struct safe_points *s = calloc(1, sizeof(*s));
	if (s != NULL) {
		s->pid = pid;
		s->rows = frames_rows();
	}
	if (s == NULL || s->rows == NULL || !refresh(s) || s->libc == NULL) {
		error_set(err,
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
	objects_free(&s->objects);
	proc_maps_free(&s->maps);
	free(s->rows);
	free(s);
}

size_t safe_points_candidates(struct safe_points *s, pid_t *tids, size_t room)
{
	return refresh(s) ? threads_list(s->pid, &s->maps, tids, room) : 0;
}

uint64_t safe_points_function(struct safe_points *s, const char *name)
{
	uint64_t at = symbols_find(s->libc, s->pid, name);
	if (at == 0 && s->dl != NULL)
		at = symbols_find(s->dl, s->pid, name);
	if (at == 0 && strcmp(name, "dlopen") == 0)
		at = symbols_find(s->libc, s->pid, "__libc_dlopen_mode");
	return at;
}

void safe_points_ignore_lock(struct safe_points *s)
{
	s->ignore_lock = true;
	s->lock = 0;
}

uint64_t safe_points_lock(const struct safe_points *s)
{
	return s->lock;
}

uint64_t safe_points_code(struct safe_points *s, const uint8_t *code, size_t bytes)
{
	return find_code(s, s->libc, code, bytes);
}

/* The objects on the stack are those that were read. */
static bool stack_is_same(const struct safe_points *s)
{
	const struct safe_point_object *last = NULL;
	for (size_t i = 0; i < s->stack.count; i++) {
		const struct safe_point_object *o = s->stack.frame[i].object;
		bool seen = o == NULL || o == last;
		for (size_t k = 0; !seen && k < i; k++)
			seen = s->stack.frame[k].object == o;
		if (!seen && !objects_same(&s->objects, o))
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
	const struct safe_point_symbol *f = symbols_at(o, word - 1);
	return f != NULL && f->meaning == SAFE_POINT_HOLDS;
}

static bool rest_is_clear(struct safe_points *s, const struct proc_map *map)
{
	uint64_t at = s->stack.rest;
	if (at < map->start || at >= map->end || map->end - at > MOST_REST || at % 8 != 0)
		return false;
	size_t bytes = memory_some(s->pid, at, s->rest, map->end - at);
	if (bytes != map->end - at)
		return false;
	for (size_t i = 0; i < bytes / 8; i++)
		if (tells(s, s->rest[i]))
			return false;
	return true;
}

/* A stack of its own: below it lies nothing that can be written. */
static bool guarded(const struct safe_points *s, const struct proc_map *map)
{
	const struct proc_map *below =
		map > s->maps.map && map[-1].end == map->start ? map - 1 : NULL;
	return map->stack || (!map->heap && (below == NULL || !below->writable));
}

static const char *judge_stack_room(struct safe_points *s)
{
	const struct safe_point_stack *k = &s->stack;
	uint64_t sp = k->innermost.of[ARCH_SP];
	const struct proc_map *map = proc_maps_find(&s->maps, sp);
	uint64_t room = map != NULL && map->writable ? sp - map->start : 0;
	if (sp - k->alternate.start < k->alternate.bytes && sp - k->alternate.start < room)
		room = sp - k->alternate.start;
	if (map == NULL || room < SAFE_POINT_ROOM) {
		s->stale |= map == NULL;
		return "its stack is almost full";
	}
	if (k->end == SAFE_POINT_WHOLE && inside_thread_stack(k))
		return NULL;
	if (!guarded(s, map))
		return "on a stack whose size is not known (a coroutine's)";
	if (k->end == SAFE_POINT_WHOLE || (inside_wait(k) && !k->signal && rest_is_clear(s, map)))
		return NULL;
	return "its stack cannot be followed through code without unwind tables";
}

static const char *judge_frames(struct safe_points *s)
{
	const struct safe_point_stack *k = &s->stack;
	const char *why = inside_what(k);
	if (why != NULL)
		return why;
	for (size_t i = 0; i < k->count; i++)
		s->stale |= k->frame[i].object == NULL &&
			    proc_maps_find(&s->maps, k->frame[i].at) == NULL;
	if (k->end == SAFE_POINT_ASTRAY || k->count == 0 || s->stale)
		return "its stack cannot be followed";
	if (s->program != NULL && s->program->allocator && !inside_wait(k))
		return "perhaps inside the program's own allocator";
	return judge_stack_room(s);
}

/* In a restartable sequence (rseq(2)): the kernel would not know that it was left. */
static bool in_sequence(const struct safe_points *s, pid_t tid)
{
	struct {
		uint64_t area;
		uint32_t bytes, signature, flags, pad;
	} c = {0};
	struct {
		uint32_t version, flags;
		uint64_t start, bytes, abort;
	} sequence;
	uint64_t at = 0;
	if (ptrace(SEQUENCE_REQUEST, tid, sizeof(c), &c) != (long)sizeof(c) || c.area == 0 ||
	    !memory_read(s->pid, c.area + 8, &at, sizeof(at)) || at == 0 ||
	    !memory_read(s->pid, at, &sequence, sizeof(sequence)))
		return false;
	return s->stack.innermost.pc - sequence.start < sequence.bytes;
}

const char *safe_points_judge(struct safe_points *s, pid_t tid)
{
	if (!frames_walk(&s->objects, s->rows, tid, &s->stack))
		return "its registers cannot be read";
	if (in_sequence(s, tid))
		return "inside a restartable sequence";
	if (!stack_is_same(s)) {
		s->stale = true;
		return "libraries were loaded or unloaded meanwhile";
	}
	const char *why = judge_frames(s);
	if (why == NULL && symbols_lock_is_held(s->lock, s->pid))
		return "another thread is inside dlopen, perhaps in a constructor that waits";
	return why;
}

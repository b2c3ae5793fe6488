// SPDX-License-Identifier: GPL-3.0-or-later
/* The order of things: all that can be found out is, before a thread is stopped. Then threads are
 * asked in turn, until one can be borrowed; that one makes the calls, and is let go. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/attach/attach_rights.h"
#include "collector/attach/attach_work.h"
#include "collector/attach/remote.h"
#include "collector/attach/remote_library.h"
#include "collector/attach/safe_point.h"
#include "include/scprof_version.h"

/* The area: a page that nobody may touch, the stack, frames, and our words and texts. */
#define AREA_BYTES   (1u << 20)
#define AREA_GUARD   4096u
#define AREA_GROUND  (AREA_BYTES - (160u << 10))
#define AREA_MAGIC   "SCPAREA1"
#define AREA_LIBRARY 4096u /* after struct area_head */
#define AREA_ORDER   8192u
#define PATH_BYTES   4096u

#define CANDIDATES 64
#define ROUNDS	   400
#define PATIENT_ROUNDS                                                                             \
	50	    /* in which no thread is taken that would not get home alone quite as it was */
#define PAUSE_MS 10 /* between rounds */

struct area_head {
	char magic[8];
	uint64_t in_use; /* the thread that runs on it; 0: none */
	uint64_t result;
	uint64_t futex;
};

struct work {
	const struct attach_order *order; /* NULL: end */
	const char *name;		  /* the library's, without directories */
	struct remote remote;
	struct remote_maps maps;
	struct safe_points *points;
	uint64_t dlopen, dlerror, errno_location;
	struct remote_library library; /* .state 0: not mapped yet */
	uint64_t area, head;	       /* addresses; 0: none yet */
	uint64_t first_ground;	       /* on the thread's own stack */
	bool kept;		       /* the library knows of the area */
	uint8_t *text;		       /* struct scp_attach_order, as it is to be in the process */
	size_t text_bytes;
	struct attach_answer *answer;
	struct profile_error *err;
};

static int say(struct work *w, const char *what)
{
	snprintf(w->err->text, sizeof(w->err->text), "process %d: %s", (int)w->remote.target.pid,
		 what);
	return -1;
}

/* Threads, and those that wait in a system call. */
static void count_threads(struct work *w)
{
	char path[300], text[32];
	struct attach_result *result = &w->answer->result;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)w->remote.target.pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		result->threads++;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/syscall", (int)w->remote.target.pid,
			 e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(text, sizeof(text), f) && text[0] >= '0' && text[0] <= '9')
			result->in_calls++;
		fclose(f);
	}
	if (d)
		closedir(d);
}

static bool has_shadow_stack(pid_t pid)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "x86_Thread_features:", 20) == 0 && strstr(line, "shstk"))
			found = true;
	if (f)
		fclose(f);
	return found;
}

/* Instructions of its libc. */
static int find_code(struct work *w)
{
	static const uint8_t syscall_return[] = {0x0f, 0x05, 0xc3};
	static const uint8_t restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t keep[] = {0x48, 0x89, 0x03, 0x5b, 0xc3}; /* pop %rbx between */
	struct remote_code *c = &w->remote.code;

	c->syscall = safe_points_code(w->points, syscall_return, sizeof(syscall_return));
	c->restorer = safe_points_code(w->points, restorer, sizeof(restorer));
	c->keep = safe_points_code(w->points, keep, sizeof(keep));
	c->keep_words = 1;
	w->dlopen = safe_points_function(w->points, "dlopen");
	w->dlerror = safe_points_function(w->points, "dlerror");
	w->errno_location = safe_points_function(w->points, "__errno_location");
	if (!c->syscall || !c->restorer || (w->order && !w->dlopen))
		return say(w,
			   "its libc is not one that calls can be made through (glibc is needed)");
	return 0;
}

/* FNV-1a, as the library has it. */
static uint32_t version_hash(void)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (const char *c = SCPROF_VERSION; *c; c++)
		h = (h ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	return (uint32_t)h;
}

/* May the order be given in this state? */
static int check_state(struct work *w, const struct scp_attach_state *s)
{
	if (s->status == SCP_ATTACH_BUSY)
		return say(w, "another scprof is attaching or detaching, or its thread died of it");
	if (!w->order)
		return 0;
	if (s->version != version_hash())
		return say(w, "the libscprof.so in it is of another version than this scprof");
	if (s->status == SCP_ATTACH_PRELOADED)
		return say(w, "it records since its start, or was told not to");
	if (s->status == SCP_ATTACH_RECORDING)
		return say(w, "it is recorded already: scprof detach ends that");
	return 0;
}

/* Is what the library remembers as our area one, and free? */
static void take_area(struct work *w, const struct scp_attach_state *s)
{
	const struct remote_map *m;
	struct area_head head;
	uint64_t at = s->area + AREA_GROUND;

	if (!s->area || s->area_bytes != AREA_BYTES || s->area % AREA_GUARD || at < s->area)
		return;
	m = remote_maps_find(&w->maps, at);
	if (!m || !m->writable || m->inode || m->start > s->area + AREA_GUARD ||
	    m->end < s->area + AREA_BYTES || !remote_read(&w->remote, at, &head, sizeof(head)) ||
	    memcmp(head.magic, AREA_MAGIC, sizeof(head.magic)) != 0 || head.in_use)
		return;
	w->area = s->area;
	w->head = at;
}

/* The library, where it is mapped. *s: its state. */
static int find_library(struct work *w, struct scp_attach_state *s)
{
	if (!remote_library_symbols(&w->remote, w->maps.library, &w->library))
		return say(w,
			   "the libscprof.so in it is of another version, or is just being loaded");
	return remote_library_state(&w->remote, &w->library, s, w->err);
}

static int prepare_text(struct work *w)
{
	const char *const *variables = w->order->variables;
	struct scp_attach_order head = {.magic = SCP_ATTACH_MAGIC};
	size_t bytes = 0;

	for (size_t i = 0; variables[i]; i++)
		bytes += strlen(variables[i]) + 1;
	if (bytes > SCP_ATTACH_TEXT_BYTES || strlen(w->order->library) >= PATH_BYTES)
		return say(w, "the options are too long for it");
	head.text_bytes = (uint32_t)bytes;
	w->text_bytes = sizeof(head) + bytes;
	w->text = malloc(w->text_bytes);
	if (!w->text)
		return say(w, "no memory");
	memcpy(w->text, &head, sizeof(head));
	bytes = sizeof(head);
	for (size_t i = 0; variables[i]; i++) {
		memcpy(w->text + bytes, variables[i], strlen(variables[i]) + 1);
		bytes += strlen(variables[i]) + 1;
	}
	return 0;
}

/* Before anything is stopped. 1: there is nothing to end. */
static int prepare(struct work *w, const struct attach_target *t)
{
	struct scp_attach_state s;

	if (attach_rights_drop(t->pid, w->err) != 0 || remote_open(&w->remote, t, w->err) != 0)
		return -1;
	if (has_shadow_stack(t->pid))
		return say(w,
			   "its threads have shadow stacks (CET), which a call from outside would "
			   "break; start it with LD_PRELOAD and SCPROF_STOPPED=1");
	if (!remote_maps_read(&w->maps, t->pid, w->name))
		return say(w, "its memory map cannot be read");
	if (w->order && prepare_text(w) != 0)
		return -1;
	if (!w->order && !w->maps.library)
		return 1;
	if (w->maps.library) {
		if (find_library(w, &s) != 0)
			return -1;
		/* without a version it is just being loaded: dlopen will wait for that */
		if (s.version && check_state(w, &s) != 0)
			return -1;
		if (!w->order && s.status != SCP_ATTACH_RECORDING)
			return 1;
		take_area(w, &s);
	}
	count_threads(w);
	w->points = safe_points_open(t->pid, w->err);
	return w->points ? find_code(w) : -1;
}

static uint64_t find_room(struct work *w)
{
	struct sigframe_state *s = &w->remote.was;
	uint64_t room;

	s->small = false;
	room = remote_maps_stack_room(&w->maps, &s->regs, sigframe_bytes(s));
	if (room || w->area)
		return room;
	s->small = true;
	return remote_maps_stack_room(&w->maps, &s->regs, sigframe_bytes(s));
}

/* Stop a thread that can be borrowed. */
static int borrow(struct work *w, uint64_t *room)
{
	pid_t tids[CANDIDATES];
	struct remote *r = &w->remote;
	const char *why = "none can be found";
	const struct timespec pause = {0, PAUSE_MS * 1000000};
	enum remote_result result;

	for (int round = 0; round < ROUNDS; round++) {
		size_t n = safe_points_candidates(w->points, tids, CANDIDATES);

		for (size_t i = 0; i < n; i++) {
			result = remote_stop(r, tids[i], &why, w->err);
			if (result == REMOTE_FAILED)
				return -1;
			if (result == REMOTE_PASSED)
				continue;
			*room = find_room(w);
			if (!*room && !w->area)
				why = "its stack has no room";
			else if (r->unknown_call && round < PATIENT_ROUNDS)
				why = "it is in a call that was interrupted before";
			else if (safe_points_judge(w->points, tids[i], &why) == SAFE_POINT)
				return 0;
			remote_let_go(r);
		}
		nanosleep(&pause, NULL);
		if (!w->area) { /* stacks of new threads */
			remote_maps_free(&w->maps);
			if (!remote_maps_read(&w->maps, r->target.pid, w->name))
				return say(w, "it has ended");
		}
	}
	snprintf(w->err->text, sizeof(w->err->text),
		 "process %d: no thread can be borrowed for a call; the last one: %s",
		 (int)r->target.pid, why);
	return -1;
}

/* Memory for stack and texts. */
static int make_area(struct work *w, uint64_t room)
{
	const uint64_t map[6] = {0,
				 AREA_BYTES,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				 (uint64_t)-1,
				 0};
	uint64_t guard[6] = {0, AREA_GUARD, PROT_NONE};
	enum remote_result result = remote_ground(&w->remote, room, w->err);
	int64_t at = 0, status = 0;

	if (result != REMOTE_FINE)
		return result == REMOTE_PASSED ? say(w, "a thread's stack cannot be written") : -1;
	if (remote_syscall(&w->remote, SYS_mmap, map, &at, w->err) != 0)
		return -1;
	if (at < 0 && at > -4096) {
		snprintf(w->err->text, sizeof(w->err->text), "process %d: no memory in it: %s",
			 (int)w->remote.target.pid, strerror((int)-at));
		return -1;
	}
	w->area = (uint64_t)at;
	w->head = w->area + AREA_GROUND;
	guard[0] = w->area;
	return remote_syscall(&w->remote, SYS_mprotect, guard, &status, w->err);
}

/* Stack and texts are in place, and errno is kept. */
static int fill_area(struct work *w)
{
	struct remote *r = &w->remote;
	struct area_head head = {.magic = AREA_MAGIC, .in_use = (uint64_t)r->tid};
	struct scp_attach_order *order = (struct scp_attach_order *)w->text;
	bool fine = remote_write(r, w->head, &head, sizeof(head));

	r->errno_at = remote_library_errno(r, w->errno_location);
	if (r->errno_at && !remote_read(r, r->errno_at, &r->errno_was, sizeof(r->errno_was)))
		r->errno_at = 0;
	if (order) {
		order->area = w->area;
		order->area_bytes = AREA_BYTES;
		fine = fine &&
		       remote_write(r, w->head + AREA_LIBRARY, w->order->library,
				    strlen(w->order->library) + 1) &&
		       remote_write(r, w->head + AREA_ORDER, w->text, w->text_bytes);
	}
	if (!fine)
		return say(w, "its memory cannot be written");
	if (remote_ground_again(r, w->head, w->head + offsetof(struct area_head, futex), w->err) ==
	    REMOTE_FINE)
		return 0;
	return w->err->text[0] ? -1 : say(w, "its memory cannot be written");
}

/* The result of a function; 1: it cannot be had. */
static int call_for(struct work *w, uint64_t function, const uint64_t arguments[2],
		    uint64_t *result)
{
	uint64_t at = w->head + offsetof(struct area_head, result);

	*result = 0;
	if (!w->remote.code.keep)
		return remote_call(&w->remote, function, arguments, 0, w->err) ? -1 : 1;
	if (remote_call(&w->remote, function, arguments, at, w->err) != 0)
		return -1;
	return remote_read(&w->remote, at, result, sizeof(*result)) ? 0 : 1;
}

/* What dlopen said, printable. */
static int tell_dlerror(struct work *w)
{
	const uint64_t none[2] = {0};
	uint64_t at = 0;
	char text[256] = "";

	if (!w->dlerror || call_for(w, w->dlerror, none, &at) != 0 || !at)
		return say(w, "its dynamic linker did not load libscprof.so");
	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		if (!remote_read(&w->remote, at + i, text + i, 1) || !text[i])
			break;
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	}
	text[sizeof(text) - 1] = '\0';
	snprintf(w->err->text, sizeof(w->err->text),
		 "process %d: its dynamic linker did not load libscprof.so: %s",
		 (int)w->remote.target.pid, text);
	return -1;
}

/* Also where it is mapped: somebody else may be loading it at this moment. */
static int load(struct work *w)
{
	const uint64_t arguments[2] = {w->head + AREA_LIBRARY, 2 /* RTLD_NOW, local */};
	struct scp_attach_state s;
	uint64_t handle;
	int status = call_for(w, w->dlopen, arguments, &handle);

	if (status < 0)
		return -1;
	if (status == 0 && !handle)
		return tell_dlerror(w);
	if (!w->library.state) {
		remote_maps_free(&w->maps);
		if (!remote_maps_read(&w->maps, w->remote.target.pid, w->name))
			return say(w, "its memory map cannot be read");
		if (!w->maps.library)
			return tell_dlerror(w);
	}
	return find_library(w, &s) != 0 ? -1 : check_state(w, &s);
}

static const char *problem_text(uint32_t problem)
{
	static const char *const texts[] = {"it follows no order",
					    "the library did not understand the order",
					    "the profile's file cannot be made",
					    "the object of selected functions was not loaded",
					    "no memory in it",
					    "not in its present state",
					    "it may not read clocks"};

	return problem < sizeof(texts) / sizeof(texts[0]) ? texts[problem] : texts[0];
}

static int judge(struct work *w)
{
	struct attach_result *result = &w->answer->result;
	uint32_t wanted = w->order ? SCP_ATTACH_RECORDING : SCP_ATTACH_DORMANT;
	struct scp_attach_state s;

	if (remote_library_state(&w->remote, &w->library, &s, w->err) != 0)
		return -1;
	result->slots = s.slots;
	memcpy(result->profile, s.profile, sizeof(result->profile));
	if (s.status == wanted)
		return 0;
	snprintf(w->err->text, sizeof(w->err->text), "process %d: %s%s%s",
		 (int)w->remote.target.pid, problem_text(s.problem), s.error ? ": " : "",
		 s.error ? strerror((int)s.error) : "");
	return -1;
}

static int make_calls(struct work *w)
{
	const uint64_t order[2] = {w->head + AREA_ORDER, 0};

	if (fill_area(w) != 0)
		return -1;
	if (!w->order)
		return remote_call(&w->remote, w->library.end, order, 0, w->err);
	if (load(w) != 0)
		return -1;
	w->kept = true;
	return remote_call(&w->remote, w->library.begin, order, 0, w->err);
}

/* An area that the library does not know of is of no use to the next one. The first frame still
 * lies on the thread's own stack. */
static void drop_area(struct work *w)
{
	const uint64_t area[6] = {w->area, AREA_BYTES};
	struct profile_error ignored;
	int64_t result;

	remote_restore_errno(&w->remote);
	w->remote.ground = w->first_ground;
	remote_syscall(&w->remote, SYS_munmap, area, &result, &ignored);
	w->head = 0;
}

static int call_and_restore(struct work *w, uint64_t room)
{
	const uint64_t unused = 0;
	struct profile_error ignored;
	bool made = !w->area;
	int status = made ? make_area(w, room) : 0;

	w->first_ground = w->remote.ground;
	if (status == 0)
		status = make_calls(w);
	if (made && w->head && !w->kept && w->remote.tid)
		drop_area(w);
	if (!w->remote.tid || remote_restore(&w->remote, status ? &ignored : w->err) != 0)
		return -1;
	if (w->head)
		remote_write(&w->remote, w->head + offsetof(struct area_head, in_use), &unused,
			     sizeof(unused));
	return status;
}

static int work(struct work *w, const struct attach_target *t)
{
	uint64_t room = 0;
	int status = prepare(w, t);

	if (status != 0)
		return status < 0 ? -1 : 0;
	w->answer->was = !w->order;
	setpriority(PRIO_PROCESS, 0, -20); /* somebody waits for us */
	if (borrow(w, &room) != 0)
		return -1;
	status = call_and_restore(w, room);
	w->answer->result.stopped_ms = w->remote.longest_ms;
	w->answer->result.stopped_total_ms = w->remote.total_ms;
	return status == 0 ? judge(w) : -1;
}

void attach_work(const struct attach_target *t, const struct attach_order *o,
		 struct attach_answer *a)
{
	struct work *w = calloc(1, sizeof(*w));
	const char *last = o ? strrchr(o->library, '/') : NULL;

	a->status = -1;
	if (!w)
		return;
	w->order = o;
	w->name = last ? last + 1 : "libscprof.so";
	w->answer = a;
	w->err = &a->error;
	a->status = work(w, t);
	if (w->points)
		safe_points_close(w->points);
	remote_maps_free(&w->maps);
	free(w->text);
	free(w);
}

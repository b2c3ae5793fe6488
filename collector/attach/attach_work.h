// SPDX-License-Identifier: GPL-3.0-or-later
/* What the tracer knows of the process, and its parts. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "collector/attach/attach.h"
#include "collector/attach/remote/remote.h"
#include "collector/attach/safe_point/safe_points.h"
#include "profile/profile.h"

/* Seccomp filters of threads that are to be traced. The kernel shows them to root alone, and the
 * tracer is not root any more when it has read which thread it can borrow. So a child of it, which
 * reads no memory of the process, keeps those rights: it stops a thread for that moment. */

#define ATTACH_FILTERS_SEEN 64u

struct attach_filters {
	pid_t pid;
	int child; /* socket to it, to be closed; -1: no thread has a filter */
	struct {
		pid_t tid;
		unsigned count; /* of its filters, which become more and never fewer */
	} seen[ATTACH_FILTERS_SEEN];
	unsigned int seens;
};

/* Before rights are given up. Threads with different numbers of filters are checked at once, one of
 * each number. 0; or -1 with *err. */
int attach_filters_begin(struct attach_filters *f, const struct attach_target *t,
			 struct profile_error *err);

/* One more, which nobody has stopped. 0: it may be borrowed; 1: it cannot be stopped now; -1 with
 * *err. */
int attach_filters_check(struct attach_filters *f, pid_t tid, struct profile_error *err);

/* Of a stopped thread: it has no other filters than when it was checked. */
bool attach_filters_same(const struct attach_filters *f, pid_t tid);

/* What a process of its own does to begin or end a recording in another one: the tracer. */

/* Sent through a pipe at once: smaller than PIPE_BUF. */
struct attach_answer {
	int status; /* 0, or -1 with `error` */
	bool was;   /* attach_end(): there was something to put right */
	struct attach_result result;
	struct profile_error error;
};

struct attach_working;

/* NULL as the order: end. To be called in a process that ends afterwards; NULL: no memory. */
struct attach_working *attach_work(const struct attach_target *t, const struct attach_order *o,
				   struct attach_answer *a);

/* Let go of threads that were asked and did not stop, each where it stops; for `limit_ms` at most:
 * one that still sleeps then ends its system call with EINTR. Free all. */
void attach_work_end(struct attach_working *w, int limit_ms);

/* Shared by the parts of attach_work(): what it knows of the process, and the memory that it has
 * there. */

/* The area: a page that nobody may touch, the stack, frames, and our words and texts. */
#define AREA_BYTES   (1u << 20)
#define AREA_GUARD   4096u
#define AREA_GROUND  (AREA_BYTES - (160u << 10))
#define AREA_MAGIC   "SCPAREA1"
#define AREA_LIBRARY 4096u /* after struct area_head */
#define AREA_ORDER   8192u
#define PATH_BYTES   4096u

/* A thread that waited with a time limit when it was let go: since when, and how often it had gone
 * to sleep by then. While that stays it still waits. */
struct area_wait {
	uint64_t tid, sleeps, began_ns; /* CLOCK_MONOTONIC */
};

struct area_head {
	char magic[8];
	uint64_t in_use; /* the thread that runs on it; 0: none */
	uint64_t result;
	uint64_t futex;
	uint64_t anew_ns; /* CLOCK_MONOTONIC, when a time limit began anew for us; 0: never */
	struct area_wait wait;
};

struct attach_library {
	uint64_t begin, end, state; /* addresses of what it exports */
};

struct attach_working {
	const struct attach_order *order; /* NULL: end */
	const char *name;		  /* the library's, without directories */
	struct remote remote;
	struct proc_map_list maps;
	struct attach_filters filters;
	struct safe_points *points;
	uint64_t dlopen, dlerror, errno_location;
	bool has_dlsym;
	struct attach_library library; /* .state 0: not mapped yet */
	bool complete;		       /* it is, and its start is over: a file of another path, or
					  a newer one, would be another library */
	uint64_t area, head;	       /* addresses; 0: none yet */
	uint64_t first_ground;	       /* on the thread's own stack */
	bool kept;		       /* the library knows of the area */
	uint64_t anew_ns;	       /* as in the area */
	struct area_wait wait;	       /* the same, of last time */
	bool waits;		       /* the borrowed thread does, with a time limit */
	uint8_t *text;		       /* struct scp_attach_order, as it is to be in the process */
	size_t text_bytes;
	struct attach_answer *answer;
	struct profile_error *err;
};

/* "process PID: WHAT" becomes the error. -1. */
int attach_state_say(struct attach_working *w, const char *what);

/* The library's symbols and state, where it is mapped. 0, or -1 with the error. */
int attach_state_read(struct attach_working *w, struct scp_attach_state *s);

/* May the order be given in this state? 0, or -1 with the error. */
int attach_state_check(struct attach_working *w, const struct scp_attach_state *s);

/* Take what the library remembers as our area, if it is one, and free. */
void attach_state_area(struct attach_working *w, const struct scp_attach_state *s);

/* Did it follow? 0, or -1 with the error. The results are filled in. */
int attach_state_judge(struct attach_working *w);

/* Stop a thread that can be borrowed. `room`: where a frame fits on its stack; 0: nowhere, and
 * there is an area. 0, or -1 with the error. */
int attach_borrow(struct attach_working *w, uint64_t *room);

/* It was let go: note since when it waits, if it does. */
struct area_wait attach_borrow_wait(struct attach_working *w, pid_t tid);

/* Have the borrowed thread follow the order, and let it go. 0, or -1 with the error. */
int attach_calls_make(struct attach_working *w, uint64_t room);

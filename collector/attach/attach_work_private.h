// SPDX-License-Identifier: GPL-3.0-or-later
/* Shared by the parts of attach_work(): what it knows of the process, and the memory that it has
 * there. */
#ifndef SCPROF_COLLECTOR_ATTACH_ATTACH_WORK_PRIVATE_H
#define SCPROF_COLLECTOR_ATTACH_ATTACH_WORK_PRIVATE_H

#include "collector/attach/attach_filters.h"
#include "collector/attach/attach_work.h"
#include "collector/attach/remote/remote.h"
#include "collector/attach/remote/remote_library.h"
#include "collector/attach/safe_point/safe_points.h"

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

struct attach_working {
	const struct attach_order *order; /* NULL: end */
	const char *name;		  /* the library's, without directories */
	struct remote remote;
	struct proc_map_list maps;
	struct attach_filters filters;
	struct safe_points *points;
	uint64_t dlopen, dlerror, errno_location;
	struct remote_library library; /* .state 0: not mapped yet */
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

/* Have the borrowed thread follow the order, and let it go. 0, or -1 with the
 * error. */
int attach_calls_make(struct attach_working *w, uint64_t room);

#endif

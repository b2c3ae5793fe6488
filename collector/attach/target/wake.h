// SPDX-License-Identifier: GPL-3.0-or-later
/* Waking processes that were started with LD_PRELOAD=libscprof.so SCPROF_STOPPED=1, by the page
 * that they map (include/scprof_attach.h): without ptrace. Each process follows an order at its
 * next wrapped call: an idle one sleeps on, and its profile is not there yet.
 *
 * The page belongs to the processes. It is never mapped here, and nothing in it is trusted. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"

struct wake {
	int fd;
	uint64_t word;	     /* of the last order */
	pid_t pid;	     /* by whose root directory the page was opened; 0: by ours */
	char path[PATH_MAX]; /* as we opened it */
};

/* The page that a process maps, as wake_open takes it: /proc/PID/root/... False: it has none, or
 * its maps cannot be read. `room`: of path, PATH_MAX at most. */
bool wake_find(pid_t pid, char *path, size_t room);

/* Open a page by its path. One below /proc/PID/root/ is looked for inside the root directory of
 * that process: no link in it leads out. 0; or -1 with *err, and w->fd is -1. */
int wake_open(struct wake *w, const char *path, struct profile_error *err);

/* Order: record as `variables` ("NAME=value", ended by NULL) ask for. `pids`: in their own pid
 * namespace; count 0: all that map the page. What a tool that was killed had ordered ends first.
 * -1 with *err: also where another tool that lives records here. */
int wake_begin(struct wake *w, const char *const *variables, const pid_t *pids, size_t count,
	       struct profile_error *err);

/* Order: stop; also what another tool ordered. */
int wake_end(struct wake *w, struct profile_error *err);
void wake_close(struct wake *w);

/* What the page says. */
struct wake_state {
	bool ordered;	  /* the last order was to record */
	bool held;	  /* by a tool that lives, not by us; ordered and not held: it was killed */
	uint32_t holders; /* processes that map the page, as they say */
	int32_t answer_pid;   /* which followed an order last, in its pid namespace; 0: none yet */
	uint32_t problem;     /* enum scp_attach_problem of that */
	pid_t maker;	      /* that made the page, in its pid namespace */
	char directory[1024]; /* of the page, as that sees it: absolute, or "": not known */
};

/* The last process that mapped the page has removed it. */
bool wake_is_gone(const struct wake *w);

/* False: the page cannot be read any more, or is none. */
bool wake_read(const struct wake *w, struct wake_state *s);

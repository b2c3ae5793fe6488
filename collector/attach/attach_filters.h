// SPDX-License-Identifier: GPL-3.0-or-later
/* Seccomp filters of threads that are to be traced. The kernel shows them to root alone, and the
 * tracer is not root any more when it has read which thread it can borrow. So a child of it, which
 * reads no memory of the process, keeps those rights: it stops a thread for that moment. */
#ifndef SCPROF_COLLECTOR_ATTACH_ATTACH_FILTERS_H
#define SCPROF_COLLECTOR_ATTACH_ATTACH_FILTERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "collector/attach/attach.h"
#include "profile/profile.h"

#define ATTACH_FILTERS_SEEN 64u

struct attach_filters {
	pid_t pid;
	int child; /* socket to it; -1: no thread has a filter */
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

void attach_filters_end(struct attach_filters *f);

#endif

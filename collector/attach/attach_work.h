// SPDX-License-Identifier: GPL-3.0-or-later
/* What a process of its own does to begin or end a recording in another one: the tracer. */
#ifndef SCPROF_COLLECTOR_ATTACH_ATTACH_WORK_H
#define SCPROF_COLLECTOR_ATTACH_ATTACH_WORK_H

#include <stdbool.h>

#include "collector/attach/attach.h"

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

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The calls of a window of time: the difference of two snapshots, path by path. */
#ifndef SCPROF_SERVE_PPROF_WINDOW_H
#define SCPROF_SERVE_PPROF_WINDOW_H

#include "serve/snapshot.h"

struct window {
	struct profile *profile;
	size_t left_out; /* processes: of another clock, or not readable */
	uint32_t clock;	 /* SCP_CLOCK_NONE: there was nothing to read */
};

enum window_result {
	WINDOW_DONE,
	WINDOW_STOPPED,
	WINDOW_NO_MEMORY,
	WINDOW_NO_DESCRIPTORS,
	WINDOW_UNREADABLE /* a file that was read at the beginning cannot be read at the end */
};

/* Waits `seconds` between the two, in wait(), which returns false to give up; 0: one snapshot,
 * all since the processes began. window_free is due either way. */
enum window_result window_take(struct window *w, struct agent *a, const char *service,
			       uint32_t clock, double seconds,
			       bool (*wait)(void *context, double seconds), void *context);
void window_free(struct window *w);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The calls of a window of time: the difference of two snapshots, path by path; or, of one
 * snapshot, all since its processes began. Single-threaded. */
#ifndef SCPROF_SERVE_RENDER_PPROF_WINDOW_H
#define SCPROF_SERVE_RENDER_PPROF_WINDOW_H

#include <time.h>

#include "serve/render/snapshot.h"

struct pprof_window {
	struct profile *profile;
	struct model_mark mark; /* what was there at the beginning */
	struct timespec began;
	size_t left_out; /* processes: of another clock, or not readable */
};

enum pprof_window_result {
	PPROF_WINDOW_DONE,
	PPROF_WINDOW_NO_MEMORY,
	PPROF_WINDOW_UNREADABLE /* a file that was read at the beginning cannot be read at the end
				 */
};

/* Read the first snapshot. `ends`: pprof_window_end will subtract it from the last one.
 * pprof_window_free is due either way. */
enum pprof_window_result pprof_window_begin(struct pprof_window *w, struct snapshot *first,
					    bool ends);

/* `seconds` later: w->profile becomes what happened in between. `last` has the clock of `first`,
 * which is as pprof_window_begin left it. */
enum pprof_window_result pprof_window_end(struct pprof_window *w, struct snapshot *first,
					  struct snapshot *last, double seconds);
void pprof_window_free(struct pprof_window *w);

#endif

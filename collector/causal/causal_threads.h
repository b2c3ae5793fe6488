// SPDX-License-Identifier: GPL-3.0-or-later
/* CPU time of each thread of the processes that are delayed, and its calls at the sites: what the
 * time of a unit cannot fall below (slopes_data.busy). Threads that begin or end meanwhile do not
 * count, nor do those beyond the first 512. One thread. */
#ifndef SCPROF_COLLECTOR_CAUSAL_CAUSAL_THREADS_H
#define SCPROF_COLLECTOR_CAUSAL_CAUSAL_THREADS_H

#include "collector/causal/causal_page.h"

struct causal_threads {
	struct causal_threads_seen *first; /* at the beginning */
	double *busy;			   /* [count] CPU seconds a unit, without delays */
	double *calls;			   /* [count][sites] a unit */
	size_t count;
};

/* From now on; `completed`: units of progress so far. Memory that is lacking leaves nothing known.
 */
void causal_threads_begin(struct causal_threads *t, const struct causal_page *p, double completed);
/* Until now, at the sites in slots 1 to `sites`. What was known stays where nothing can be read:
 * the processes have ended. */
void causal_threads_read(struct causal_threads *t, const struct causal_page *p, size_t sites,
			 double completed);
void causal_threads_free(struct causal_threads *t);

#endif

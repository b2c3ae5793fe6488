// SPDX-License-Identifier: GPL-3.0-or-later
/* What the files of the tool's side share: causal_page.c writes orders, causal_counts.c reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/causal/causal_page.h"
#include "collector/clocks/clocks_read.h"
#include "include/scprof_causal.h"

#define NO_SITE SIZE_MAX

struct causal_page {
	struct scp_causal_page *page;
	char *path;
	struct scp_anchor began;
	double units_s;
	uint64_t longest;
	size_t site[SCP_CAUSAL_SLOTS]; /* which is counted there */
	unsigned stopped;
	uint64_t looked_ns;				      /* at all blocks */
	bool met[SCP_CAUSAL_THREADS];			      /* has been taken */
	struct scp_causal_thread highest[SCP_CAUSAL_THREADS]; /* seen so far */
	struct scp_causal_thread sum;
	char refused[200]; /* why nothing more is taken from it; "": nothing was refused */
};

/* Units a second, since the page was made. */
void causal_page_measure_rate(struct causal_page *p);

/* What time allows: counts that a page of delays can hold after so long. Whoever maps the page can
 * write anything into it. Pure. */

struct causal_bounds {
	double elapsed;	  /* units since the page was made */
	double elapsed_s; /* the same in seconds */
	double longest;	  /* units: no delay was allowed to be longer */
	unsigned threads; /* that run at one time at most, among those that the block is of */
};

/* NULL, or which count of the block cannot be, with *value. */
const char *causal_bounds_refuse(const struct causal_bounds *b, const struct scp_causal_thread *t,
				 uint64_t *value);

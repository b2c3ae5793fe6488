// SPDX-License-Identifier: GPL-3.0-or-later
/* What time allows: counts that a page of delays can hold after so long. Whoever maps the page can
 * write anything into it. Pure. */
#ifndef SCPROF_COLLECTOR_CAUSAL_CAUSAL_BOUNDS_H
#define SCPROF_COLLECTOR_CAUSAL_CAUSAL_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_causal.h"

struct causal_bounds {
	double elapsed;	  /* units since the page was made */
	double elapsed_s; /* the same in seconds */
	double longest;	  /* units: no delay was allowed to be longer */
	unsigned threads; /* that run at one time at most, among those that the block is of */
};

/* Most calls that may have been counted. */
double causal_bounds_calls(const struct causal_bounds *b);

/* NULL, or which count of the block cannot be, with *value. Slots whose bit in `slots` is not set
 * are not looked at. */
const char *causal_bounds_refuse(const struct causal_bounds *b, const struct scp_causal_thread *t,
				 uint64_t slots, uint64_t *value);

#endif

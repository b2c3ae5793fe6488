// SPDX-License-Identifier: GPL-3.0-or-later
/* What consecutive batches of calls say about the error of their mean.
 *
 * Calls depend on one another: neighbours share what the program was doing, and contiguous calls
 * share the ticks between them. Sums over batches include that, as long as batches do not depend on
 * each other; what is left is estimated from the batches' own serial correlation.
 */
#ifndef SCPROF_STATS_MEAN_AUTOCORRELATION_H
#define SCPROF_STATS_MEAN_AUTOCORRELATION_H

#include <stdbool.h>

#include "stats/stats.h"

struct serial {
	bool contiguous; /* neighbours share ticks: what one has too many the next lacks */
	uint32_t batches;
	double calls;	    /* in a batch */
	double variance;    /* of a batch's mean, in units squared; divisor batches - 1 */
	double skewness;    /* of the batches' means; 0 where the variance is */
	double correlation; /* of neighbours, lag 1 */
	double time;	    /* integrated autocorrelation time, in batches: the variance of the
			       overall mean is variance * time / batches */
	double freedom;	    /* degrees of freedom of that variance */
	double independent; /* equivalent number of independent batches; at most batches */
};

/* Zeros where there are fewer than 4 batches. Clock units. */
struct serial autocorrelation_estimate(const struct stats_batches *b);

#endif

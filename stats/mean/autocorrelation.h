// SPDX-License-Identifier: GPL-3.0-or-later
/* What consecutive batches of calls say about the error of their mean.
 *
 * Calls depend on one another: neighbours share what the program was doing, and contiguous calls
 * share the ticks between them. Sums over batches include that, as long as batches do not depend on
 * each other; what is left is estimated from the batches' own serial correlation. */
#pragma once

#include <stdbool.h>

#include "stats/stats.h"

struct serial {
	bool contiguous; /* neighbours share ticks: a tick too many in one is missing in the next */
	uint32_t batches;
	double calls;	    /* number of calls in a batch */
	double variance;    /* variance of a batch's mean, in units squared; divisor batches - 1 */
	double skewness;    /* skewness of the batches' means; 0 if the variance is 0 */
	double correlation; /* correlation of neighbours, lag 1 */
	double time;	    /* integrated autocorrelation time, in batches: the variance of the
			       overall mean is variance * time / batches */
	double freedom;	    /* degrees of freedom of that variance */
	double independent; /* equivalent number of independent batches; at most batches */
};

/* Zeros where there are fewer than 4 batches. Clock units. */
struct serial autocorrelation_estimate(const struct stats_batches *b);

/* How much wider an interval is made where few batches are independent.
 *
 * The integrated autocorrelation time of a short series is itself uncertain, the more so the longer
 * it is: with a window of M lags of N its relative standard error is sqrt(2 (2 M + 1) / N) (Sokal
 * 1997, "Monte Carlo Methods in Statistical Mechanics", section 3). Too short a time makes an
 * interval too narrow twice, by its error and by its degrees of freedom. */

struct caution {
	double variance; /* factor of the mean's variance, at least 1 */
	double freedom;	 /* degrees of freedom of the variance with that factor; 2 at least where
			    the factor is above 1 */
};

/* Where neighbours show that batches depend on each other, the time is taken one standard error
 * longer below 18 independent batches, and as estimated from 24 on; between them in proportion. */
struct caution autocorrelation_caution(const struct serial *s);

/* What unbatched calls add to the error of a mean.
 *
 * Batches are consecutive calls of one thread. What is left of a thread, and a thread that made too
 * few calls for a batch, is a stretch: a batch of a size of its own. As in a cluster sample
 * (Cochran 1977, "Sampling Techniques", 3rd ed., section 9A.8, the ratio estimate), a stretch of n
 * calls and t units adds (t - n m)^2 to the variance of the time of all calls, m being the mean of
 * all: dependence within the stretch is in it, and the unknown frequency of such threads, too.
 *
 * Returns the variance of the time of all calls, in units squared, that batches do not explain: 0
 * where stretches scatter as batches predict. `each`: variance per call by the batches; `ends`:
 * what the ends of a stretch of contiguous calls add, else 0. *freedom: its degrees of freedom, as
 * many as equal stretches would be worth (Kish 1965, "Survey Sampling", section 11.7), 2 at least.
 * Damaged sums give some number that is not negative. Sums over stretches are in floating point:
 * where all calls take the same time the terms cancel, and what rounding leaves is no scatter. */

double autocorrelation_unbatched(const struct stats_sample *s, double each, double ends,
				 double *freedom);

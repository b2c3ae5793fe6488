// SPDX-License-Identifier: GPL-3.0-or-later
/* How much wider an interval is made where few batches are independent.
 *
 * The integrated autocorrelation time of a short series is itself uncertain, the more so the longer
 * it is: with a window of M lags of N its relative standard error is sqrt(2 (2 M + 1) / N) (Sokal
 * 1997, "Monte Carlo Methods in Statistical Mechanics", section 3). Too short a time makes an
 * interval too narrow twice, by its error and by its degrees of freedom.
 */
#ifndef SCPROF_STATS_MEAN_CAUTION_H
#define SCPROF_STATS_MEAN_CAUTION_H

#include "stats/mean/autocorrelation.h"

struct caution {
	double variance; /* factor of the mean's variance, at least 1 */
	double freedom;	 /* degrees of freedom of the variance with that factor; 2 at least where
			    the factor is above 1 */
};

/* Where neighbours show that batches depend on each other, the time is taken one standard error
 * longer below 18 independent batches, and as estimated from 24 on; between them in proportion. */
struct caution caution_estimate(const struct serial *s);

#endif

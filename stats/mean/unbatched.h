// SPDX-License-Identifier: GPL-3.0-or-later
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
#ifndef SCPROF_STATS_MEAN_UNBATCHED_H
#define SCPROF_STATS_MEAN_UNBATCHED_H

#include "stats/stats.h"

double unbatched_estimate(const struct stats_sample *s, double each, double ends, double *freedom);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* What calls that are in no batch add to the error of a mean.
 *
 * Batches are consecutive calls of one thread. What is left of a thread, and a thread that made
 * too few calls for a batch, is a stretch: a batch of a size of its own. As a cluster sample has
 * it (Cochran 1977, "Sampling Techniques", 3rd ed., section 9A.8, the ratio estimate), a stretch
 * of n calls and t units adds (t - n m)^2 to the variance of the time of all calls, m being the
 * mean of all: dependence within the stretch is in it, and that nobody knows how often such a
 * thread comes. Private to stats/.
 */
#ifndef SCPROF_STATS_UNBATCHED_H
#define SCPROF_STATS_UNBATCHED_H

#include "stats/stats.h"

/* Variance of the time of all calls, in units squared, that batches do not explain: 0 where
 * stretches scatter as batches foretell. `each`: variance per call by the batches; `ends`: what
 * the ends of a stretch of contiguous calls add, else 0. *freedom: its degrees of freedom, as
 * many as equal stretches would be worth (Kish 1965, "Survey Sampling", section 11.7), 2 at
 * least. Damaged sums give some number that is not negative. */
double unbatched_variance(const struct stats_sample *s, double each, double ends, double *freedom);

#endif

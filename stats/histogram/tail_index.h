// SPDX-License-Identifier: GPL-3.0-or-later
/* How heavy the tail of durations is.
 *
 * If the chance of a call longer than x falls like x^-alpha, the k longest of n calls show alpha:
 * the logarithms of their durations over the shortest of them are exponential with mean
 * 1 / alpha (Hill 1975, "A simple general approach to inference about the tail of a distribution").
 * The variance is infinite from 1 / alpha = 1/2 on, the mean from 1.
 */
#ifndef SCPROF_STATS_HISTOGRAM_TAIL_INDEX_H
#define SCPROF_STATS_HISTOGRAM_TAIL_INDEX_H

#include <stdint.h>

#include "stats/stats.h"

/* Hill's estimate from a log-linear histogram of durations in units. k is the root of the number
 * of calls, and all others of the bucket in which the k-th longest lies: it must grow, and as a
 * share of the calls vanish (Embrechts, Klueppelberg and Mikosch 1997, "Modelling Extremal
 * Events", section 6.4). The standard error of 1 / alpha is 1 / (alpha root k).
 *
 * Where the k calls are of two kinds with a gap between them (calls that were held up, and others),
 * the gap looks like a heavy tail. So a fourth of k, a sixteenth, ... is taken instead where it
 * shows a lighter tail by three standard errors. {0, 0}: unknown,
 * with fewer than 30 calls or where the bucket is shorter than 8 units or `tick`. */
struct stats_tail_index tail_index_estimate(const uint64_t *count, uint32_t buckets, double tick);

#endif

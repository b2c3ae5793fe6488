// SPDX-License-Identifier: Apache-2.0
/* A robust mean of a few rounds, in integers: a round that an interrupt or the host of
 * a virtual machine fell into must not count. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_STATS_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_STATS_H

#include <stdint.h>

#include "preload/system/util.h"

struct overhead_estimate {
	int64_t value;
	uint64_t error; /* standard error of `value`, not below 1 */
};

/* The median of count > 0 values (the mean of the middle two), and its standard error for
 * a distribution that is normal in its middle: sqrt(pi / 2) * 1.4826 * MAD / sqrt(count),
 * MAD the median absolute deviation (Hampel 1974; Kendall and Stuart, Advanced Theory of
 * Statistics I, 10.10). Values lie within +-2^40. Overwrites v. */
HIDDEN struct overhead_estimate overhead_stats_median(int64_t *v, uint32_t count);

/* `units` of a clock in picoseconds, its rate a unit given by span_ns and span_units; both
 * below 2^31 ns long. 0 where the spans are of no use. */
HIDDEN uint64_t overhead_stats_ps(uint64_t units, uint64_t span_ns, uint64_t span_units);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Do calls begin anywhere within the clock's tick, or at preferred phases?
 *
 * A slow clock's mean is right whatever the durations, as long as calls begin at phases of the tick
 * that are uniform on the circle (Beilner 1988, section 2). A program that is paced by the tick
 * breaks that, and no interval computed from its ticks can show it. */
#pragma once

#include <stdint.h>

/* Fewer samples show nothing. At 8 the two commonest faults, one phase and two opposite ones, are
 * found at 0.1 % wherever they lie; from 5 to 7 two phases that fall on the edges of bins are not,
 * and below 5 not even one is. */
#define STATS_PHASE_LEAST 8

/* p-value of the hypothesis that independent phases, counted in `bins` equal parts of a tick, are
 * uniform: the probability that chance alone makes Pearson's X^2 as large as this. Small: preferred
 * phases, be it one (paced by the tick) or several (a period that is a fraction of the tick). Up to
 * half as many as there are bins are found, unless all lie on the edges of bins. Counts more even
 * than by chance give values near 1 and are no alarm.
 *
 * Up to 64 samples in 32 bins it is exact; as X^2 is discrete there, a level of 1 % is then kept at
 * 1 % or below, never above. Larger totals use the gamma distribution with the exact mean, variance
 * and skewness of X^2, whose p-value is at worst (just above 64 samples) 0.8 of the true one at
 * 10^-3, half of it at 10^-4 and a tenth at 10^-6; from 1000 samples on it is right to a tenth at
 * 10^-4. Values below 10^-9 are not resolved up to 64 samples: they are reported as at most that.
 *
 * NAN for fewer than STATS_PHASE_LEAST samples or fewer than two bins. */
double phase_test_p(const uint64_t *count, unsigned bins);

/* How uneven they are, whatever the number of samples: root mean square deviation of the density of
 * phases from 1, less what chance adds (0 where nothing is left). All in one of 32 bins: 5.6; in b
 * of them: sqrt(32 / b - 1); a sine of amplitude 10 %: 0.07. With millions of samples the p-value
 * also finds what does not matter (the tick's own interrupt holds programs up for some
 * microseconds): this number shows what does. NAN as above. */
double phase_test_unevenness(const uint64_t *count, unsigned bins);

// SPDX-License-Identifier: GPL-3.0-or-later
/* What a call costs and what a byte costs, with intervals for both.
 *
 * time = a + b x bytes, fitted by least squares over all calls. The errors of a and b
 * come from how the fit changes when one block of consecutive calls is left out, so
 * they hold whatever the noise is like: ticks of a slow clock (noise that depends on
 * the size and is nothing like normal), durations that vary with the size,
 * neighbours that depend on one another.
 */
#ifndef SCPROF_STATS_REGRESSION_LINE_H
#define SCPROF_STATS_REGRESSION_LINE_H

#include <stdint.h>

#include "stats/stats.h"

/* Sums over a block of consecutive calls: x the bytes, y the clock units. Sizes up to
 * 2^40, durations up to 2^50 and 2^30 calls are safe from overflow. */
struct stats_line_block {
	uint64_t calls, bytes, units;
	stats_u128 bytes_sq, bytes_units;
};

/* One of the two prices. The interval is its own (not joint with the other's) and is not cut at 0:
 * an extrapolation to size 0 may be negative. */
struct stats_line_price {
	double value, error; /* error INFINITY: nothing is known, the interval is infinite */
	double low, high;
	double freedom; /* of Student's t */
};

enum stats_line_unreliable {
	STATS_LINE_FEW_TICKS =
		1, /* time was seen in fewer than about 50 calls: intervals too narrow */
	STATS_LINE_FEW_LARGE = 2, /* fewer than 8 stretches of calls carry the slope */
	STATS_LINE_NARROW = 4,	  /* sizes vary by less than a tenth: `call` is an extrapolation */
	STATS_LINE_DEPENDENT = 8  /* too few independent stretches: intervals too narrow */
};

struct stats_line_fit {
	struct stats_line_price call, byte; /* units, units a byte */
	double by_size;	     /* share of the whole time that is due to bytes: b sum x / sum y */
	unsigned blocks;     /* with calls in them, after joining */
	unsigned unreliable; /* enum stats_line_unreliable, or-ed */
};

/* Blocks in the order of time, oldest first; they may differ in length, those without
 * calls are passed over, and of more than 64 neighbours are joined. 30 or more make good
 * intervals; 3 make some; with fewer there are values only.
 *
 * Errors: delete-one-block jackknife in the closed form of the cluster-robust sandwich (Bell and
 * McCaffrey 2002, "Bias reduction in standard errors for linear regression with multi-stage
 * samples", their jackknife estimator; CR3 of Cameron and Miller 2015), with Satterthwaite's
 * degrees of freedom as they give them. Blocks that still depend on their neighbours are joined in
 * pairs until they do not show it, and the remaining correlation is added.
 *
 * What these sums cannot show is curvature: a cost that grows in steps (packets, pages)
 * or with size squared has a best line as well, and the intervals are of that line.
 *
 * 0, or -1 where sizes do not vary or the sums contradict each other: *fit is then as
 * it was. */
int line_fit_blocks(const struct stats_line_block *block, unsigned blocks,
		    struct stats_line_fit *fit, double confidence);

/* Least-squares line of time on size over n calls from their exact sums:
 * *intercept (time a call) and *slope (time a byte), in the units of y.
 * Returns 0, or -1 where the sizes do not vary (or the sums contradict each
 * other). Valid for tick counts as well: they are unbiased given the size. */
int line_fit(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y, stats_u128 sum_xy,
	     double *intercept, double *slope);

/* How far the true slope may be from that of line_fit, which gave `slope`: half the width of its
 * interval at `confidence`, by Student's t with n - 2 degrees of freedom on what the line leaves
 * unexplained. INFINITY where fewer than three calls or equal sizes say nothing. It covers chance
 * only: where a few sizes belong to different work, the slope is that difference, however sure. */
double line_half_width(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y,
		       stats_u128 sum_yy, double slope, double confidence);

#endif

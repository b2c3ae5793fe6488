// SPDX-License-Identifier: GPL-3.0-or-later
/* The cost of a call and of a byte, with intervals for both.
 *
 * time = a + b x bytes, fitted by least squares over all calls. The errors of a and b
 * come from how the fit changes when one block of consecutive calls is left out, so
 * they hold whatever the noise is like: ticks of a slow clock (noise that depends on
 * the size and is nothing like normal), durations that vary with the size,
 * neighbours that depend on one another. */
#ifndef SCPROF_STATS_REGRESSION_LINE_H
#define SCPROF_STATS_REGRESSION_LINE_H

#include <stdint.h>

#include "stats/stats.h"

/* Sums over a block of consecutive calls: x is the bytes, y the clock units. They do not overflow
 * for sizes up to 2^40, durations up to 2^50 and 2^30 calls. */
struct stats_line_block {
	uint64_t calls, bytes, units;
	stats_u128 bytes_sq, bytes_units;
};

/* One of the two costs. The interval is for this cost alone (not joint with the other's) and is not
 * cut at 0: an extrapolation to size 0 may be negative. */
struct stats_line_price {
	double value, error; /* error INFINITY: nothing is known, the interval is infinite */
	double low, high;
	double freedom; /* of Student's t */
};

enum stats_line_unreliable {
	STATS_LINE_FEW_TICKS =
		1, /* time was seen in fewer than about 50 calls: intervals too narrow */
	STATS_LINE_FEW_LARGE = 2, /* fewer than 8 stretches of calls determine the slope */
	STATS_LINE_NARROW = 4,	  /* sizes vary by less than a tenth: `call` is an extrapolation */
	STATS_LINE_DEPENDENT = 8  /* too few independent stretches: intervals too narrow */
};

struct stats_line_fit {
	struct stats_line_price call, byte; /* units, units a byte */
	double by_size;	     /* share of the whole time that is due to bytes: b sum x / sum y */
	unsigned blocks;     /* number of blocks that contain calls, after joining */
	unsigned unreliable; /* enum stats_line_unreliable, or-ed */
};

/* Blocks are ordered by time, oldest first. They may differ in length. Blocks without calls are
 * skipped; if there are over 64, neighbours are joined. 30 or more make good intervals; 3 make
 * some; with fewer there are values only.
 *
 * Errors: delete-one-block jackknife in the closed form of the cluster-robust sandwich (Bell and
 * McCaffrey 2002, "Bias reduction in standard errors for linear regression with multi-stage
 * samples", their jackknife estimator; CR3 of Cameron and Miller 2015), with Satterthwaite's
 * degrees of freedom as they give them. Blocks that still depend on their neighbours are joined in
 * pairs until they do not show it, and the remaining correlation is added.
 *
 * These sums cannot show curvature: a cost that grows in steps (packets, pages) or with size
 * squared has a best line as well, and the intervals are of that line.
 *
 * Returns 0; or -1 with *fit unchanged if sizes do not vary or the sums contradict each other. */
int line_fit_blocks(const struct stats_line_block *block, unsigned blocks,
		    struct stats_line_fit *fit, double confidence);

/* Least-squares line of time on size over n calls from exact sums: *intercept (time per call) and
 * *slope (time per byte), in the units of y. Returns 0; -1 if the sizes do not vary or the sums
 * contradict each other. Valid for tick counts as well: they are unbiased given the size. */
int line_fit(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y, stats_u128 sum_xy,
	     double *intercept, double *slope);

/* Half the width of the interval of the slope at `confidence`, where line_fit gave `slope`:
 * Student's t with n - 2 degrees of freedom on the residuals of the line. INFINITY for fewer than
 * three calls or equal sizes. It covers chance only: if a few sizes belong to different work, the
 * slope shows that difference, whatever the interval. */
double line_half_width(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y,
		       stats_u128 sum_yy, double slope, double confidence);

#endif

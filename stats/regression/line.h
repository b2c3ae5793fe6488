// SPDX-License-Identifier: GPL-3.0-or-later
/* The cost of a call and of a byte, with intervals for both.
 *
 * time = a + b x bytes, fitted by least squares over all calls. The errors of a and b come from how
 * the fit changes when one block of consecutive calls is left out, so they hold whatever the noise
 * is like: ticks of a slow clock (noise that depends on the size and is nothing like normal),
 * durations that vary with the size, neighbours that depend on one another. */
#pragma once

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

struct stats_line_fit {
	struct stats_line_price call, byte; /* units, units a byte */
};

/* Blocks are ordered by time, oldest first. They may differ in length. Blocks without calls are
 * skipped; if there are over 64, neighbours are joined. 30 or more make good intervals; 3 make
 * some; with fewer there are values only, also of ticks: they are unbiased given the size.
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

/* Half the width of the interval of the slope at `confidence`, of the line's `slope`:
 * Student's t with n - 2 degrees of freedom on the residuals of the line. INFINITY for fewer than
 * three calls or equal sizes. It covers chance only: if a few sizes belong to different work, the
 * slope shows that difference, whatever the interval. */
double line_half_width(uint64_t n, uint64_t sum_x, stats_u128 sum_xx, uint64_t sum_y,
		       stats_u128 sum_yy, double slope, double confidence);

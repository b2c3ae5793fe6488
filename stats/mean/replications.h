// SPDX-License-Identifier: GPL-3.0-or-later
/* What repeated measurements of the same thing say: the mean with its t interval, the K fastest,
 * what interference made longer, and whether the series has a trend or depends on itself. `x` is in
 * the order of measurement, in whatever unit the caller uses throughout; values are finite.
 *
 * Sources: Feitelson, "Experimental Approaches in Computer Science", lecture 3 (double loop, half
 * width, outliers); Bryant and O'Hallaron, "Computer Systems: A Programmer's Perspective", ch. 9
 * (K-best). They take time proportional to n^2, for n up to some thousands. */
#pragma once

#include <stddef.h>

/* The mean of n independent replications: mean +- t_{n-1,1-a/2} s / sqrt n. The
 * limits are not clamped: a difference may be negative. One value gives limits
 * of -+ INFINITY and an error of NAN, none gives NANs. */
struct replications_mean {
	size_t n;
	double mean, low, high;
	double error; /* standard error of the mean, s / sqrt n */
};
struct replications_mean replications_mean(const double *x, size_t n, double confidence);

/* Standard deviation of n values, divisor n - 1; NAN for n < 2. Beilner's s_dMT. */
double replications_deviation(const double *value, size_t n);

/* Half-width of the interval of a mean of n independent values of standard
 * deviation s: t_{n-1, 1-alpha/2} s / sqrt(n). Infinite for n = 1. */
double replications_half_width(double s, double n, double confidence);

/* K-best: the measurements have converged once the K fastest of them lie within the relative factor
 * epsilon of the fastest, which is then the result: where interference only ever adds, the fastest
 * values cluster at the true one. */
struct kbest {
	double value;	     /* the fastest; NAN for n = 0 */
	double spread;	     /* Kth fastest / fastest - 1; NAN for n < K, or fastest <= 0 */
	size_t measurements; /* after how many, in order, they had, to stay so; 0: they do not.
				A run of slow values that agree is undone by a faster one */
};
struct kbest replications_kbest(const double *x, size_t n, size_t k, double epsilon);

/* Value at probability q in [0, 1] of n > 0 ascending values, by linear interpolation (position (n
 * - 1) q: Hyndman and Fan's type 7). */
double replications_quantile(const double *sorted, size_t n, double q);

/* Sorts. Returns the lower of two middle values; NAN for n = 0. */
double replications_median(double *value, size_t n);

/* Above this, a replication was disturbed: Tukey's outer fence, upper quartile
 * + 3 (interquartile range, at least `resolution`). There is no lower fence:
 * interference cannot reduce a measured time. INFINITY for n < 4. */
double replications_fence(const double *sorted, size_t n, double resolution);

/* Does the series move? Mann (1945) and Kendall's test of trend with ties and
 * the correction for continuity, two-sided; and how far it moved. */
struct replications_drift {
	double p;      /* p-value of this trend if there is none; NAN for n < 8 */
	double change; /* median of the last third / median of the first - 1; NAN for n < 8
			  or a first median of 0 */
};
/* `scratch`: room for n values. */
struct replications_drift replications_drift(const double *x, size_t n, double *scratch);

/* Do neighbours resemble each other? Bartels (1982), the rank version of von
 * Neumann's ratio: sum (R_i - R_{i+1})^2 / sum (R_i - mean R)^2 is near 2 for an
 * independent series and smaller where slow phases make the t interval too
 * narrow. One-sided probability of a ratio so small; NAN for n < 10 or all equal. */
double replications_dependence(const double *x, size_t n);

// SPDX-License-Identifier: GPL-3.0-or-later
/* Statistics over a handful of replications: all that is assumed is that they are in the order of
 * measurement. The tests of trend and dependence use ranks, since one disturbed replication must
 * not decide them. */
#include "stats/mean/replications.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/numerics/distributions.h"

#define FENCE_RANGES	3.0 /* Tukey's "far out" */
#define LEAST_FOR_FENCE 4
#define LEAST_FOR_TREND 8
#define LEAST_FOR_RATIO 10

struct replications_mean replications_mean(const double *x, size_t n, double confidence)
{
	struct replications_mean m = {n, NAN, NAN, NAN, NAN};

	if (!n)
		return m;
	m.mean = gsl_stats_mean(x, 1, n);
	double s = replications_deviation(x, n);
	m.error = s / sqrt((double)n);
	double half = replications_half_width(s, (double)n, confidence);
	m.low = m.mean - half;
	m.high = m.mean + half;
	return m;
}

double replications_quantile(const double *sorted, size_t n, double q)
{
	return gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
}

double replications_median(double *value, size_t n)
{
	if (!n)
		return NAN;
	gsl_sort(value, 1, n);
	return value[(n - 1) / 2];
}

double replications_fence(const double *sorted, size_t n, double resolution)
{
	if (n < LEAST_FOR_FENCE)
		return INFINITY;
	double upper = replications_quantile(sorted, n, 0.75);
	double range = upper - replications_quantile(sorted, n, 0.25);
	return upper + FENCE_RANGES * fmax(range, resolution);
}

/* Counts the values smaller than `value`, and those equal to it. */
static void place(const double *x, size_t n, double value, double *smaller, double *equal)
{
	*smaller = *equal = 0;
	for (size_t i = 0; i < n; i++) {
		*smaller += x[i] < value;
		*equal += x[i] == value;
	}
}

/* Kendall's S: pairs in rising order less pairs in falling order. */
static double rising_pairs(const double *x, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			s += (x[j] > x[i]) - (x[j] < x[i]);
	return s;
}

/* Kendall (1970): [n (n-1) (2n+5) - sum over groups of t ties t (t-1) (2t+5)] / 18. The sum over
 * groups is computed as a sum over members, each with 1/t of the group's term. */
static double variance_of_s(const double *x, size_t n)
{
	double count = (double)n, sum = count * (count - 1) * (2 * count + 5), smaller, t;

	for (size_t i = 0; i < n; i++) {
		place(x, n, x[i], &smaller, &t);
		sum -= (t - 1) * (2 * t + 5);
	}
	return sum / 18;
}

static double median_of(const double *x, size_t n, double *scratch)
{
	memcpy(scratch, x, n * sizeof(*x));
	return gsl_stats_median(scratch, 1, n);
}

struct replications_drift replications_drift(const double *x, size_t n, double *scratch)
{
	struct replications_drift d = {NAN, NAN};

	if (n < LEAST_FOR_TREND)
		return d;
	double s = rising_pairs(x, n);
	double variance = variance_of_s(x, n);
	d.p = variance > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q((fabs(s) - 1) / sqrt(variance))) : 1;
	double first = median_of(x, n / 3, scratch);
	if (first != 0)
		d.change = median_of(x + n - n / 3, n / 3, scratch) / first - 1;
	return d;
}

double replications_dependence(const double *x, size_t n)
{
	double count = (double)n, middle = (count + 1) / 2, steps = 0, spread = 0, variance;
	double before, rank = 0, smaller, equal;

	if (n < LEAST_FOR_RATIO)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		before = rank;
		place(x, n, x[i], &smaller, &equal);
		rank = smaller + (equal + 1) / 2; /* ties share the mean of their places */
		spread += (rank - middle) * (rank - middle);
		steps += i ? (rank - before) * (rank - before) : 0;
	}
	if (!(spread > 0))
		return NAN;
	/* Bartels 1982, eq. for the variance of RVN; its mean is 2 */
	variance = 4 * (count - 2) * (5 * count * count - 2 * count - 9) /
		   (5 * count * (count + 1) * (count - 1) * (count - 1));
	return gsl_cdf_ugaussian_P((steps / spread - 2) / sqrt(variance));
}

double replications_deviation(const double *value, size_t n)
{
	return n < 2 ? NAN : gsl_stats_sd(value, 1, n);
}

double replications_half_width(double s, double n, double confidence)
{
	if (!(n >= 2))
		return n == 1 ? INFINITY : NAN;
	return distributions_t_two_sided(confidence, n - 1) * s / sqrt(n);
}

/* K-best: when may the fastest of several measurements be believed?
 *
 * The Kth fastest lies within (1 + epsilon) of the fastest exactly if K values do, so counting
 * takes the place of sorting, and the order of measurement, which tells when the answer was first
 * known, is kept. */
static size_t count_up_to(const double *x, size_t n, double limit)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += x[i] <= limit;
	return count;
}

static double kth_fastest(const double *x, size_t n, size_t k)
{
	double least = INFINITY;

	for (size_t i = 0; i < n; i++)
		if (x[i] < least && count_up_to(x, n, x[i]) >= k)
			least = x[i];
	return least;
}

struct kbest replications_kbest(const double *x, size_t n, size_t k, double epsilon)
{
	struct kbest best = {.value = NAN, .spread = NAN};
	double fastest = INFINITY;
	size_t near = 0;

	if (!n || !k)
		return best;
	for (size_t i = 0; i < n; i++) {
		if (x[i] < fastest) {
			fastest = x[i];
			near = count_up_to(x, i + 1, fastest * (1 + epsilon));
		} else {
			near += x[i] <= fastest * (1 + epsilon);
		}
		if (near < k)
			best.measurements = 0; /* the values that agreed were all slow */
		else if (!best.measurements)
			best.measurements = i + 1;
	}
	best.value = fastest;
	if (k <= n && best.value > 0)
		best.spread = kth_fastest(x, n, k) / best.value - 1;
	return best;
}

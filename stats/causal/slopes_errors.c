// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/numerics/distributions.h"

#define FAR	  3.0	 /* deviations from which on a window counts for less */
#define ROUNDING  1e-9	 /* of y: residuals below are none */
#define DEVIATION 1.4826 /* of a normal distribution, in median absolute residuals */

struct slopes_value slopes_errors_of(double value, const double *influence, const double *residual,
				     size_t windows, size_t spent)
{
	double variance = 0, squares = 0, fourths = 0;

	for (size_t w = 0; w < windows; w++) {
		double q = influence[w] * influence[w];

		variance += q * residual[w] * residual[w];
		squares += q;
		fourths += q * q;
	}
	if (!(fourths > 0) || !isfinite(variance) || !isfinite(value))
		return (struct slopes_value){NAN, NAN, NAN};
	/* Equal spread in all windows: a sum of squares with weights q is like a chi-square of
	 * (sum q)^2 / sum q^2 degrees of freedom, of which the fit takes its part. */
	return (struct slopes_value){
		.value = value,
		.error = sqrt(variance),
		.freedom = fmax(1, squares * squares / fourths *
					   (1 - (double)spent / (double)windows)),
	};
}

double slopes_errors_p(struct slopes_value v)
{
	if (!isfinite(v.value) || !(v.error >= 0))
		return NAN;
	if (v.error == 0)
		return v.value == 0 ? 1 : 0;
	return fmin(1, 2 * distributions_t_upper(fabs(v.value / v.error), v.freedom));
}

/* Hotelling's T2 of m coefficients with covariance a [m][m], which is destroyed. */
static double hotelling(const struct slopes_estimate *e, double *a, double *scale, bool *dropped,
			double freedom)
{
	size_t m = e->columns, used = 0;
	double t2 = 0;

	for (size_t i = 0; i < m; i++) {
		dropped[i] = e->dropped[i] || !(a[i * m + i] > 0);
		scale[i] = dropped[i] ? 0 : 1 / sqrt(a[i * m + i]);
	}
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < m; j++)
			a[i * m + j] *= scale[i] * scale[j];
	slopes_inverse(a, m, dropped);
	for (size_t i = 0; i < m; i++) {
		used += !dropped[i];
		for (size_t j = 0; j < m; j++)
			t2 += a[i * m + j] * scale[i] * scale[j] * e->coefficient[i] *
			      e->coefficient[j];
	}
	if (used == 0 || !(freedom > (double)used + 1))
		return NAN;
	freedom -= (double)used - 1;
	t2 *= freedom / (freedom + (double)used - 1);
	return distributions_beta_lower(freedom / (freedom + t2), freedom / 2, (double)used / 2);
}

double slopes_errors_joint_p(const struct slopes_system *s, const struct slopes_estimate *e)
{
	size_t m = e->columns;
	double *a = calloc(m * m + m + 1, sizeof(*a)), p = NAN;
	bool *dropped = calloc(m + 1, sizeof(*dropped));

	for (size_t w = 0; a && w < s->windows; w++) {
		const double *q = e->influence + w * m;
		double square = e->residual[w] * e->residual[w];

		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < m; j++)
				a[i * m + j] += square * q[i] * q[j];
	}
	if (a && dropped)
		p = hotelling(e, a, a + m * m, dropped,
			      (double)s->windows - (double)s->blocks - (double)m);
	free(a);
	free(dropped);
	return p;
}

void slopes_errors_weights(const double *residual, const double *y, size_t windows, double *weight,
			   double *room)
{
	double far, rounding = 0;

	for (size_t w = 0; w < windows; w++) {
		room[w] = fabs(residual[w]);
		rounding += ROUNDING * fabs(y[w]) / (double)windows;
	}
	gsl_sort(room, 1, windows);
	far = FAR * DEVIATION * gsl_stats_median_from_sorted_data(room, 1, windows);
	for (size_t w = 0; w < windows; w++)
		weight[w] = far > rounding && fabs(residual[w]) > far ? far / fabs(residual[w]) : 1;
}

void slopes_errors_mean(const double *series, size_t windows, double *error, double *freedom)
{
	double n = (double)windows, count = fmax(4, floor(0.4 * cbrt(n * n))), sum = 0;

	for (double b = 1; b <= count; b++) {
		double part = 0;

		for (size_t w = 0; w < windows; w++)
			part += series[w] * cos(M_PI * b * ((double)w + 0.5) / n);
		sum += part * part * 2 / n;
	}
	*error = sqrt(sum / count / n);
	*freedom = count;
}

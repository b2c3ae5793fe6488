// SPDX-License-Identifier: GPL-3.0-or-later
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/causal/slopes_private.h"
#include "stats/numerics/distributions.h"
#include "stats/regression/site_costs.h"

#define ROOM	   3	 /* windows minus blocks needed per column of a joint fit */
#define LEAST_LEFT 0.05	 /* least 1 - leverage of a window */
#define EXPLAINED  1e-12 /* share of a column's square: less left counts as 0 */

struct work {
	size_t k;
	double *z;     /* [windows][k]: instruments; all others lie in the same memory */
	double *r;     /* [windows][k]: regressors */
	double *a;     /* [k][k]: z' r, later its inverse */
	double *scale; /* [k] */
	double *sums;  /* [2][k] */
	double *share; /* [windows]: share of its block's progress */
	double *left;  /* [windows]: y, less that of its block */
};

static bool work_begin(struct work *v, size_t windows, size_t k)
{
	v->k = k;
	v->z = calloc(2 * windows * (k + 1) + k * (k + 3) + 1, sizeof(double));
	if (!v->z)
		return false;
	v->r = v->z + windows * k;
	v->a = v->r + windows * k;
	v->scale = v->a + k * k;
	v->sums = v->scale + k;
	v->share = v->sums + 2 * k;
	v->left = v->share + windows;
	return true;
}

/* Subtracts the solution of equation (3) from the columns and y of one block. */
static void take_out(struct work *v, const struct slopes_system *s, size_t block, const double *x,
		     const double *y)
{
	size_t k = v->k;
	double *mean = v->sums, *ratio = mean + k, weights = 0, n = 0, ys = 0;

	memset(v->sums, 0, 2 * k * sizeof(double));
	for (size_t w = s->start[block]; w < s->start[block + 1]; w++) {
		weights += s->weight[w];
		n += s->weight[w] * s->n[w];
		ys += s->weight[w] * y[w];
		for (size_t i = 0; i < k; i++) {
			mean[i] += s->weight[w] * x[w * k + i];
			ratio[i] += s->weight[w] * x[w * k + i] * s->n[w];
		}
	}
	for (size_t w = s->start[block]; w < s->start[block + 1]; w++) {
		double *z = v->z + w * k, *r = v->r + w * k;

		v->share[w] = n > 0 ? s->weight[w] * s->n[w] / n : 0;
		v->left[w] = y[w] - (n > 0 ? s->n[w] * ys / n : 0);
		for (size_t i = 0; i < k; i++) {
			z[i] = weights > 0 ? s->weight[w] * (x[w * k + i] - mean[i] / weights) : 0;
			r[i] = x[w * k + i] * s->n[w] - (n > 0 ? s->n[w] * ratio[i] / n : 0);
		}
	}
}

/* Inverts z' r with columns scaled to a diagonal of 1. joint = false: only the diagonal. */
static void invert(struct work *v, const struct slopes_system *s, const double *x, bool joint,
		   bool *dropped)
{
	size_t k = v->k;
	double *square = v->sums;

	memset(square, 0, k * sizeof(double));
	for (size_t w = 0; w < s->windows; w++)
		for (size_t i = 0; i < k; i++) {
			double f = v->z[w * k + i];

			square[i] += s->weight[w] * x[w * k + i] * x[w * k + i] * s->n[w];
			for (size_t j = joint ? 0 : i; j < (joint ? k : i + 1); j++)
				v->a[i * k + j] += f * v->r[w * k + j];
		}
	for (size_t i = 0; i < k; i++) {
		double a = v->a[i * k + i];

		dropped[i] = !(a > EXPLAINED * square[i]) || !isfinite(a);
		v->scale[i] = dropped[i] ? 0 : 1 / sqrt(a);
	}
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			v->a[i * k + j] *= v->scale[i] * v->scale[j];
	collinearity_sweep(v->a, k, dropped);
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			v->a[i * k + j] *= v->scale[i] * v->scale[j];
}

static void solve(const struct work *v, const struct slopes_system *s, bool joint,
		  struct slopes_estimate *out)
{
	size_t k = v->k;

	for (size_t w = 0; w < s->windows; w++)
		for (size_t i = 0; i < k; i++) {
			double sum = 0;

			for (size_t j = 0; j < k; j++)
				sum += v->a[i * k + j] * v->z[w * k + j];
			out->influence[w * k + i] = sum;
			out->coefficient[i] += sum * v->left[w];
		}
	for (size_t w = 0; w < s->windows; w++) {
		double leverage = v->share[w], fitted = 0;

		for (size_t i = 0; i < k; i++) {
			if (joint)
				leverage += v->r[w * k + i] * out->influence[w * k + i];
			fitted += v->r[w * k + i] * out->coefficient[i];
		}
		out->residual[w] = v->left[w] - (joint ? fitted : 0);
		for (size_t i = 0; i < k; i++)
			out->influence[w * k + i] /= fmax(1 - leverage, LEAST_LEFT);
	}
}

int slopes_system_fit(const struct slopes_system *s, const double *x, size_t columns,
		      const double *y, struct slopes_estimate *out)
{
	bool joint = s->windows >= s->blocks + ROOM * columns;
	struct work v;

	if (!work_begin(&v, s->windows, columns))
		return -1;
	out->columns = columns;
	out->coefficient = calloc((s->windows + 1) * (columns + 1), sizeof(double) + sizeof(bool));
	if (!out->coefficient) {
		free(v.z);
		return -1;
	}
	out->influence = out->coefficient + columns;
	out->residual = out->influence + s->windows * columns;
	out->dropped = (bool *)(void *)(out->residual + s->windows);
	for (size_t b = 0; b < s->blocks; b++)
		take_out(&v, s, b, x, y);
	invert(&v, s, x, joint, out->dropped);
	solve(&v, s, joint, out);
	free(v.z);
	return 0;
}

void slopes_system_free(struct slopes_estimate *e)
{
	free(e->coefficient);
	memset(e, 0, sizeof(*e));
}

void slopes_system_influence(const struct slopes_system *s, const struct slopes_estimate *e,
			     const double *c, double *influence)
{
	for (size_t w = 0; w < s->windows; w++)
		for (size_t i = 0; i < e->columns; i++)
			influence[w] += c[i] * e->influence[w * e->columns + i];
}

#define FAR	  3.0	 /* windows with residuals beyond this many deviations get less weight */
#define ROUNDING  1e-9	 /* share of y: smaller residuals count as 0 */
#define DEVIATION 1.4826 /* normal distribution: deviation / median absolute residual */

struct slopes_value slopes_system_error(double value, const double *influence,
					const double *residual, size_t windows, size_t spent)
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
	/* If all windows have equal spread, a sum of squares with weights q is like a chi-square
	 * with (sum q)^2 / sum q^2 degrees of freedom. The fit uses up its share of them. */
	return (struct slopes_value){
		.value = value,
		.error = sqrt(variance),
		.freedom = fmax(1, squares * squares / fourths *
					   (1 - (double)spent / (double)windows)),
	};
}

double slopes_system_p(struct slopes_value v)
{
	if (!isfinite(v.value) || !(v.error >= 0))
		return NAN;
	if (v.error == 0)
		return v.value == 0 ? 1 : 0;
	return fmin(1, 2 * distributions_t_upper(fabs(v.value / v.error), v.freedom));
}

void slopes_system_weights(const double *residual, const double *y, size_t windows, double *weight,
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

void slopes_system_mean(const double *series, size_t windows, double *error, double *freedom)
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

struct slopes_value slopes_run_slope(struct slopes_run *r, size_t c)
{
	const struct slopes_system *s = &r->system;

	if (r->fit.dropped[c])
		return (struct slopes_value){NAN, NAN, NAN};
	for (size_t w = 0; w < s->windows; w++) {
		r->room[w] = r->fit.influence[w * r->columns + c];
		if (r->carry)
			r->room[w] += r->carried.influence[w * r->columns + c];
	}
	return slopes_system_error(slopes_run_value(r, c), r->room, r->residual, s->windows,
				   s->blocks + r->columns + (r->carry ? r->columns : 0));
}

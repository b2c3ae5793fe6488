// SPDX-License-Identifier: GPL-3.0-or-later
/* The regression of site_costs.h: each series alone, coefficients and influences added up. */
#include "stats/regression/site_costs.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "stats/numerics/distributions.h"

#define COLUMNS	       (SITE_COSTS_MOST + 1) /* 0: the intercept */
#define SPANS_A_COLUMN 6
#define LEVERAGE_MOST  0.9
/* A steady site makes at least this many calls per span and varies by less than that. */
#define STEADY_CALLS	 2.0
#define STEADY_DEVIATION 0.5

static const struct displacement_value unknown = {NAN, INFINITY, 1};

struct fit {
	const struct site_costs_series *series;
	size_t count, sites;
	size_t column[SITE_COSTS_ROOM]; /* column of each site in the design; 0: none */
	size_t columns;
	double *when; /* middles of all spans, sorted */
	size_t whens, waves;
	double value[SITE_COSTS_KINDS][COLUMNS];
	double *wave[SITE_COSTS_KINDS]; /* [waves][COLUMNS] */
	double switched[COLUMNS];	/* change of UNCHARGED with the cost of a switch */
};

/* A row of the design, scaled by the root of its weight. */
static void row_of(const struct fit *f, const struct site_costs_series *s, size_t i, double *row)
{
	double root = 1 / sqrt(s->span[i].length);

	memset(row, 0, f->columns * sizeof(*row));
	row[0] = (s->span[i].length - s->span[i].unexposed) * root;
	for (size_t k = 0; k < f->sites; k++)
		if (f->column[k])
			row[f->column[k]] += s->calls[i * f->sites + k] * root;
}

/* inverse of X'WX, and X'W times y of each kind, charged and switches. */
enum { RIGHT_CHARGED = SITE_COSTS_KINDS, RIGHT_SWITCHES, RIGHTS };

struct normal {
	double inverse[COLUMNS * COLUMNS];
	double solution[RIGHTS][COLUMNS];
};

static double right_side(const struct site_costs_span *s, size_t r)
{
	return r < SITE_COSTS_KINDS ? s->y[r] : r == RIGHT_CHARGED ? s->charged : s->switches;
}

static void solve(const struct fit *f, const struct site_costs_series *s, struct normal *n)
{
	double right[RIGHTS][COLUMNS] = {{0}}, row[COLUMNS];
	size_t k = f->columns;

	memset(n, 0, sizeof(*n));
	for (size_t i = 0; i < s->spans; i++) {
		double root = 1 / sqrt(s->span[i].length);

		row_of(f, s, i, row);
		for (size_t a = 0; a < k; a++) {
			for (size_t b = 0; b < k; b++)
				n->inverse[a * k + b] += row[a] * row[b];
			for (size_t r = 0; r < RIGHTS; r++)
				right[r][a] += row[a] * root * right_side(&s->span[i], r);
		}
	}
	collinearity_invert(n->inverse, k);
	for (size_t r = 0; r < RIGHTS; r++)
		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b < k; b++)
				n->solution[r][a] += n->inverse[a * k + b] * right[r][b];
}

/* The position in the run, from 0 to 1, counted in spans. */
static double place(const struct fit *f, double at)
{
	size_t low = 0, high = f->whens;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (f->when[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return ((double)low + 0.5) / (double)f->whens;
}

static void add_influence(struct fit *f, const struct site_costs_series *s, size_t i,
			  const struct normal *n)
{
	const struct site_costs_span *span = &s->span[i];
	double row[COLUMNS], pull[COLUMNS] = {0}, leverage = 0;
	double at = place(f, (span->from + span->to) / 2), root = 1 / sqrt(span->length);

	row_of(f, s, i, row);
	for (size_t a = 0; a < f->columns; a++) {
		for (size_t b = 0; b < f->columns; b++)
			pull[a] += n->inverse[a * f->columns + b] * row[b];
		leverage += pull[a] * row[a];
	}
	for (size_t kind = 0; kind < SITE_COSTS_KINDS; kind++) {
		double residual = span->y[kind] * root;

		for (size_t a = 0; a < f->columns; a++)
			residual -= n->solution[kind][a] * row[a];
		residual /= 1 - fmin(leverage, LEVERAGE_MOST);
		for (size_t w = 0; w < f->waves; w++) {
			double wave = M_SQRT2 * cos(M_PI * (double)(w + 1) * at) * residual;

			for (size_t a = 0; a < f->columns; a++)
				f->wave[kind][w * COLUMNS + a] += wave * pull[a];
		}
	}
}

static struct displacement_value value_of(const struct fit *f, size_t kind, size_t column)
{
	double squares = 0;

	for (size_t w = 0; w < f->waves; w++)
		squares +=
			f->wave[kind][w * COLUMNS + column] * f->wave[kind][w * COLUMNS + column];
	return (struct displacement_value){f->value[kind][column], sqrt(squares / (double)f->waves),
					   (double)(f->waves - 1)};
}

/* Number of spans in which the site has calls; the minimum over the series. */
static size_t active(const struct fit *f, size_t k)
{
	size_t least = f->count ? SIZE_MAX : 0;

	for (size_t s = 0; s < f->count; s++) {
		size_t n = 0;

		for (size_t i = 0; i < f->series[s].spans; i++)
			n += f->series[s].calls[i * f->sites + k] > 0;
		least = n < least ? n : least;
	}
	return least;
}

/* Cross products of calls, weighted by 1 / length, after removing the intercept (length) from each
 * series. They are scaled to a span of mean length, so that the unit is calls per span. */
static double add_products(const struct site_costs_series *s, size_t sites, const size_t *chosen,
			   size_t n, double *product)
{
	double mean[SITE_COSTS_MOST] = {0}, time = 0;

	for (size_t i = 0; i < s->spans; i++) {
		time += s->span[i].length;
		for (size_t a = 0; a < n; a++)
			mean[a] += s->calls[i * sites + chosen[a]];
	}
	for (size_t i = 0; i < s->spans; i++) {
		double length = s->span[i].length;
		double weight = time / (double)s->spans / length;

		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++)
				product[a * n + b] +=
					weight *
					(s->calls[i * sites + chosen[a]] -
					 mean[a] / time * length) *
					(s->calls[i * sites + chosen[b]] - mean[b] / time * length);
	}
	return (double)s->spans;
}

static double mean_calls(const struct fit *f, size_t k)
{
	double sum = 0, spans = 0;

	for (size_t s = 0; s < f->count; s++) {
		spans += (double)f->series[s].spans;
		for (size_t i = 0; i < f->series[s].spans; i++)
			sum += f->series[s].calls[i * f->sites + k];
	}
	return spans > 0 ? sum / spans : 0;
}

/* Chooses the sites of the regression and their columns. */
static void choose(struct fit *f, struct site_costs *out, struct site_costs_site *site)
{
	double product[SITE_COSTS_MOST * SITE_COSTS_MOST] = {0};
	double room[2 * SITE_COSTS_MOST * SITE_COSTS_MOST], inflation[SITE_COSTS_MOST], spans = 0;
	size_t chosen[SITE_COSTS_MOST], group[SITE_COSTS_MOST], n = 0;
	bool steady[SITE_COSTS_MOST];
	size_t most = out->spans / SPANS_A_COLUMN;

	for (size_t k = 0; k < f->sites; k++) {
		bool rare = out->spans >= SITE_COSTS_SPANS && active(f, k) < SITE_COSTS_ACTIVE;

		site[k].state = rare ? SITE_COSTS_RARE : SITE_COSTS_FEW;
		if (!rare && n < SITE_COSTS_MOST && out->spans >= SITE_COSTS_SPANS && n + 1 < most)
			chosen[n++] = k;
	}
	for (size_t s = 0; s < f->count && n; s++)
		spans += add_products(&f->series[s], f->sites, chosen, n, product);
	for (size_t a = 0; a < n; a++)
		steady[a] = sqrt(product[a * n + a] / spans) < STEADY_DEVIATION &&
			    mean_calls(f, chosen[a]) > STEADY_CALLS;
	if (n)
		collinearity_find(product, n, spans, steady, group, inflation, room);
	f->columns = 1;
	for (size_t a = 0; a < n; a++) {
		struct site_costs_site *s = &site[chosen[a]];

		s->state = steady[a] ? SITE_COSTS_STEADY : SITE_COSTS_OK;
		s->group = chosen[group[a]];
		s->inflation = inflation[a];
		if (steady[a])
			continue;
		f->column[chosen[a]] = group[a] == a ? f->columns++ : f->column[chosen[group[a]]];
	}
	out->coefficients = f->columns - 1;
}

static int take_room(struct fit *f)
{
	size_t most = 0;

	for (size_t s = 0; s < f->count; s++) {
		f->whens += f->series[s].spans;
		most = f->series[s].spans > most ? f->series[s].spans : most;
	}
	f->waves = (size_t)(0.4 * pow((double)(most > 8 ? most : 8), 2.0 / 3));
	f->when = malloc((f->whens + 1) * sizeof(*f->when));
	for (size_t k = 0; k < SITE_COSTS_KINDS; k++)
		f->wave[k] = calloc(f->waves * COLUMNS, sizeof(*f->wave[k]));
	if (!f->when || !f->wave[0] || !f->wave[1])
		return -1;
	f->whens = 0;
	for (size_t s = 0; s < f->count; s++)
		for (size_t i = 0; i < f->series[s].spans; i++)
			f->when[f->whens++] =
				(f->series[s].span[i].from + f->series[s].span[i].to) / 2;
	if (f->whens)
		gsl_sort(f->when, 1, f->whens);
	return 0;
}

static void fit_all(struct fit *f, struct displacement_value (*cost)[COLUMNS],
		    struct displacement_value switching)
{
	struct displacement_value rest[COLUMNS];
	struct normal n;

	for (size_t a = 0; a < f->columns; a++)
		rest[a] = (struct displacement_value){0, 0, 1};
	for (const struct site_costs_series *series = f->series; series < f->series + f->count;
	     series++) {
		solve(f, series, &n);
		for (size_t a = 0; a < f->columns; a++) {
			for (size_t kind = 0; kind < SITE_COSTS_KINDS; kind++)
				f->value[kind][a] += n.solution[kind][a];
			f->switched[a] += n.solution[RIGHT_SWITCHES][a];
			displacement_add_error(&rest[a],
					       n.solution[RIGHT_CHARGED][a] * series->rest.error,
					       series->rest.freedom);
		}
		for (size_t i = 0; i < series->spans; i++)
			add_influence(f, series, i, &n);
	}
	for (size_t kind = 0; kind < SITE_COSTS_KINDS; kind++)
		for (size_t a = 0; a < f->columns; a++) {
			cost[kind][a] = value_of(f, kind, a);
			displacement_add_error(&cost[kind][a], rest[a].error, rest[a].freedom);
			if (kind == SITE_COSTS_UNCHARGED)
				displacement_add_error(&cost[kind][a],
						       f->switched[a] * switching.error,
						       switching.freedom);
		}
}

int site_costs_fit(const struct site_costs_series *series, size_t count, size_t sites,
		   struct displacement_value switching, struct site_costs *out,
		   struct site_costs_site *site)
{
	struct displacement_value cost[SITE_COSTS_KINDS][COLUMNS];
	struct fit f = {.series = series, .count = count, .sites = sites};

	*out = (struct site_costs){.intercept = {unknown, unknown}};
	out->spans = count ? SIZE_MAX : 0;
	for (size_t s = 0; s < count; s++)
		if (series[s].spans < out->spans)
			out->spans = series[s].spans;
	for (size_t k = 0; k < sites; k++)
		site[k] = (struct site_costs_site){SITE_COSTS_FEW, k, 1, {unknown, unknown}};
	int result = take_room(&f);
	if (!result) {
		choose(&f, out, site);
		if (out->coefficients)
			fit_all(&f, cost, switching);
		for (size_t kind = 0; kind < SITE_COSTS_KINDS && out->coefficients; kind++) {
			out->intercept[kind] = cost[kind][0];
			for (size_t k = 0; k < sites; k++)
				if (f.column[k])
					site[k].cost[kind] = cost[kind][f.column[k]];
		}
	}
	free(f.when);
	free(f.wave[0]);
	free(f.wave[1]);
	return result;
}

double site_costs_p(struct displacement_value cost)
{
	if (!isfinite(cost.value) || !isfinite(cost.error) || !(cost.error > 0))
		return NAN;
	return 2 * distributions_t_upper(fabs(cost.value) / cost.error, cost.freedom);
}

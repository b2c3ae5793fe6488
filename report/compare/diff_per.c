// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls and time for each unit of work: each call of a function that the user names, such as one
 * that takes a request. Runs of different length compare so. */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "stats/numerics/distributions.h"

/* Logarithms of one side's runs. */
struct side {
	double mean, squares; /* squares of what the runs differ by */
	uint32_t runs;
	double least; /* the smallest relative variance that counts of calls have */
};

struct source {
	const struct diff *diff;
	const struct diff_site *site; /* its calls; NULL: the time in all calls that work */
};

static double amount_of(const struct source *f, uint32_t run)
{
	const struct diff *d = f->diff;
	double sum = 0;

	if (f->site)
		return (double)f->site->run[run].calls;
	for (uint32_t i = 0; i < d->sites; i++)
		sum += d->site[i].waiting ? 0 : d->site[i].run[run].total_ns;
	return fmax(sum - d->nested_ns[run], 0);
}

static struct side side_of(const struct source *f, int side)
{
	const struct diff *d = f->diff;
	uint32_t first = diff_first_run(d, side), end = diff_end_run(d, side);
	struct side s = {.runs = end - first};

	for (uint32_t i = first; i < end; i++) {
		double amount = amount_of(f, i), x = log(amount / d->per.units[i]);
		double before = s.mean;

		s.mean += (x - s.mean) / (i - first + 1);
		s.squares += (x - before) * (x - s.mean);
		s.least += f->site ? 1 / amount : 0;
	}
	s.least /= s.runs;
	return s;
}

/* Student's t on the logarithms, with one variance for both sides: never less than that of counts
 * of independent calls. */
static void compare_sides(const struct source *f, struct diff_test *t)
{
	const struct diff *d = f->diff;
	struct side base = side_of(f, DIFF_BASE), new = side_of(f, DIFF_NEW);
	double freedom = base.runs + new.runs - 2.0, variance, beyond, quantile;
	double margin = log1p(d->options.min_change);

	*t = (struct diff_test){.p = NAN, .low = NAN, .high = NAN};
	t->ratio = exp(new.mean - base.mean);
	if (!(freedom >= 1) || !isfinite(t->ratio))
		return;
	variance = fmax((base.squares + new.squares) / freedom, (base.least + new.least) / 2);
	t->error = sqrt(variance * (1.0 / base.runs + 1.0 / new.runs));
	t->freedom = freedom;
	beyond = fabs(new.mean - base.mean) - margin;
	t->p = t->error > 0 ? compare_effect_p(new.mean - base.mean, t->error, freedom, margin)
	       : beyond > 0 ? 0
			    : 1;
	quantile = distributions_t_quantile(0.5 + d->options.confidence / 2, freedom);
	t->low = exp(new.mean - base.mean - quantile * t->error);
	t->high = exp(new.mean - base.mean + quantile * t->error);
}

/* A site on both sides, of enough calls. */
static bool has_rate(const struct diff *d, const struct diff_site *s)
{
	for (uint32_t i = 0; i < d->profiles; i++)
		if (s->run[i].calls < DIFF_LEAST_CALLS)
			return false;
	return true;
}

/* Their own family of tests. -1: out of memory. */
static int judge_rates(struct diff *d)
{
	double *q = calloc((size_t)d->sites + 1, sizeof(*q));
	int status;

	for (uint32_t i = 0; q && i < d->sites; i++)
		q[i] = d->site[i].rate.p;
	status = q ? distributions_q_values(q, d->sites) : -1;
	for (uint32_t i = 0; i < d->sites && !status; i++) {
		struct diff_rate *r = &d->site[i].rate;

		r->q = q[i];
		r->changed = q[i] <= 1 - d->options.confidence;
		d->more += r->changed && r->ratio > 1;
		d->fewer += r->changed && r->ratio < 1;
	}
	free(q);
	return status;
}

static void fill_rate(struct diff *d, struct diff_site *s)
{
	struct source source = {d, s};
	struct diff_test t = {.ratio = NAN, .low = NAN, .high = NAN, .p = NAN};

	if (has_rate(d, s))
		compare_sides(&source, &t);
	s->rate = (struct diff_rate){{0}, t.ratio, t.low, t.high, t.p, NAN, false};
	for (int side = 0; side < DIFF_SIDES; side++)
		s->rate.calls[side] = s->side[side].calls / d->per.side[side].units;
}

static void count_units(struct diff *d, const char *symbol, size_t length)
{
	struct diff_per *per = &d->per;

	for (const struct diff_site *s = d->site; s < d->site + d->sites; s++) {
		if (strlen(s->symbol) != length || strncmp(s->symbol, symbol, length) ||
		    strcmp(s->outcome, per->outcome) != 0)
			continue;
		per->symbol = s->symbol;
		for (uint32_t k = 0; k < d->profiles; k++)
			per->units[k] += (double)s->run[k].calls;
	}
}

/* Some in each run. */
static bool check_units(const struct diff *d, struct profile_error *why)
{
	uint32_t i = 0;

	while (i < d->profiles && d->per.units[i] > 0)
		i++;
	if (i < d->profiles)
		error_set(why,
			  "--per %.200s: no such call in %s. Name a function that both sides call "
			  "for each unit of work, as the rows do: recv, or recv@error",
			  d->options.per,
			  d->profile[i]->processes ? d->profile[i]->process[0].file : "a profile");
	return i == d->profiles;
}

static void average(struct diff *d)
{
	struct diff_per *per = &d->per;
	struct source all = {d, NULL};

	for (int side = 0; side < DIFF_SIDES; side++) {
		uint32_t first = diff_first_run(d, side), end = diff_end_run(d, side);
		struct diff_side *to = &per->side[side];

		for (uint32_t i = first; i < end; i++)
			to->units += per->units[i] / (end - first);
		to->calls = d->side[side].calls / to->units;
		to->ns = d->side[side].total_ns / to->units;
	}
	compare_sides(&all, &per->time);
	per->changed = per->time.p <= 1 - d->options.confidence;
	if (isnan(per->time.low)) /* one run a side */
		per->time.ratio = per->side[DIFF_NEW].ns / per->side[DIFF_BASE].ns;
}

int diff_per_fill(struct diff *d, struct profile_error *why)
{
	const char *of = d->options.per, *at = of ? strchr(of, '@') : NULL;

	for (uint32_t i = 0; i < d->sites; i++)
		d->site[i].rate = (struct diff_rate){{NAN, NAN}, NAN, NAN, NAN, NAN, NAN, false};
	if (!of)
		return 0;
	d->per.units = calloc(d->profiles, sizeof(*d->per.units));
	if (!d->per.units)
		return -1;
	d->per.outcome = at ? at + 1 : "completed";
	count_units(d, of, at ? (size_t)(at - of) : strlen(of));
	if (!check_units(d, why))
		return -1;
	average(d);
	for (uint32_t i = 0; i < d->sites; i++)
		fill_rate(d, &d->site[i]);
	return judge_rates(d);
}

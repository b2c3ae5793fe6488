// SPDX-License-Identifier: GPL-3.0-or-later
/* One run a side. How much two runs of the same program differ cannot be known from one of each;
 * but the other sites of the same function show much of it: what they share comes from the machine
 * (or the whole program), and their scatter around it is the variation of a site that did not
 * change. A site is tested against both, as a new value of a random-effects model (Higgins,
 * Thompson and Spiegelhalter 2009), the model being fitted without it. Its values have to be
 * exchangeable: a socket's calls say nothing of how far opening files differs from run to run. And
 * against what machines do at worst, for changes so large that no neighbour explains them. */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "stats/compare/between_runs.h"
#include "stats/numerics/distributions.h"

/* Other sites that are needed. */
#define LEAST_OTHERS 3
/* Sites whose own ratio has a larger error are not used for the others. */
#define SURE 0.25
/* More sites add no precision. */
#define MOST_REFERENCES 500
/* Weight of a test: its part of the site's error probability. */
#define WEIGHT_OWN   0.45
#define WEIGHT_TOTAL 0.05

/* Sites that belong together: those of one function and outcome; all functions that compute. */
struct kind {
	const uint32_t *site;
	uint32_t count;
};

struct sorted {
	double y, v;
	uint32_t site;
};

/* Sites of one kind, as logarithms of ratios. */
struct references {
	double *y, *v;
	struct sorted *sorted;
	uint32_t n;
	struct between_runs_effects all;
};

ARRAY_COMPARE(by_variance, struct sorted, PROF_ORDER(a, b, v, site))

static double relative(const struct compare_mean *m)
{
	return m->mean > 0 ? m->error / m->mean : INFINITY;
}

static bool is_in_both(const struct diff_site *s)
{
	return s->run[0].calls && s->run[1].calls;
}

static uint32_t collect(const struct diff *d, enum diff_view view, const struct kind *k,
			struct sorted *found)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->count; i++) {
		const struct diff_site *s = &d->site[k->site[i]];
		struct compare_mean base = diff_estimate(&s->run[0], view);
		struct compare_mean new = diff_estimate(&s->run[1], view);
		double a = relative(&base), b = relative(&new);

		if (!is_in_both(s) || diff_estimate_hindrance(d, s, view) || !(a <= SURE) ||
		    !(b <= SURE) || !(a > 0 || b > 0))
			continue;
		found[n++] = (struct sorted){log(new.mean / base.mean), a * a + b * b, k->site[i]};
	}
	ARRAY_SORT(found, n, by_variance);
	return n < MOST_REFERENCES ? n : MOST_REFERENCES;
}

static int find_references(const struct diff *d, enum diff_view view, const struct kind *k,
			   struct references *r)
{
	*r = (struct references){.sorted = calloc(k->count + 1, sizeof(*r->sorted))};
	if (!r->sorted)
		return -1;
	r->n = collect(d, view, k, r->sorted);
	r->y = calloc(r->n + 1, sizeof(*r->y));
	r->v = calloc(r->n + 1, sizeof(*r->v));
	if (!r->y || !r->v)
		return -1;
	for (uint32_t i = 0; i < r->n; i++) {
		r->y[i] = r->sorted[i].y;
		r->v[i] = r->sorted[i].v;
	}
	r->all = between_runs_effects(r->y, r->v, r->n, r->n);
	return 0;
}

static struct between_runs_effects without(const struct references *r, uint32_t site)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->sorted[i].site == site)
			return between_runs_effects(r->y, r->v, r->n, i);
	return r->all;
}

static void test_ratio(const struct diff *d, const struct diff_site *s, enum diff_view view,
		       const struct compare_null *null, struct diff_test *t)
{
	const struct diff_run *b = &s->run[0], *n = &s->run[1];
	struct compare_mean base = diff_estimate(b, view), new = diff_estimate(n, view);
	double confidence = d->options.confidence, u = relative(&base), v = relative(&new);

	t->made = true;
	t->ratio = base.mean > 0 ? fmax(new.mean, 0) / base.mean : INFINITY;
	t->error = sqrt(u * u + v * v + null->between);
	t->freedom = fmin(null->freedom, fmin(base.freedom, new.freedom));
	if (view == DIFF_MEAN && (b->few || n->few)) {
		t->p = compare_counts_p(&b->count, &n->count, null);
		compare_counts_limits(&b->count, &n->count, null, confidence, &t->low, &t->high);
	} else {
		t->p = compare_ratio_p(&base, &new, null);
		compare_ratio_limits(&base, &new, null, confidence, &t->low, &t->high);
	}
}

static void test_own(const struct diff *d, const struct diff_site *s, enum diff_view view,
		     const struct references *r, uint32_t site, struct diff_test *t)
{
	struct between_runs_effects e = without(r, site);
	double margin = diff_estimate_margin(d, s, view), common = exp(e.centre);
	double stay = diff_estimate_may_stay(s, view) ? 0 : e.centre;

	if (e.n < LEAST_OTHERS)
		return;
	struct compare_null null = {.low = exp(fmin(e.centre, stay) - margin),
				    .high = exp(fmax(e.centre, stay) + margin),
				    .between = e.variance + e.centre_variance,
				    .freedom = (double)e.n - 1};
	test_ratio(d, s, view, &null, t);
	t->margin = margin + fabs(e.centre - stay);
	t->weight = WEIGHT_OWN;
	t->relative = fabs(e.centre) >
		      distributions_t_quantile(0.5 + d->options.confidence / 2, (double)e.n - 1) *
			      sqrt(e.centre_variance);
	t->ratio /= common;
	t->low /= common;
	t->high /= common;
}

/* A processor that is shared with a neighbour slows the quickest calls by less than the
 * average ones: where those did not move as far too, it was not the program. */
static bool quick_agrees(const struct diff_site *s, double run_to_run, double ratio)
{
	double quick = s->run[1].quick_ns / s->run[0].quick_ns;

	if (!(s->run[0].quick_ns > 0) || !(s->run[1].quick_ns > 0))
		return false;
	return ratio > 1 ? quick > 1 + run_to_run : quick < 1 / (1 + run_to_run);
}

static void test_total(const struct diff *d, const struct diff_site *s, enum diff_view view,
		       struct diff_test *t)
{
	double most = 1 + d->options.run_to_run;
	bool known = isfinite(s->run[0].quick_ns) && isfinite(s->run[1].quick_ns);
	struct compare_null null = {0, 0, 0, INFINITY};

	/* Clocks too slow to time the fastest calls get twice the margin. */
	if (!known)
		most *= most;
	null.low = 1 / most;
	null.high = most;
	test_ratio(d, s, view, &null, t);
	t->margin = log(most);
	t->weight = WEIGHT_TOTAL;
	if (known && !quick_agrees(s, d->options.run_to_run, t->ratio)) {
		t->p = 1;
		/* A machine did that much here. */
		t->margin = fmax(t->margin, fabs(log(t->ratio)));
	}
}

static int test_function(struct diff *d, enum diff_view view, const struct kind *k)
{
	struct references r;
	int status = find_references(d, view, k, &r);

	for (uint32_t i = 0; i < k->count && !status; i++) {
		struct diff_site *s = &d->site[k->site[i]];

		if (!is_in_both(s) || diff_estimate_hindrance(d, s, view))
			continue;
		test_own(d, s, view, &r, k->site[i], &s->test[view][DIFF_OWN]);
		test_total(d, s, view, &s->test[view][DIFF_TOTAL]);
	}
	PROF_FREE(&r, y, v, sorted);
	return status;
}

ARRAY_COMPARE_AT(by_function, struct diff_site,
		 ARRAY_ORDER(a->waiting, b->waiting)
			 ?: strcmp(a->symbol, b->symbol) ?: strcmp(a->outcome, b->outcome))

/* The sites from order[from] on that are of its function. */
static struct kind kind_at(const struct diff *d, const uint32_t *order, uint32_t from)
{
	uint32_t end = from + 1;

	while (end < d->sites && (d->samples || !by_function(&order[from], &order[end], d->site)))
		end++;
	return (struct kind){order + from, end - from};
}

static int test_functions(struct diff *d, const uint32_t *order)
{
	struct kind k;

	for (uint32_t i = 0; i < d->sites; i += k.count) {
		k = kind_at(d, order, i);
		for (int view = 0; view < DIFF_VIEWS; view++)
			if (test_function(d, (enum diff_view)view, &k))
				return -1;
	}
	return 0;
}

int diff_pair_test(struct diff *d)
{
	uint32_t *order = array_order(d->sites, by_function, d->site);
	int status = order ? test_functions(d, order) : -1;

	free(order);
	return status;
}

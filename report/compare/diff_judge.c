// SPDX-License-Identifier: GPL-3.0-or-later
/* From the tests of each site to its verdict, with false alarms controlled over a quantity's tests
 * (Bonferroni, weighted) and over both quantities of all sites (Benjamini and Hochberg 1995).
 * Elapsed time contains the CPU time: their tests depend on each other positively, for which that
 * holds (Benjamini and Yekutieli 2001). */
#include "report/compare/diff.h"
#include "stats/numerics/distributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* "would have been seen": with this probability (the power of the test). */
#define POWER 0.95
/* A site where not even a change by this factor would have been seen is not compared. */
#define TELLING 10

#define TESTS (DIFF_VIEWS * DIFF_AGAINSTS)

static struct diff_test *test_of(struct diff_site *s, int number)
{
	return &s->test[number / DIFF_AGAINSTS][number % DIFF_AGAINSTS];
}

static bool is_made(struct diff_site *s, enum diff_quantity of, int number)
{
	return diff_estimate_quantity((enum diff_view)(number / DIFF_AGAINSTS)) == of &&
	       test_of(s, number)->made;
}

static void choose(struct diff_finding *f, int number)
{
	f->view = (enum diff_view)(number / DIFF_AGAINSTS);
	f->against = (enum diff_against)(number % DIFF_AGAINSTS);
}

/* The p value of a quantity's tests together, and the test with the smallest one. */
static void combine(struct diff_site *s, enum diff_quantity of)
{
	struct diff_finding *f = &s->found[of];
	double sum = 0;

	for (int i = 0; i < TESTS; i++)
		sum += is_made(s, of, i) ? test_of(s, i)->weight : 0;
	f->p = NAN;
	for (int i = 0; i < TESTS; i++) {
		struct diff_test *t = test_of(s, i);

		if (!is_made(s, of, i))
			continue;
		t->weight /= sum;
		double p = fmin(1, t->p / t->weight);
		if (isnan(f->p) || p < f->p) {
			f->p = p;
			choose(f, i);
		}
	}
}

/* One family: all quantities of all sites. */
static int find_q(struct diff *d)
{
	size_t n = (size_t)d->sites * DIFF_QUANTITIES;
	double *q = calloc(n + 1, sizeof(*q));
	int status;

	for (size_t i = 0; q && i < n; i++)
		q[i] = d->site[i / DIFF_QUANTITIES].found[i % DIFF_QUANTITIES].p;
	status = q ? distributions_q_values(q, n) : -1;
	for (size_t i = 0; i < n && !status; i++)
		d->site[i / DIFF_QUANTITIES].found[i % DIFF_QUANTITIES].q = q[i];
	free(q);
	return status;
}

static void find_detectable(const struct diff *d, struct diff_site *s, double tests)
{
	for (int i = 0; i < TESTS; i++) {
		struct diff_test *t = test_of(s, i);

		if (t->made)
			t->detectable = exp(compare_detectable(t->error, t->freedom, t->margin,
							       tests / t->weight,
							       d->options.confidence, POWER));
	}
}

/* Where no change was seen: the most sensitive test. */
static void choose_sharpest(struct diff_site *s, enum diff_quantity of)
{
	double least = INFINITY;

	for (int i = 0; i < TESTS; i++)
		if (is_made(s, of, i) && test_of(s, i)->detectable < least) {
			least = test_of(s, i)->detectable;
			choose(&s->found[of], i);
		}
}

static const char *too_few(const struct diff *d, const struct diff_site *s, enum diff_quantity of)
{
	bool calls = false;

	for (const struct diff_run *r = s->run; r < s->run + d->profiles; r++) {
		double n = of == DIFF_CPU_TIME ? r->unswitched_calls : (double)r->calls;

		if (r->few)
			return DIFF_FEW_TICKS;
		if (r->calls && !(n > 0))
			return DIFF_SWITCHED;
		calls = calls || n < DIFF_LEAST_CALLS;
	}
	return calls || d->profiles == 2 ? DIFF_FEW_CALLS : DIFF_UNLIKE;
}

static void judge_quantity(const struct diff *d, struct diff_site *s, enum diff_quantity of)
{
	struct diff_finding *f = &s->found[of];
	const struct diff_test *t;
	const char *why =
		diff_estimate_hindrance(d, s, of == DIFF_ELAPSED ? DIFF_MEAN : DIFF_UNSWITCHED);

	if (isnan(f->p)) {
		f->status = DIFF_UNTESTED;
		f->reason = why ? why : too_few(d, s, of);
		return;
	}
	if (f->q > 1 - d->options.confidence) {
		choose_sharpest(s, of);
		f->status = DIFF_SAME;
		t = &s->test[f->view][f->against];
		if (!(t->detectable < TELLING * exp(t->margin))) {
			f->status = DIFF_UNTESTED;
			f->reason = too_few(d, s, of);
		}
	} else {
		f->status = s->test[f->view][f->against].ratio > 1 ? DIFF_SLOWER : DIFF_FASTER;
	}
	f->shown = s->test[f->view][f->against];
}

/* Elapsed time is what users wait for: it decides where it changed. Where nothing did, what would
 * have shown the smaller change. */
static const struct diff_finding *decide(const struct diff_site *s)
{
	const struct diff_finding *elapsed = &s->found[DIFF_ELAPSED],
				  *cpu = &s->found[DIFF_CPU_TIME];

	if (diff_is_changed(elapsed) || cpu->status == DIFF_UNTESTED)
		return elapsed;
	if (diff_is_changed(cpu) || elapsed->status == DIFF_UNTESTED)
		return cpu;
	return cpu->shown.detectable < elapsed->shown.detectable ? cpu : elapsed;
}

static void judge_site(struct diff *d, struct diff_site *s, double tests)
{
	if (!s->side[DIFF_BASE].calls || !s->side[DIFF_NEW].calls) {
		for (int of = 0; of < DIFF_QUANTITIES; of++)
			s->found[of].status =
				s->side[DIFF_BASE].calls ? DIFF_ONLY_BASE : DIFF_ONLY_NEW;
		s->verdict = s->found[DIFF_ELAPSED];
		return;
	}
	find_detectable(d, s, tests);
	for (int of = 0; of < DIFF_QUANTITIES; of++)
		judge_quantity(d, s, (enum diff_quantity)of);
	s->verdict = *decide(s);
}

/* ---- sites that came or went. Rare paths differ between equal runs: a site counts as gone where
 * it made many calls in every run of its side, an appreciable share of all, and none in any run of
 * the other; and where its function did not only move to other paths. ---- */

/* The share of a side's calls, or of its time in calls that work, below which a site is rare; so it
 * is with fewer calls in a run than diff_pair_calls. */
#define LEAST_SHARE 0.01
/* Of its side's time in calls that work: what is seldom called may have most of it. */
#define MUCH 0.05
/* Calls of the function on new paths, of those on paths that went, that make them the same. */
#define MOVED 0.5

/* The one-sided sites of a function: neighbours when sorted. */
struct one_sided {
	struct diff_site *site;
	double calls;
	bool new;
};

static bool is_frequent(const struct diff *d, const struct diff_site *s)
{
	int side = s->verdict.status == DIFF_ONLY_NEW ? DIFF_NEW : DIFF_BASE;
	const struct diff_side *of = &s->side[side], *all = &d->side[side];

	for (uint32_t i = diff_first_run(d, side); i < diff_end_run(d, side); i++)
		if (s->run[i].calls < diff_pair_calls(d))
			return false;
	return of->calls >= LEAST_SHARE * all->calls ||
	       (!s->waiting && of->total_ns >= LEAST_SHARE * all->total_ns);
}

static bool is_much(const struct diff *d, const struct one_sided *one)
{
	int side = one->new ? DIFF_NEW : DIFF_BASE;
	double ns = one->site->side[side].total_ns;

	return !d->samples && !one->site->waiting && ns > 0 && ns >= MUCH * d->side[side].total_ns;
}

/* Did one side not record its function's group (-g)? Then nothing is known of it there. */
static bool is_unrecorded(const struct diff *d, const struct one_sided *one)
{
	const struct profile *p = d->profile[one->site->profile];
	uint32_t own = 0, other = UINT32_MAX;

	if (d->samples)
		return false;
	for (uint32_t i = 0; i < d->profiles; i++) {
		if ((i >= d->bases) == one->new)
			own |= d->profile[i]->groups;
		else
			other &= d->profile[i]->groups;
	}
	return p->function[p->entry[one->site->entry].function].group & own & ~other;
}

ARRAY_COMPARE(by_function, struct one_sided,
	      strcmp(a->site->symbol, b->site->symbol)
		      ?: strcmp(a->site->library, b->site->library))

static void judge_function(struct diff *d, struct one_sided *one, uint32_t count)
{
	double calls[2] = {0, 0};

	for (uint32_t i = 0; i < count; i++)
		calls[one[i].new] += one[i].calls;
	for (uint32_t i = 0; i < count; i++) {
		struct diff_site *s = one[i].site;
		bool moved = calls[!one[i].new] >= MOVED * calls[one[i].new];

		bool sure =
			d->samples ? s->verdict.q <= 1 - d->options.confidence : is_frequent(d, s);

		bool known = !is_unrecorded(d, &one[i]);

		s->counts = known && (d->options.sides == DIFF_SIDES_ALL ||
				      (d->options.sides == DIFF_SIDES_FREQUENT && !moved && sure));
		s->much = known && !moved && is_much(d, &one[i]);
		d->gone += s->counts && !one[i].new;
		d->came += s->counts && one[i].new;
	}
}

static int judge_sides(struct diff *d)
{
	struct one_sided *one = calloc((size_t)d->only_base + d->only_new + 1, sizeof(*one));
	uint32_t count = 0, end;

	if (!one)
		return -1;
	for (struct diff_site *s = d->site; s < d->site + d->sites; s++) {
		bool new = s->verdict.status == DIFF_ONLY_NEW;

		if (new || s->verdict.status == DIFF_ONLY_BASE)
			one[count++] = (struct one_sided){s, s->side[new].calls, new};
	}
	ARRAY_SORT(one, count, by_function);
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && !by_function(&one[i], &one[end]);)
			end++;
		judge_function(d, one + i, end - i);
	}
	free(one);
	return 0;
}

/* ---- all sites ---- */

/* What is a change, and what came or went as one. */
static unsigned rank(const struct diff_site *s)
{
	return diff_is_changed(&s->verdict) || s->rate.changed ? 0 : s->counts ? 1 : 2;
}

/* Changed sites first, then those that came or went; then all others, by effect. */
ARRAY_COMPARE(by_effect, struct diff_site,
	      ARRAY_ORDER(rank(a), rank(b))
		      ?: ARRAY_ORDER(fabs(b->effect_ns), fabs(a->effect_ns))
		      ?: strcmp(a->symbol, b->symbol) ?: ARRAY_ORDER(a->run, b->run))

int diff_judge(struct diff *d)
{
	uint32_t *count[] = {[DIFF_SLOWER] = &d->slower,       [DIFF_FASTER] = &d->faster,
			     [DIFF_SAME] = &d->same,	       [DIFF_UNTESTED] = &d->untested,
			     [DIFF_ONLY_BASE] = &d->only_base, [DIFF_ONLY_NEW] = &d->only_new};
	double tests = 0;

	for (uint32_t i = 0; i < d->sites; i++) {
		for (int of = 0; of < DIFF_QUANTITIES; of++) {
			combine(&d->site[i], (enum diff_quantity)of);
			tests += !isnan(d->site[i].found[of].p);
		}
	}
	if (find_q(d) < 0)
		return -1;
	for (uint32_t i = 0; i < d->sites; i++) {
		judge_site(d, &d->site[i], tests);
		(*count[d->site[i].verdict.status])++;
	}
	if (judge_sides(d) < 0)
		return -1;
	ARRAY_SORT(d->site, d->sites, by_effect);
	/* What came and went is no change of two different programs. */
	if (d->slower + d->faster + d->more + d->fewer + d->per.changed ||
	    (d->gone + d->came && (d->same + d->untested || d->options.sides == DIFF_SIDES_ALL)))
		d->status = 1;
	else
		d->status = d->same ? 0 : 2;
	return 0;
}

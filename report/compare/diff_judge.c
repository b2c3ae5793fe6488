// SPDX-License-Identifier: GPL-3.0-or-later
/* From the tests of each site to its verdict, with false alarms controlled over its tests
 * (Bonferroni, weighted) and over all sites (Benjamini and Hochberg 1995). */
#include "report/compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "would have been seen": with this probability (the power of the test). */
#define POWER 0.95
/* Where not even a change by this factor would have been seen, the site is not compared. */
#define TELLING 10

static double total_weight(const struct diff_site *s)
{
	double sum = 0;

	for (int v = 0; v < DIFF_VIEWS; v++)
		for (int a = 0; a < DIFF_AGAINSTS; a++)
			if (s->test[v][a].made)
				sum += s->test[v][a].weight;
	return sum;
}

/* The p value of all tests of a site together, and the test with the smallest one. */
static void combine(struct diff_site *s)
{
	double sum = total_weight(s);

	s->p = NAN;
	for (int v = 0; v < DIFF_VIEWS; v++) {
		for (int a = 0; a < DIFF_AGAINSTS; a++) {
			struct diff_test *t = &s->test[v][a];
			double p;

			if (!t->made)
				continue;
			t->weight /= sum;
			p = fmin(1, t->p / t->weight);
			if (isnan(s->p) || p < s->p) {
				s->p = p;
				s->view = (enum diff_view)v;
				s->against = (enum diff_against)a;
			}
		}
	}
}

static int find_q(struct diff *d)
{
	double *p = calloc(d->sites + 1, sizeof(*p)), *q = calloc(d->sites + 1, sizeof(*q));
	size_t *order = calloc(d->sites + 1, sizeof(*order));
	int status = p && q && order ? 0 : -1;

	for (uint32_t i = 0; i < d->sites && !status; i++)
		p[i] = d->site[i].p;
	if (!status)
		compare_q_values(p, q, d->sites, order);
	for (uint32_t i = 0; i < d->sites && !status; i++)
		d->site[i].q = q[i];
	free(p);
	free(q);
	free(order);
	return status;
}

static void find_detectable(const struct diff *d, struct diff_site *s, double tests)
{
	for (int v = 0; v < DIFF_VIEWS; v++) {
		for (int a = 0; a < DIFF_AGAINSTS; a++) {
			struct diff_test *t = &s->test[v][a];

			if (t->made)
				t->detectable = exp(compare_detectable(
					t->error, t->freedom, t->margin, tests / t->weight,
					d->options.confidence, POWER));
		}
	}
}

/* Where no change was seen: the most sensitive test. */
static void choose_sharpest(struct diff_site *s)
{
	double least = INFINITY;

	for (int v = 0; v < DIFF_VIEWS; v++) {
		for (int a = 0; a < DIFF_AGAINSTS; a++) {
			const struct diff_test *t = &s->test[v][a];

			if (t->made && t->detectable < least) {
				least = t->detectable;
				s->view = (enum diff_view)v;
				s->against = (enum diff_against)a;
			}
		}
	}
}

static const char *too_few(const struct diff *d, const struct diff_site *s)
{
	bool calls = false;

	for (uint32_t i = 0; i < d->profiles; i++) {
		if (s->run[i].few)
			return DIFF_FEW_TICKS;
		calls = calls || s->run[i].calls < DIFF_LEAST_CALLS;
	}
	return calls || d->profiles == 2 ? DIFF_FEW_CALLS : DIFF_UNLIKE;
}

static void judge_site(struct diff *d, struct diff_site *s, double tests)
{
	const char *mean;

	if (!s->base_calls || !s->new_calls) {
		s->status = s->base_calls ? DIFF_ONLY_BASE : DIFF_ONLY_NEW;
		return;
	}
	if (isnan(s->p)) {
		mean = diff_estimate_hindrance(d, s, DIFF_MEAN);
		s->status = DIFF_UNTESTED;
		s->reason = mean ? mean : too_few(d, s);
		return;
	}
	find_detectable(d, s, tests);
	if (s->q > 1 - d->options.confidence) {
		choose_sharpest(s);
		s->status = DIFF_SAME;
		if (!(s->test[s->view][s->against].detectable < TELLING)) {
			s->status = DIFF_UNTESTED;
			s->reason = too_few(d, s);
		}
	} else {
		s->status = s->test[s->view][s->against].ratio > 1 ? DIFF_SLOWER : DIFF_FASTER;
	}
	s->shown = s->test[s->view][s->against];
}

static void count(struct diff *d, const struct diff_site *s)
{
	uint32_t *of[] = {[DIFF_SLOWER] = &d->slower,	    [DIFF_FASTER] = &d->faster,
			  [DIFF_SAME] = &d->same,	    [DIFF_UNTESTED] = &d->untested,
			  [DIFF_ONLY_BASE] = &d->only_base, [DIFF_ONLY_NEW] = &d->only_new};

	(*of[s->status])++;
}

/* Changed sites first; then all others, sites of one side only included, by effect. */
static int by_effect(const void *left, const void *right)
{
	const struct diff_site *a = left, *b = right;
	bool changed_a = a->status <= DIFF_FASTER, changed_b = b->status <= DIFF_FASTER;
	double x = fabs(a->effect_ns), y = fabs(b->effect_ns);
	int c;

	if (changed_a != changed_b)
		return changed_a ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	c = strcmp(a->symbol, b->symbol);
	return c ? c : (a->run > b->run) - (a->run < b->run);
}

int diff_judge(struct diff *d)
{
	double tests = 0;

	for (uint32_t i = 0; i < d->sites; i++) {
		combine(&d->site[i]);
		tests += !isnan(d->site[i].p);
	}
	if (find_q(d) < 0)
		return -1;
	for (uint32_t i = 0; i < d->sites; i++) {
		judge_site(d, &d->site[i], tests);
		count(d, &d->site[i]);
	}
	qsort(d->site, d->sites, sizeof(*d->site), by_effect);
	if (d->slower + d->faster || (d->options.strict_sites && d->only_base + d->only_new))
		d->status = 1;
	else
		d->status = d->same ? 0 : 2;
	return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Fixed ticks, phase U uniform: P(C >= k) = P(U + T >= k) = integral of the survival
 * of T from k - 1 to k: a difference of limited expectations.
 *
 * Random ticks (a renewal process with interval X uniform(1/2, 3/2) in equilibrium):
 * the k-th tick after any instant has density F_{k-1}(x) - F_k(x), F_k the
 * distribution of the sum of k intervals (F_0 = 1): Cox, "Renewal Theory" (1962),
 * 2.2. F_k is that of the Irwin-Hall sum, by its recursion. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "tests/bench/coverage/spread.h"

#define SINGLES 64
/* P(C >= k | T) is tabulated for T up to REACH in steps of 1 / STEPS; longer durations
 * have a normal number of ticks, of variance T/12 + 1/6 + 1/288 (Cox, 4.5) less the
 * 1/12 that rounding adds. */
#define REACH	     80
#define STEPS	     64
#define POINTS	     (REACH * STEPS + 1)
#define COUNTS	     (2 * REACH + 2)
#define NORMAL_EXTRA (1 / 6.0 + 1 / 288.0 - 1 / 12.0)
/* Durations are integrated over in cells of this ratio. */
#define CELL_RATIO 1.02
#define CELLS	   2048

struct fixed {
	const struct law *law;
	double phase; /* -1: uniform */
};

static double fixed_survival(const void *of, uint64_t k)
{
	const struct fixed *f = of;

	if (k == 0)
		return 1;
	if (f->phase >= 0) /* T >= k - phase; atoms count from their value on */
		return law_survival(f->law, nextafter((double)k - f->phase, 0));
	return law_limited(f->law, (double)k) - law_limited(f->law, (double)(k - 1));
}

static uint64_t singles_of(const struct law *l)
{
	double longest = law_quantile(l, 1);

	/* What has a longest duration gets no ranges: there may be atoms. Room for the
	 * spread of random ticks. */
	return isinf(longest) ? SINGLES : (uint64_t)(longest + 10 * sqrt(longest / 12 + 1)) + 2;
}

void spread_build_at(struct tally *t, const struct law *l, double phase)
{
	struct fixed f = {l, phase};

	tally_build(t, fixed_survival, &f, singles_of(l));
}

static float *reached; /* [k][i] = P(C >= k | T = i / STEPS) */
static pthread_once_t reached_once = PTHREAD_ONCE_INIT;

/* One table of F_k, k intervals less their k/2, from that of F_{k-1}: Irwin-Hall,
 * F_k(x) = (x F_{k-1}(x) + (k - x) F_{k-1}(x - 1)) / k. */
static void next_sum(const double *last, double *next, unsigned k)
{
	for (int i = 0; i < POINTS; i++) {
		double x = (double)i / STEPS, before = i >= STEPS ? last[i - STEPS] : 0;

		next[i] = x >= k ? 1 : (x * last[i] + (k - x) * before) / k;
	}
}

/* Integral of F_k from 0: F_{k+1} = A_k(x) - A_k(x - 1), hence A_k by summing. */
static void integral(const double *next, double *area)
{
	for (int i = 0; i < POINTS; i++)
		area[i] = next[i] + (i >= STEPS ? area[i - STEPS] : 0);
}

static double shifted(const double *area, int i, unsigned k)
{
	int at = i - (int)k * STEPS / 2;

	return at < 0 ? 0 : area[at];
}

static void tabulate(void)
{
	double *sum[2] = {malloc(POINTS * sizeof(double)), malloc(POINTS * sizeof(double))};
	double *area[2] = {malloc(POINTS * sizeof(double)), malloc(POINTS * sizeof(double))};
	float *table = malloc((size_t)COUNTS * POINTS * sizeof *table);

	if (!sum[0] || !sum[1] || !area[0] || !area[1] || !table) {
		fputs("coverage: out of memory\n", stderr);
		exit(2);
	}
	for (int i = 0; i < POINTS; i++) {
		sum[0][i] = fmin(1, (double)i / STEPS); /* F_1 */
		area[0][i] = (double)i / STEPS;		/* A_0: F_0 = 1 */
		table[i] = 1;
	}
	for (unsigned k = 1; k < COUNTS; k++) {
		double *next = sum[k % 2], *now = area[k % 2], *last = area[(k - 1) % 2];

		next_sum(sum[(k - 1) % 2], next, k + 1);
		integral(next, now); /* A_k */
		for (int i = 0; i < POINTS; i++)
			table[(size_t)k * POINTS + i] =
				(float)(shifted(last, i, k - 1) - shifted(now, i, k));
	}
	for (int i = 0; i < 2; i++) {
		free(sum[i]);
		free(area[i]);
	}
	reached = table;
}

/* P(C >= k | T = t) on random ticks. */
static double reaches(double t, uint64_t k)
{
	double at = t * STEPS, part = at - floor(at);
	const float *row;

	if (t >= REACH - 1)
		return gsl_cdf_ugaussian_Q(((double)k - 0.5 - t) / sqrt(t / 12 + NORMAL_EXTRA));
	if (k >= COUNTS)
		return 0;
	row = reached + (size_t)k * POINTS + (size_t)at;
	return (1 - part) * (double)row[0] + part * (double)row[1];
}

/* Durations in cells: how likely, and their mean there. */
struct renewal {
	const struct law *law;
	unsigned cells;
	double p[CELLS], t[CELLS];
};

static void add_atom(struct renewal *r, double p, double t)
{
	r->p[r->cells] = p;
	r->t[r->cells++] = t;
}

static void cut_durations(struct renewal *r)
{
	const struct law *l = r->law;
	double end = fmin(law_quantile(l, 1), REACH - 1), next;

	if (l->kind == LAW_CONSTANT) {
		add_atom(r, 1, l->mean);
		return;
	}
	if (l->kind == LAW_BIMODAL) {
		add_atom(r, 1 - LAW_RARE, LAW_SHORT * l->mean);
		add_atom(r, LAW_RARE, LAW_LONG * l->mean);
		return;
	}
	for (double x = 0; x < end && r->cells < CELLS; x = next) {
		double p, part;

		next = fmin(end, x == 0 ? l->mean * 1e-6 : x * CELL_RATIO);
		p = law_survival(l, x) - law_survival(l, next);
		/* integral of t dF, by parts */
		part = law_limited(l, next) - law_limited(l, x) + x * law_survival(l, x) -
		       next * law_survival(l, next);
		if (p > 0)
			add_atom(r, p, part / p);
	}
}

static double random_survival(const void *of, uint64_t k)
{
	const struct renewal *r = of;
	struct fixed f = {r->law, -1};
	double sum = 0;

	if (k == 0)
		return 1;
	if (k > SINGLES && isinf(law_quantile(r->law, 1)))
		return fixed_survival(&f, k); /* a tail so long hides a few ticks */
	for (unsigned i = 0; i < r->cells; i++)
		sum += r->p[i] * reaches(r->t[i], k);
	if (isinf(law_quantile(r->law, 1)))
		sum += law_survival(r->law, REACH - 1);
	return sum;
}

void spread_build(struct tally *t, const struct law *l, bool randomised)
{
	struct fixed f = {l, -1};
	struct renewal *r;

	if (!randomised) {
		tally_build(t, fixed_survival, &f, singles_of(l));
		return;
	}
	pthread_once(&reached_once, tabulate);
	r = calloc(1, sizeof *r);
	if (!r) {
		fputs("coverage: out of memory\n", stderr);
		exit(2);
	}
	r->law = l;
	cut_durations(r);
	tally_build(t, random_survival, r, singles_of(l));
	free(r);
}

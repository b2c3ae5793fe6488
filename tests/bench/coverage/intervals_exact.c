// SPDX-License-Identifier: GPL-3.0-or-later
/* Coverage and width of the binomial intervals as functions of p: sums over all
 * outcomes, which is what endless replications would give. Their coverage oscillates
 * with p (Brown, Cai and DasGupta 2001), hence many p in each band. */
#include <stdlib.h>

#include <gsl/gsl_randist.h>

#include "tests/bench/coverage/intervals.h"
#include "stats/mean/proportion.h"

#define CONFIDENCE 0.95
#define Z95	   1.959963984540054
#define POINTS	   400 /* values of p in a band */
#define OUTCOMES   260 /* beyond: less than 1e-20 of 100 expected ticks */

const struct interval_method interval_methods[INTERVALS] = {
	{"clopper-pearson", proportion_clopper_pearson},
	{"mid-p", proportion_mid_p},
	{"wilson", proportion_wilson},
	{"jeffreys", proportion_jeffreys},
	{"agresti-coull", proportion_agresti_coull},
};

static const double calls[] = {30, 100, 1e3, 1e6};
static const double bands[] = {0.3, 1, 3, 10, 30, 100};
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

struct limits {
	unsigned outcomes; /* 0 .. outcomes - 1 ticks */
	double low[OUTCOMES], high[OUTCOMES];
};

struct facts {
	double least, sum, below, width;
};

static void tabulate(struct limits *l, const struct interval_method *m, double n)
{
	l->outcomes = n + 1 < OUTCOMES ? (unsigned)n + 1 : OUTCOMES;
	for (unsigned x = 0; x < l->outcomes; x++)
		m->limits(x, n, CONFIDENCE, &l->low[x], &l->high[x]);
}

static void add_point(struct facts *f, const struct limits *l, double n, double p)
{
	double covered = 0, width = 0;

	for (unsigned x = 0; x < l->outcomes; x++) {
		double probability = gsl_ran_binomial_pdf(x, p, (unsigned)n);

		width += probability * (l->high[x] - l->low[x]);
		if (l->low[x] <= p && p <= l->high[x])
			covered += probability;
	}
	f->least = fmin(f->least, covered);
	f->sum += covered / POINTS;
	f->below += covered < RULE_COVER ? 1.0 / POINTS : 0;
	f->width += width / (2 * Z95 * sqrt(p * (1 - p) / n)) / POINTS;
}

static void print_band(FILE *f, const struct limits *l, const char *name, double n, double from,
		       double to)
{
	struct facts facts = {.least = 1};

	for (unsigned i = 0; i < POINTS; i++)
		add_point(&facts, l, n, from * pow(to / from, (i + 0.5) / POINTS) / n);
	fprintf(f, "exact,%.0f,%g,%g,%s,%.4f,%.4f,%.4f,%.4f\n", n, from, to, name, facts.least,
		facts.sum, facts.below, facts.width);
}

void intervals_exact(FILE *f)
{
	fputs("exact,n,ticks_from,ticks_to,interval,least_coverage,mean_coverage,share_below_94,"
	      "width_over_oracle\n",
	      f);
	for (unsigned i = 0; i < COUNT(calls); i++)
		for (unsigned m = 0; m < INTERVALS; m++) {
			struct limits l;

			tabulate(&l, &interval_methods[m], calls[i]);
			/* Above n / 2 the same in calls without a tick. */
			for (unsigned b = 0; b + 1 < COUNT(bands) && bands[b] < calls[i] / 2; b++)
				print_band(f, &l, interval_methods[m].name, calls[i], bands[b],
					   fmin(bands[b + 1], calls[i] / 2));
		}
}

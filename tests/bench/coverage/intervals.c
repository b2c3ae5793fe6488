// SPDX-License-Identifier: GPL-3.0-or-later
/* The binomial intervals where the rule uses one: on effective counts, with a design
 * effect that was estimated. What stats/mean/mean_interval.c does around its interval is done
 * here again, around each; a count of replications in which the rule's own is not
 * met shows if the two ever part. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "tests/bench/coverage/intervals.h"
#include "stats/mean/mean_interval.h"
#include "stats/mean/autocorrelation.h"

#define CONFIDENCE 0.95
#define Z95	   1.959963984540054
/* As in stats/mean/mean_interval.c. */
#define CAUTION 0.5
/* Beyond, every run shows the same to the last digit: the oracle has no width. */
#define COMPARABLE 1000

/* What the rule makes of the sums before it asks for limits of a proportion. */
struct effective {
	double x, n, base, weight;
	bool alike; /* all calls show the same count */
};

static struct effective effective_of(const struct stats_sample *s, const struct mean_interval *e)
{
	const struct stats_sums *sums = &s->sums;
	struct serial serial = autocorrelation_estimate(&s->batches);
	double n = (double)sums->n, over = (double)sums->sum - n * (double)sums->min;
	double t = gsl_cdf_tdist_Pinv(0.5 + CONFIDENCE / 2, e->freedom), design = 1;
	struct effective r = {
		.base = (double)sums->min, .weight = 1, .alike = sums->max == sums->min};

	if (sums->max > sums->min + 1 && over > 0) {
		double base = (double)sums->min, sum = (double)sums->sum;

		r.weight = ((double)sums->sum_sq - 2 * base * sum + n * base * base) / over;
	}
	if (serial.batches >= 8)
		design = fmax(1, e->design_effect * (1 + CAUTION * sqrt(2 / serial.independent)));
	if (serial.batches)
		design *= t * t / (Z95 * Z95);
	design = fmin(design, n);
	r.x = fmin(over / r.weight, n) / design;
	r.n = n / design;
	return r;
}

static void add(struct intervals_score *s, const struct mean_interval *e, double truth, int m,
		double low, double high)
{
	s->covered[m] += low <= truth && truth <= high;
	s->width[m] += high - low;
	/* Upper limits are raised after a heavy tail. */
	if (m == 0 && fabs(low - e->low) > 1e-6 * e->mean)
		s->differs++;
}

static void score(struct intervals_score *s, const struct recorder *r, double truth)
{
	struct mean_interval e = mean_interval_estimate(&r->sample, CONFIDENCE);
	struct effective c;

	s->warned += e.unreliable != 0;
	if (strcmp(e.method, "clopper-pearson") != 0) {
		for (int m = 0; m < INTERVALS; m++)
			add(s, &e, truth, m, e.low, e.high);
		return;
	}
	s->binomial++;
	c = effective_of(&r->sample, &e);
	for (int m = 0; m < INTERVALS; m++) {
		double low, high;

		interval_methods[m].limits(c.x, c.n, CONFIDENCE, &low, &high);
		if (c.alike)
			low = -high;
		add(s, &e, truth, m, fmax(0, c.base + c.weight * low), c.base + c.weight * high);
	}
}

void intervals_simulate(struct intervals_score *s, struct source *source, uint64_t replications,
			struct dice *d)
{
	double sum = 0, square = 0, mean, deviation, n = (double)replications;
	struct recorder r;

	*s = (struct intervals_score){.cell = source->cell, .replications = replications};
	for (uint64_t i = 0; i < replications; i++) {
		double estimate;

		source->draw(source, d, &r);
		score(s, &r, source->truth);
		estimate = (double)r.sample.sums.sum / (double)r.sample.sums.n - source->truth;
		sum += estimate;
		square += estimate * estimate;
	}
	mean = sum / n;
	deviation = sqrt(fmax(0, square / n - mean * mean));
	if (!isnan(source->deviation))
		deviation = source->deviation;
	for (int m = 0; m < INTERVALS; m++)
		s->width[m] /= n * 2 * Z95 * deviation;
}

/* Over the cells of one dependence. */
struct facts {
	unsigned cells, below, widths;
	double least, sum, width, differs;
};

static void add_cell(struct facts *f, const struct intervals_score *s, int m)
{
	double n = (double)s->replications, p = (double)s->covered[m] / n;
	bool warned = (double)s->warned >= RULE_WARN * n;

	f->cells++;
	f->below += !warned && p + RULE_ERRORS * sqrt(p * (1 - p) / n) < RULE_COVER;
	f->least = fmin(f->least, p);
	f->sum += p;
	if (s->width[m] < COMPARABLE) {
		f->widths++;
		f->width += s->width[m];
	}
	f->differs = fmax(f->differs, (double)s->differs / n);
}

void intervals_print(FILE *f, const struct intervals_score *s, size_t count)
{
	fputs("simulated,dependence,interval,cells,cells_below_94,least_coverage,mean_coverage,"
	      "mean_width_over_oracle,rule_not_reproduced\n",
	      f);
	for (int dep = 0; dep < DEPENDENCES; dep++)
		for (int m = 0; m < INTERVALS; m++) {
			struct facts facts = {.least = 1};

			for (size_t i = 0; i < count; i++)
				if ((int)s[i].cell.dependence == dep &&
				    !cell_is_locked(&s[i].cell) &&
				    2 * s[i].binomial > s[i].replications)
					add_cell(&facts, &s[i], m);
			if (facts.cells)
				fprintf(f, "simulated,%s,%s,%u,%u,%.4f,%.4f,%.4f,%.4f\n",
					dependence_names[dep], interval_methods[m].name,
					facts.cells, facts.below, facts.least,
					facts.sum / facts.cells, facts.width / facts.widths,
					facts.differs);
		}
}

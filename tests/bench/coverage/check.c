// SPDX-License-Identifier: GPL-3.0-or-later
/* Means of some quantities over replications, from a fast source and from the walk:
 * each difference in units of its standard error. */
#include <stdlib.h>

#include "tests/bench/coverage/check.h"
#include "tests/bench/coverage/print.h"
#include "stats/mean/mean_interval.h"

enum quantity {
	ERROR,	       /* of the estimate */
	ERROR_SQUARED, /* its variance */
	HALF_WIDTH,
	SECOND_MOMENT, /* of the tick counts; in logarithms, for heavy tails */
	BATCH_SPREAD,  /* variance of the batches' sums, likewise */
	LARGEST,
	SMALLEST,
	DOUBT_PHASE,
	DOUBT_BATCHES,
	DOUBT_TAIL,
	PHASES_SAMPLED,
	PHASE_CHI, /* chi-square of the phases' counts against equal ones, in logarithms */
	QUANTITIES
};

static const char *const names[QUANTITIES] = {"error",
					      "error^2",
					      "half width",
					      "log second moment",
					      "log variance of batches",
					      "log largest",
					      "smallest",
					      "clock-synchronous",
					      "too-few-independent-batches",
					      "heavy-tail",
					      "phases sampled",
					      "log chi-square of phases"};

/* Differences are reported beyond this many standard errors, unless they are below
 * this share: the sources' own simulations beforehand leave as much. */
#define SUSPECT	  4.5
#define NEGLECTED 0.03
/* So many samples of phases: the first ones of a run follow each other faster. */
#define FIRST_SAMPLES 8

static bool is_logarithm(int j)
{
	return j == SECOND_MOMENT || j == BATCH_SPREAD || j == LARGEST || j == PHASE_CHI;
}

static bool is_neglected(int j, double difference, double of)
{
	if (j == PHASES_SAMPLED && fabs(difference) < FIRST_SAMPLES)
		return true;
	return fabs(difference) < NEGLECTED * (is_logarithm(j) ? 1 : fabs(of));
}

struct moments {
	double sum[QUANTITIES], square[QUANTITIES];
};

static double batch_spread(const struct stats_batches *b)
{
	double mean = 0, square = 0;

	for (uint32_t i = 0; i < b->count; i++)
		mean += (double)b->sum[i] / b->count;
	for (uint32_t i = 0; i < b->count; i++)
		square += ((double)b->sum[i] - mean) * ((double)b->sum[i] - mean);
	return log1p(square / b->count);
}

static void phase_facts(const struct recorder *r, double *q)
{
	double n = 0, square = 0;

	for (int i = 0; i < STATS_PHASES; i++) {
		n += (double)r->phase[i];
		square += (double)r->phase[i] * (double)r->phase[i];
	}
	q[PHASES_SAMPLED] = n;
	q[PHASE_CHI] = n > 0 ? log1p(fmax(0, STATS_PHASES * square / n - n)) : 0;
}

static void observe(const struct recorder *r, double truth, double *q)
{
	const struct stats_sums *s = &r->sample.sums;
	struct mean_interval e = mean_interval_estimate(&r->sample, 0.95);

	q[ERROR] = e.mean - truth;
	q[ERROR_SQUARED] = q[ERROR] * q[ERROR];
	q[HALF_WIDTH] = (e.high - e.low) / 2;
	q[SECOND_MOMENT] = log((double)(s->sum_sq + 1) / (double)s->n);
	q[BATCH_SPREAD] = batch_spread(&r->sample.batches);
	q[LARGEST] = log1p((double)s->max);
	q[SMALLEST] = (double)s->min;
	for (int i = 0; i < SCORE_DOUBTS; i++)
		q[DOUBT_PHASE + i] = e.unreliable >> i & 1;
	phase_facts(r, q);
}

static void collect(struct moments *m, struct source *s, uint64_t replications, uint64_t seed)
{
	struct recorder r;
	struct dice d;

	*m = (struct moments){0};
	dice_seed(&d, seed);
	for (uint64_t i = 0; i < replications; i++) {
		double q[QUANTITIES];

		s->draw(s, &d, &r);
		observe(&r, s->truth, q);
		for (int j = 0; j < QUANTITIES; j++) {
			m->sum[j] += q[j];
			m->square[j] += q[j] * q[j];
		}
	}
}

static double mean_of(const struct moments *m, int j, double n)
{
	return m->sum[j] / n;
}

static double error_of(const struct moments *m, int j, double n)
{
	double mean = mean_of(m, j, n);

	/* A share of none or all has an error, too; so has what never varied. */
	return 1e-9 + fmax(sqrt(fmax(0, m->square[j] / n - mean * mean) / n),
			   j >= DOUBT_PHASE && j <= DOUBT_TAIL ? 1 / n : 1e-9 * fabs(mean));
}

unsigned check_cell(FILE *f, const struct cell *c, uint64_t replications, unsigned *compared)
{
	struct source *fast = source_create(c, 1, 1, NULL), *slow = walk_create(c);
	double n = (double)replications;
	struct moments a, b;
	unsigned suspect = 0;

	if (!fast || !slow)
		exit(2);
	if (fast->draw == slow->draw)
		goto done; /* walked anyway */
	collect(&a, fast, replications, 2);
	collect(&b, slow, replications, 3);
	for (int j = 0; j < QUANTITIES; j++) {
		double x = mean_of(&a, j, n), y = mean_of(&b, j, n);
		double z = (x - y) / hypot(error_of(&a, j, n), error_of(&b, j, n));

		++*compared;
		if (fabs(z) < SUSPECT || is_neglected(j, x - y, y))
			continue;
		suspect++;
		print_cell(f, c);
		fprintf(f, ": %s: fast %g, walked %g, z %.1f\n", names[j], x, y, z);
	}
done:
	free(fast);
	free(slow);
	return suspect;
}

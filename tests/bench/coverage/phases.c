// SPDX-License-Identifier: GPL-3.0-or-later
/* Random durations in a period that is locked to fixed ticks: calls begin at a few
 * phases, and from each the tick counts are independent, so a batch is a multinomial
 * for each phase. How often each is visited varies where calls outlast the period:
 * the phases are a random walk on a circle, whose visits are normal in a long batch,
 * with independent Fourier components. (That the long calls are those that delay the
 * next is left out; it makes the spread of batches up to a tenth too wide or narrow,
 * beside a bias that no interval knows.) */
#include <complex.h>
#include <stdlib.h>

#include "tests/bench/coverage/spread.h"
#include "tests/bench/coverage/walk.h"

#define POINTS_MAX 32
/* Calls simulated to see how many phases the recorder samples. */
#define PILOT_CALLS 200000
/* A call that outlasts so many periods may end at any phase. */
#define PERIODS_MAX 1000

struct phases {
	struct source source;
	double period;
	double sampled;		   /* phases, per call */
	double visits[POINTS_MAX]; /* variance of a Fourier component, per call */
	unsigned points;
	struct tally tally[];
};

/* Variance per call of component k of the visits: with l = E exp(2 pi i k (advance)),
 * (1 - |l|^2) / |1 - l|^2, for the steps are independent. */
static double component(const struct phases *p, unsigned k)
{
	const struct law *law = &p->source.cell.law;
	double complex l = 0;
	double beyond = 1, last;

	for (unsigned j = 1; j <= PERIODS_MAX && beyond > 0; j++) {
		last = beyond;
		beyond = law_survival(law, j * p->period);
		l += (last - beyond) * cexp(2 * M_PI * I * k * (j * p->period));
	}
	if (cabs(1 - l) < 1e-12)
		return 0;
	return fmax(0, (1 - creal(l * conj(l))) / creal((1 - l) * conj(1 - l)));
}

/* Visits of each phase among n calls, in order of the circle: point i is at
 * i / points. They add up to n. */
static void draw_visits(const struct phases *p, uint64_t n, struct dice *d, uint64_t *visits)
{
	unsigned q = p->points;
	double complex z[POINTS_MAX] = {0};
	double sum = 0;
	uint64_t placed = 0;

	for (unsigned k = 1; 2 * k <= q; k++) {
		double sd = sqrt((double)n * p->visits[k]);

		if (2 * k == q)
			z[k] = sd * dice_normal(d);
		else
			z[k] = 2 * sd * M_SQRT1_2 * (dice_normal(d) + I * dice_normal(d));
	}
	for (unsigned i = 0; i < q; i++) {
		double complex v = 0;
		uint64_t upto;

		for (unsigned k = 1; 2 * k <= q; k++)
			v += z[k] * cexp(2 * M_PI * I * (k * i % q) / q);
		sum += fmax(0, ((double)n + creal(v)) / q);
		upto = i + 1 == q ? n : (uint64_t)fmin((double)n, nearbyint(sum));
		visits[i] = upto > placed ? upto - placed : 0;
		placed += visits[i];
	}
}

/* Tick counts from each phase, and the phases sampled. */
static void place(struct phases *p, struct dice *d, struct recorder *r)
{
	double start = dice_unit(d);
	uint64_t samples = (uint64_t)((double)p->source.cell.n * p->sampled + dice_unit(d));

	recorder_scatter_points(r, samples, start, 1.0 / p->points, p->points, d);
	for (unsigned i = 0; i < p->points; i++) {
		double at = start + (double)i / p->points;

		spread_build_at(&p->tally[i], &p->source.cell.law, at - floor(at));
	}
}

static void draw(struct source *s, struct dice *d, struct recorder *r)
{
	struct phases *p = (struct phases *)s;
	struct tally_total total = {.min = UINT64_MAX};
	struct stats_sums *sums = &r->sample.sums;
	uint64_t n = s->cell.n, calls, batches, visits[POINTS_MAX];

	recorder_begin(r, n, true);
	place(p, d, r);
	calls = r->sample.batches.calls;
	batches = n / calls;
	for (uint64_t b = 0; b <= batches; b++) {
		uint64_t before = total.sum;

		draw_visits(p, b < batches ? calls : n - batches * calls, d, visits);
		for (unsigned i = 0; i < p->points; i++)
			tally_draw(&p->tally[i], d, visits[i], &total);
		if (b < batches)
			r->batch[b] = total.sum - before;
	}
	r->sample.batches.count = (uint32_t)batches;
	sums->n = n;
	sums->sum = total.sum;
	sums->sum_sq = total.sum_sq;
	sums->min = total.min;
	sums->max = total.max;
}

static double sampled_phases(const struct cell *c)
{
	struct recorder r;
	struct dice d;
	struct walk w;
	double kept = 0;

	dice_seed(&d, 1);
	walk_begin(&w, c, &d);
	recorder_begin(&r, PILOT_CALLS, true);
	for (int i = 0; i < PILOT_CALLS; i++) {
		recorder_phase(&r, w.at, &d);
		recorder_add(&r, walk_call(&w));
	}
	for (int i = 0; i < STATS_PHASES; i++)
		kept += (double)r.phase[i];
	return kept / PILOT_CALLS;
}

struct source *phases_create(const struct cell *c)
{
	uint64_t calls = recorder_batch_calls(c->n);
	double step;
	unsigned points = cell_points(c, &step);
	struct phases *p = malloc(sizeof *p + points * sizeof p->tally[0]);

	if (!p)
		return NULL;
	spread_build_at(&p->tally[0], &c->law, 0.5);
	p->source = (struct source){
		.draw = draw,
		.cell = *c,
		.truth = c->law.mean,
		.deviation = NAN,
		.cost_ns = points * (2e4 + (double)c->n / (double)calls *
						   tally_cost_ns(&p->tally[0], calls / points)),
	};
	p->period = step;
	p->points = points;
	for (unsigned k = 0; k < POINTS_MAX; k++)
		p->visits[k] = component(p, k);
	p->sampled = sampled_phases(c);
	return &p->source;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Constant durations at constant distances on a clock of fixed ticks: call i begins
 * at U + i P and shows floor(U + i P + T) - floor(U + i P) ticks. In integers of
 * 2^-32 ticks, whose sums over a batch Euclid's algorithm gives in closed form. */
#include <stdlib.h>

#include "tests/bench/coverage/source.h"

#define ONE (UINT64_C(1) << 32)
/* So many phases are sampled one by one; the rest of a long run is drawn at once. */
#define SAMPLES 4096

struct lattice {
	struct source source;
	uint64_t period, duration; /* 2^-32 ticks */
	double step;		   /* of the phases */
	unsigned points;
};

/* Sum of floor((a i + b) / m) for i in 0 .. n - 1; a < m, everything below 2^63. */
static uint64_t floor_sum(uint64_t n, uint64_t m, uint64_t a, uint64_t b)
{
	uint64_t sum = 0;

	for (;;) {
		uint64_t top, old = m;

		if (a >= m) {
			sum += n * (n - 1) / 2 * (a / m);
			a %= m;
		}
		if (b >= m) {
			sum += n * (b / m);
			b %= m;
		}
		top = a * n + b;
		if (top < m)
			return sum;
		n = top / m;
		b = top % m;
		m = a;
		a = old;
	}
}

/* Ticks of calls first .. first + n - 1. */
static uint64_t ticks_of(const struct lattice *l, uint64_t start, uint64_t first, uint64_t n)
{
	uint64_t at = (start + first * l->period) % ONE, step = l->period % ONE;

	if (n == 0)
		return 0;
	return floor_sum(n, ONE, step, at + l->duration) - floor_sum(n, ONE, step, at);
}

static void sample_phases(const struct lattice *l, uint64_t start, struct dice *d,
			  struct recorder *r)
{
	uint64_t n = l->source.cell.n, kept = 0, i = 0;

	while (i < n && kept < SAMPLES) {
		double at = (double)(start + i * l->period) / (double)ONE;
		double last = r->last_sample;

		r->sample.sums.n = i;
		recorder_phase(r, at, d);
		kept += r->last_sample > last;
		i = r->next_sample;
	}
	if (i < n)
		recorder_scatter_points(r, (n - i) * kept / i, (double)start / (double)ONE, l->step,
					l->points, d);
}

static void draw(struct source *s, struct dice *d, struct recorder *r)
{
	struct lattice *l = (struct lattice *)s;
	struct stats_sums *sums = &r->sample.sums;
	uint64_t start = dice_bits(d) >> 32, n = s->cell.n, base = l->duration / ONE, calls, i,
		 more;

	recorder_begin(r, n, true);
	sample_phases(l, start, d, r);
	calls = r->sample.batches.calls;
	for (i = 0; i < n / calls; i++) {
		r->batch[i] = ticks_of(l, start, i * calls, calls);
		sums->sum += r->batch[i];
	}
	r->sample.batches.count = (uint32_t)i;
	sums->sum += ticks_of(l, start, i * calls, n - i * calls);
	sums->n = n;
	more = sums->sum - n * base; /* calls of one tick more than the least */
	sums->sum_sq = (stats_u128)n * base * base + (stats_u128)more * (2 * base + 1);
	sums->min = base + (more == n);
	sums->max = base + (more > 0);
}

struct source *lattice_create(const struct cell *c)
{
	struct lattice *l = malloc(sizeof *l);
	double period = c->dependence == DEPENDENCE_LOOP ? c->law.mean : cell_period(c);
	double batches = fmin(64, (double)c->n);

	if (!l)
		return NULL;
	l->period = (uint64_t)nearbyint(period * (double)ONE);
	l->duration = (uint64_t)nearbyint(c->law.mean * (double)ONE);
	l->points = cell_points(c, &l->step);
	l->source = (struct source){.draw = draw,
				    .cell = *c,
				    .truth = (double)l->duration / (double)ONE,
				    .deviation = NAN,
				    .cost_ns = batches * 250 + 8 * fmin(SAMPLES, (double)c->n)};
	return &l->source;
}

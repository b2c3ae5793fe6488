// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/support/recording.h"

#include <math.h>
#include <string.h>

const char *const recording_law_names[RECORDING_LAWS] = {"exponential", "log-normal", "two kinds",
							 "chained"};

void recording_begin(struct recording *r)
{
	memset(r, 0, sizeof(*r));
	r->sums.tick = 1;
	r->sums.unit = 1;
	r->sums.min = UINT64_MAX;
	r->batches.calls = 2;
	r->batch_end = 2;
}

static void close_batch(struct recording *r)
{
	r->batch[r->batches.count++] = r->sums.sum - r->batch_base;
	r->batch_base = r->sums.sum;
	if (r->batches.count == RECORDING_BATCHES) {
		for (unsigned i = 0; i < RECORDING_BATCHES / 2; i++)
			r->batch[i] = r->batch[2 * i] + r->batch[2 * i + 1];
		r->batches.count = RECORDING_BATCHES / 2;
		r->batches.calls *= 2;
	}
	r->batch_end = r->sums.n + r->batches.calls;
}

void recording_add(struct recording *r, uint64_t units)
{
	struct stats_sums *s = &r->sums;

	s->n++;
	s->sum += units;
	s->sum_sq += (stats_u128)units * units;
	if (units < s->min)
		s->min = units;
	if (units > s->max)
		s->max = units;
	if (s->n == r->batch_end)
		close_batch(r);
}

struct stats_sample recording_sample(const struct recording *r)
{
	struct stats_sample s = {.sums = r->sums, .batches = r->batches};

	s.batches.sum = r->batch;
	return s;
}

#define AR 0.9

double recording_draw(struct recording_source *s)
{
	double z;

	switch (s->law) {
	case RECORDING_EXPONENTIAL:
		return 1000 * simulate_exponential(&s->dice);
	case RECORDING_LOGNORMAL:
		return 1000 * exp(simulate_normal(&s->dice) - 0.5);
	case RECORDING_TWO_KINDS:
		return (simulate_uniform(&s->dice) < 0.1 ? 30 : 1) * 1000 / 3.9 *
		       (0.5 + simulate_uniform(&s->dice));
	default:
		z = simulate_normal(&s->dice);
		s->state = AR * s->state + sqrt(1 - AR * AR) * z;
		return 1000 * exp(0.7 * s->state - 0.245);
	}
}

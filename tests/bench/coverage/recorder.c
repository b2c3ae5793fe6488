// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of the recorder that are not on the path of every call. */
#include <gsl/gsl_randist.h>

#include "tests/bench/coverage/recorder.h"

uint64_t recorder_batch_calls(uint64_t n)
{
	uint64_t calls = 2;

	while (n / calls >= RECORDER_BATCHES)
		calls *= 2;
	return calls;
}

void recorder_begin(struct recorder *r, uint64_t n, bool phases)
{
	uint64_t calls = recorder_batch_calls(n);

	*r = (struct recorder){.batch_end = calls, .step = 1, .last_sample = -INFINITY};
	r->sample = (struct stats_sample){
		.sums = {.min = UINT64_MAX, .tick = 1, .unit = 1},
		.batches = {.calls = calls, .sum = r->batch},
		.phase = phases ? r->phase : NULL,
	};
}

void recorder_scatter_phases(struct recorder *r, uint64_t n, struct dice *d)
{
	if (r->sample.phase)
		dice_scatter(d, (uint64_t)((double)n / RECORDER_STRIDE + dice_unit(d)), r->phase,
			     STATS_PHASES);
}

void recorder_scatter_points(struct recorder *r, uint64_t n, double start, double step,
			     unsigned points, struct dice *d)
{
	double p[STATS_PHASES] = {0};
	unsigned count[STATS_PHASES];

	if (points == 0) {
		dice_scatter(d, n, r->phase, STATS_PHASES);
		return;
	}
	for (unsigned i = 0; i < points; i++) {
		double at = start + i * step;

		p[(unsigned)((at - floor(at)) * STATS_PHASES) % STATS_PHASES]++;
	}
	gsl_ran_multinomial(&d->gsl, STATS_PHASES, (unsigned)n, p, count);
	for (unsigned i = 0; i < STATS_PHASES; i++)
		r->phase[i] += count[i];
}

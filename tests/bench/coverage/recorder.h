// SPDX-License-Identifier: GPL-3.0-or-later
/* What scprof's recorder keeps of the calls of one site, filled call by call or
 * batch by batch.
 *
 * Batches as batch_close() in preload/table/batch.c leaves them: they begin with two calls and are
 * merged in pairs when there are 64, so at the end there are n / B whole ones of B calls, B the
 * smallest power of two (at least 2) for which that is below 64. Knowing n beforehand, the study
 * fills the final batches directly. */
#ifndef COVERAGE_RECORDER_H
#define COVERAGE_RECORDER_H

#include <math.h>
#include <stdbool.h>

#include "tests/bench/coverage/dice.h"
#include "stats/stats.h"

#define RECORDER_BATCHES 64
/* Phases are sampled every 2 to 16 ticks, see recorder_sample. */
#define RECORDER_NEAR 2
#define RECORDER_FAR  16
/* Mean distance in calls of sampled calls that are far apart in time: step 1. */
#define RECORDER_STRIDE 1.5

struct recorder {
	struct stats_sample sample; /* points to the arrays below */
	uint64_t batch[RECORDER_BATCHES];
	uint64_t phase[STATS_PHASES];
	uint64_t batch_end, batch_base;
	uint64_t next_sample, step; /* of phases */
	double last_sample;
};

uint64_t recorder_batch_calls(uint64_t n);

/* Ready for n calls. `phases`: the ticks are of fixed length. */
void recorder_begin(struct recorder *r, uint64_t n, bool phases);

static inline void recorder_add(struct recorder *r, uint64_t ticks)
{
	struct stats_sums *s = &r->sample.sums;

	s->n++;
	s->sum += ticks;
	s->sum_sq += (stats_u128)ticks * ticks;
	if (ticks < s->min)
		s->min = ticks;
	if (ticks > s->max)
		s->max = ticks;
	if (s->n == r->batch_end && r->sample.batches.count < RECORDER_BATCHES) {
		r->batch[r->sample.batches.count++] = s->sum - r->batch_base;
		r->batch_base = s->sum;
		r->batch_end += r->sample.batches.calls;
	}
}

/* Before recorder_add: the call begins at `at`, in ticks, where the clock ticks at
 * integers. A sample is kept where at least two ticks have passed since the last. */
static inline void recorder_phase(struct recorder *r, double at, struct dice *d)
{
	double since;

	if (r->sample.sums.n != r->next_sample)
		return;
	since = at - r->last_sample;
	r->next_sample += 1 + dice_below(d, 2 * r->step);
	if (since < RECORDER_NEAR) {
		r->step *= 2;
		return;
	}
	r->phase[(unsigned)((at - floor(at)) * STATS_PHASES) % STATS_PHASES]++;
	r->last_sample = at;
	if (since > RECORDER_FAR && r->step > 1)
		r->step /= 2;
}

/* Phases of n calls that begin at independent, uniform phases far from each other. */
void recorder_scatter_phases(struct recorder *r, uint64_t n, struct dice *d);

/* n sampled phases that are equally likely to be any of `points` ones, `start` plus
 * multiples of `step`; points = 0: uniform. */
void recorder_scatter_points(struct recorder *r, uint64_t n, double start, double step,
			     unsigned points, struct dice *d);

#endif

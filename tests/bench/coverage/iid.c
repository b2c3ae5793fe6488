// SPDX-License-Identifier: GPL-3.0-or-later
/* Independent calls at phases of their own: every batch is a multinomial, however
 * many calls it has. */
#include <stdlib.h>

#include "tests/bench/coverage/source.h"
#include "tests/bench/coverage/spread.h"

struct iid {
	struct source source;
	struct tally tally;
};

static void draw(struct source *s, struct dice *d, struct recorder *r)
{
	struct iid *iid = (struct iid *)s;
	struct tally_total total = {.min = UINT64_MAX};
	struct stats_sums *sums = &r->sample.sums;
	uint64_t calls, batches, n = s->cell.n;

	recorder_begin(r, n, !s->cell.randomised);
	calls = r->sample.batches.calls;
	batches = n / calls;
	for (uint64_t i = 0; i < batches; i++) {
		uint64_t before = total.sum;

		tally_draw(&iid->tally, d, calls, &total);
		r->batch[i] = total.sum - before;
	}
	tally_draw(&iid->tally, d, n - batches * calls, &total);
	r->sample.batches.count = (uint32_t)batches;
	sums->n = n;
	sums->sum = total.sum;
	sums->sum_sq = total.sum_sq;
	sums->min = total.min;
	sums->max = total.max;
	recorder_scatter_phases(r, n, d);
}

struct source *iid_create(const struct cell *c)
{
	struct iid *iid = malloc(sizeof *iid);
	uint64_t calls = recorder_batch_calls(c->n);

	if (!iid)
		return NULL;
	spread_build(&iid->tally, &c->law, c->randomised);
	iid->source = (struct source){
		.draw = draw,
		.cell = *c,
		.truth = iid->tally.mean,
		.deviation = sqrt(iid->tally.var / (double)c->n),
		.cost_ns = 2500 + (double)c->n / (double)calls * tally_cost_ns(&iid->tally, calls),
	};
	return &iid->source;
}

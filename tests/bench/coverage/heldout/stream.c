// SPDX-License-Identifier: GPL-3.0-or-later
/* One sequence of durations, recorded on three clocks. */
#include <string.h>

#include "tests/bench/coverage/heldout/stream.h"
#include "tests/bench/coverage/walk.h"

const char *const stream_clock_names[STREAM_CLOCKS] = {"tsc", "page", "coarse"};
const double stream_clock_means[STREAM_CLOCKS] = {3000, 0.3, 0.3};

static const struct stream_law *const tables[] = {stream_tails, stream_sojourns, stream_periods,
						  stream_queues, stream_unseen};

unsigned stream_list(const struct stream_law *law[STREAM_LAWS])
{
	unsigned count = 0;

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		for (const struct stream_law *l = tables[i]; l->name && count < STREAM_LAWS; l++)
			law[count++] = l;
	return count;
}

void stream_begin(struct stream *s, const struct stream_law *law, uint64_t n, struct dice *d)
{
	s->law = law;
	s->n = n;
	memset(s->state, 0, sizeof s->state);
	s->mean = law->begin(s, d);
}

void stream_record(struct stream *s, const struct stream_law *law, uint64_t n, struct dice *d,
		   struct stream_run *r)
{
	double scale[STREAM_CLOCKS];

	stream_begin(s, law, n, d);
	tail_record_begin(&r->tail, n);
	for (int c = 0; c < STREAM_CLOCKS; c++) {
		recorder_begin(&r->recorder[c], n, c == STREAM_COARSE);
		scale[c] = stream_clock_means[c] / s->mean;
	}
	for (uint64_t i = 0; i < n; i++) {
		double t = stream_next(s, d);
		uint64_t ticks = walk_fixed_ticks(t * scale[STREAM_TSC], d);

		recorder_add(&r->recorder[STREAM_TSC], ticks);
		tail_record_add(&r->tail, i, ticks);
		recorder_add(&r->recorder[STREAM_PAGE],
			     walk_random_ticks(t * scale[STREAM_PAGE], d));
		recorder_add(&r->recorder[STREAM_COARSE],
			     walk_fixed_ticks(t * scale[STREAM_COARSE], d));
	}
	tail_record_end(&r->tail, &r->recorder[STREAM_TSC]);
	recorder_scatter_phases(&r->recorder[STREAM_COARSE], n, d);
}

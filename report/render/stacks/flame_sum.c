// SPDX-License-Identifier: GPL-3.0-or-later
/* Sums and means of the boxes of the flame graph over the calls below them (flame.h has the rule).
 */
#include "report/render/stacks/flame.h"

#include <math.h>

#include "report/model/sites.h"

static void add_site(struct flame_box *b, const struct report_site *s, uint32_t index)
{
	uint64_t aside = s->steadiness.warmup_aside ? s->steadiness.warmup_calls : 0;
	double calls = (double)(s->calls - aside);

	if (!b->sites++)
		b->site = index;
	b->value_ns += fmax(s->total_ns, 0);
	b->calls += s->calls;
	b->aside += aside;
	b->bytes += s->bytes;
	b->has_bytes = b->has_bytes || s->has_bytes;
	b->unreliable |= s->estimate.unreliable;
	b->mean_ns += calls * s->estimate.mean;
	b->on_cpu_ns += calls * (s->states.known ? s->states.on_cpu.mean : NAN);
	b->runnable_ns += calls * (s->states.known ? s->states.runnable.mean : NAN);
	b->asleep_ns += calls * (s->states.known ? s->states.asleep.mean : NAN);
}

/* So far the mean is a sum. */
static void fill_mean(struct flame_box *b, const struct report *r)
{
	const struct mean_interval *e = &r->site[b->site].estimate;
	bool alone = b->sites == 1;

	b->mean_ns = alone ? e->mean : b->mean_ns / (double)(b->calls - b->aside);
	b->low_ns = alone ? e->low : NAN;
	b->high_ns = alone ? e->high : NAN;
}

/* Of all threads' time, as of rows; without that, of all calls. */
static void fill_shares(struct flame *f, const struct report *r)
{
	double of_ns = r->time_ns > 0 ? fmax(r->time_ns, f->box[0].value_ns) : f->box[0].value_ns;

	for (uint32_t i = 0; i < f->boxes; i++) {
		struct flame_box *b = &f->box[i];

		b->waits = b->kind == FLAME_WAITING || (i && f->box[b->parent].waits);
		b->share = of_ns > 0 ? b->value_ns / of_ns : NAN;
	}
}

void flame_sum(struct flame *f, const struct report *r)
{
	for (uint32_t i = 0; i < r->sites; i++)
		for (uint32_t at = f->end[i];; at = f->box[at].parent) {
			add_site(&f->box[at], &r->site[i], i);
			if (!at)
				break;
		}
	for (uint32_t i = 0; i < f->boxes && r->sites; i++)
		fill_mean(&f->box[i], r);
	fill_shares(f, r);
}

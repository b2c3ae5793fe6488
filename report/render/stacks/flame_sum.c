// SPDX-License-Identifier: GPL-3.0-or-later
/* Mean and interval of a box of the flame graph over the calls below it (flame.h has the rule). */
#include "report/render/stacks/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/sites.h"
#include "stats/mean/mean_interval.h"
#include "stats/numerics/distributions.h"

struct stratum {
	double calls;	    /* that the mean is of */
	double sum_ns;	    /* their time, compensated */
	double variance;    /* of that, the overhead's error left out */
	double variance_sq; /* for the degrees of freedom: variance^2 / freedom, summed */
	bool unknown;	    /* some of it has no error at all */
};

static uint64_t aside_of(const struct report_site *s)
{
	return s->steadiness.warmup_aside ? s->steadiness.warmup_calls : 0;
}

static struct stratum stratum_of(const struct report_site *s)
{
	struct stratum t = {.calls = (double)(s->calls - aside_of(s))};
	double error = s->estimate.error, freedom = s->estimate.freedom;

	t.sum_ns = t.calls * s->estimate.mean;
	if (isfinite(error)) {
		double own = error * error - s->overhead_error_ns * s->overhead_error_ns;

		t.variance = t.calls * t.calls * fmax(own, 0);
	} else if (s->calls == 1) {
		t.variance = s->raw_mean_ns * s->raw_mean_ns;
		freedom = 1;
	} else {
		t.unknown = true;
	}
	t.variance_sq = t.variance * t.variance / (freedom >= 1 ? freedom : 1);
	return t;
}

static void add(struct stratum *to, const struct stratum *from)
{
	to->calls += from->calls;
	to->sum_ns += from->sum_ns;
	to->variance += from->variance;
	to->variance_sq += from->variance_sq;
	to->unknown = to->unknown || from->unknown;
}

static void add_site(struct flame_box *b, const struct report_site *s, uint32_t index, double calls)
{
	if (!b->sites++)
		b->site = index;
	b->value_ns += fmax(s->total_ns, 0);
	b->calls += s->calls;
	b->aside += aside_of(s);
	b->bytes += s->bytes;
	b->has_bytes = b->has_bytes || s->has_bytes;
	b->unreliable |= s->estimate.unreliable;
	b->on_cpu_ns += calls * (s->states.known ? s->states.on_cpu.mean : NAN);
	b->runnable_ns += calls * (s->states.known ? s->states.runnable.mean : NAN);
	b->asleep_ns += calls * (s->states.known ? s->states.asleep.mean : NAN);
}

static void estimate(struct flame_box *b, const struct report *r, const struct stratum *t)
{
	double raw_ns = t->sum_ns / t->calls + r->overhead.inside_ns, half = INFINITY;
	struct mean_interval e = {.mean = raw_ns};

	if (!t->unknown && t->variance_sq > 0)
		half = sqrt(t->variance) / t->calls *
		       distributions_t_quantile(
			       0.5 + r->confidence / 2,
			       floor(fmax(t->variance * t->variance / t->variance_sq, 1)));
	else if (!t->unknown)
		half = 0;
	e.low = fmax(raw_ns - half, 0);
	e.high = raw_ns + half;
	estimate_compensate(&e, &r->overhead, r->confidence);
	b->mean_ns = e.mean;
	b->low_ns = isfinite(half) ? e.low : NAN;
	b->high_ns = isfinite(half) ? e.high : NAN;
}

static void fill(struct flame_box *b, const struct report *r, const struct stratum *t)
{
	if (b->sites == 1) {
		const struct mean_interval *e = &r->site[b->site].estimate;

		b->mean_ns = e->mean;
		b->low_ns = e->low;
		b->high_ns = e->high;
	} else if (t->calls > 0) {
		estimate(b, r, t);
	} else {
		b->mean_ns = b->low_ns = b->high_ns = NAN;
	}
}

/* The top is everything, whatever lies in it. */
static void fill_shares(struct flame *f, const struct report *r)
{
	double work_ns = f->box[0].value_ns;

	for (uint32_t i = 1; i < f->boxes; i++) {
		struct flame_box *b = &f->box[i];

		b->waits = b->kind == FLAME_WAITING || f->box[b->parent].waits;
		if (b->kind == FLAME_WAITING)
			work_ns -= b->value_ns;
	}
	for (uint32_t i = 0; i < f->boxes; i++) {
		struct flame_box *b = &f->box[i];
		double of_ns = !i ? b->value_ns : b->waits ? r->time_ns : work_ns;

		b->share = of_ns > 0 ? b->value_ns / of_ns : NAN;
	}
}

int flame_sum(struct flame *f, const struct report *r)
{
	struct stratum *sum = calloc(f->boxes, sizeof(*sum));

	if (!sum)
		return -1;
	for (uint32_t i = 0; i < r->sites; i++) {
		struct stratum t = stratum_of(&r->site[i]);

		for (uint32_t at = f->end[i];; at = f->box[at].parent) {
			add_site(&f->box[at], &r->site[i], i, t.calls);
			add(&sum[at], &t);
			if (!at)
				break;
		}
	}
	for (uint32_t i = 0; i < f->boxes; i++)
		fill(&f->box[i], r, &sum[i]);
	fill_shares(f, r);
	free(sum);
	return 0;
}

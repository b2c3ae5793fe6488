// SPDX-License-Identifier: GPL-3.0-or-later
/* The rule of stopping.h. */
#include "stats/mean/stopping.h"

#include <math.h>

#include "stats/mean/autocorrelation.h"
#include "stats/sequential/sequential.h"

/* Probability that the mean is outside its limits at any look. */
#define MISSED 0.05

/* Fewer stretches do not show dependence. */
#define LEAST_STRETCHES (STOPPING_STRETCHES / 2)

/* Residuals are rounded to integers of at most this size: 40 bits. */
#define RESIDUAL_SCALE 0x1p40

void stopping_begin(struct stopping *s, double relative, double least_s, double now_s,
		    const struct stopping_stretch *now)
{
	*s = (struct stopping){.relative = relative,
			       .least_s = least_s,
			       .began_s = now_s,
			       .stretch_s = least_s / STOPPING_STRETCHES,
			       .at = *now,
			       .seen = NAN};
	s->due_s = now_s + s->stretch_s;
}

static void merge(struct stopping *s)
{
	s->count /= 2;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct stopping_stretch *pair = &s->stretch[2 * i];

		s->stretch[i] = (struct stopping_stretch){pair[0].calls + pair[1].calls,
							  pair[0].units + pair[1].units};
	}
	s->stretch_s *= 2;
}

bool stopping_add(struct stopping *s, double now_s, const struct stopping_stretch *now)
{
	if (now_s < s->due_s)
		return false;
	if (s->count == STOPPING_STRETCHES)
		merge(s);
	s->stretch[s->count++] =
		(struct stopping_stretch){now->calls - s->at.calls, now->units - s->at.units};
	s->at = *now;
	s->due_s = now_s + s->stretch_s;
	return true;
}

/* Stretches with calls of the mean: all calls of the first one too, if some are. */
static uint32_t first_used(const struct stopping *s, uint64_t skipped)
{
	uint64_t calls = 0;
	uint32_t i = 0;

	while (i < s->count && calls + s->stretch[i].calls <= skipped)
		calls += s->stretch[i++].calls;
	return i;
}

/* Sums over the stretches that are used. */
struct scatter {
	uint32_t count;
	double calls, units, calls_sq;
	double largest, square; /* sums of residuals */
	uint64_t residual[STOPPING_STRETCHES];
};

/* Returns false if there was no call, or if none took any time. */
static bool residuals_of(const struct stopping *s, uint32_t first, struct scatter *r)
{
	*r = (struct scatter){.count = s->count - first};
	for (uint32_t i = first; i < s->count; i++) {
		r->calls += (double)s->stretch[i].calls;
		r->units += (double)s->stretch[i].units;
		r->calls_sq += (double)s->stretch[i].calls * (double)s->stretch[i].calls;
	}
	if (!(r->calls > 0) || !(r->units > 0))
		return false;
	double ratio = r->units / r->calls;
	double scale = RESIDUAL_SCALE / r->units;
	for (uint32_t i = 0; i < r->count; i++) {
		const struct stopping_stretch *at = &s->stretch[first + i];
		double d = ((double)at->units - ratio * (double)at->calls) * scale;

		r->residual[i] = (uint64_t)(int64_t)llround(d);
		r->largest = fmax(r->largest, d * d);
		r->square += d * d;
	}
	r->units *= scale;
	return true;
}

double stopping_width(const struct stopping *s, double elapsed_s, uint64_t skipped, bool *ready)
{
	struct scatter r;
	uint32_t first = first_used(s, skipped);

	*ready = false;
	if (s->count - first < LEAST_STRETCHES || !residuals_of(s, first, &r))
		return NAN;
	struct serial serial = autocorrelation_estimate(
		&(struct stats_batches){.calls = 1, .count = r.count, .sum = r.residual});
	double time = fmax(serial.time, 1);
	/* Kish (1965): calls in few stretches are worth at most this number */
	double independent = fmin(r.count / time, r.calls * r.calls / r.calls_sq);
	*ready = independent >= STOPPING_INDEPENDENT && r.largest <= STOPPING_LARGEST * r.square;
	double t = sequential_t(elapsed_s / s->least_s, MISSED, independent - 1);
	/* Johnson (1978), as in mean_interval.c: the limit on the side of the long tail */
	t += fmax(serial.skewness, 0) / sqrt(independent) * (2 * t * t + 1) / 6;
	return t * sqrt(serial.variance * time * r.count) / r.units;
}

/* Can the ordinary interval be relied on at all? Calls synchronous with the tick stay unreliable
 * however many there are. */
static bool is_enough(const struct stopping_look *l)
{
	double design = isnan(l->design_effect) ? 1 : fmax(l->design_effect, 1);

	return l->used >= STOPPING_CALLS && l->freedom >= STOPPING_BATCHES && !l->unreliable &&
	       !isnan(l->design_effect) && (double)l->used / design >= STOPPING_EFFECTIVE;
}

bool stopping_look(struct stopping *s, double now_s, const struct stopping_look *l)
{
	double half = fmax(l->high - l->mean, l->mean - l->low), width,
	       elapsed = now_s - s->began_s;
	bool ready;

	width = stopping_width(s, elapsed, l->skipped, &ready) * l->raw / l->mean;
	s->seen = isfinite(half) && l->mean > 0 ? half / l->mean : NAN;
	/* an unknown sequence is ignored; a known one may be wider */
	if (width > s->seen)
		s->seen = width;
	s->reached = ready && elapsed >= s->least_s && s->seen <= s->relative && is_enough(l);
	return s->reached;
}

double stopping_expected(double now_s, double widest, double wanted, double least_s)
{
	double more = widest / wanted;

	return widest <= 1 ? fmax(now_s * fmax(more * more, 1), least_s) : NAN;
}

enum stopping_end stopping_lasts(struct stopping_patience *p, double now_s, double calls,
				 double expected_s)
{
	double usual = p->busy_s > 0 ? p->busy_calls / p->busy_s * (now_s - p->busy_s) : 0;

	if (isnan(expected_s) && now_s >= STOPPING_LIMIT_LEAST_S)
		expected_s = now_s;
	if (!(p->limit_s > 0) && !isnan(expected_s))
		p->limit_s = fmax(STOPPING_LIMIT_TIMES * expected_s, STOPPING_LIMIT_LEAST_S);
	if (calls > p->busy_calls && calls - p->busy_calls > STOPPING_IDLE_CALLS * usual) {
		p->busy_s = now_s;
		p->busy_calls = calls;
	}
	if (p->limit_s > 0 && now_s >= p->limit_s)
		return STOPPING_LIMIT;
	return p->busy_calls > 0 && now_s - p->busy_s >= fmax(STOPPING_IDLE_LEAST_S, now_s / 10)
		       ? STOPPING_IDLE
		       : STOPPING_GOES_ON;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Linearised values of the states, and the one rule applied to them.
 *
 * The rule wants integers. Values in ns are scaled by a power of two, so that the largest sum has
 * 60 bits; values below 0 (an unread batch whose neighbours slept little) in two's complement. */
#include <math.h>

#include "stats/mean/proportion.h"
#include "stats/mean/states.h"
#include "stats/numerics/moments.h"

#define MOST_BATCHES 64
/* Minimum number of batches for the rule. */
#define LEAST_BATCHES 8
/* Minimum mean number of unswitched calls per batch: fewer make the sizes too unequal. */
#define LEAST_UNSWITCHED 4
/* If more than this share of calls has off-CPU time, the rule treats them as durations. */
#define EVENTS_SHARE 0.25
/* With fewer effective readings a few calls determine the mean; the same with fewer than FEW_UNEVEN
 * if there are UNEVEN readings per effective one: then times vary more than exponential ones.
 * Chosen by the coverage study. */
#define FEW_EFFECTIVE 30
#define FEW_UNEVEN    120
#define UNEVEN	      4
/* With fewer readings, of more switched calls, the interval would be wrong. */
#define LEAST_READINGS 8

/* Values of all calls, in ns. */
struct values {
	uint64_t n;
	double total;
	double square; /* centred */
	double tick;
	double batch[MOST_BATCHES];
	uint32_t batches;
};

static double scale_of(const struct values *v)
{
	double most = fmax(fmax(fabs(v->total), v->tick), 1);
	int bits;

	for (uint32_t i = 0; i < v->batches; i++)
		most = fmax(most, fabs(v->batch[i]));
	frexp(most, &bits);
	return isfinite(most) ? ldexp(1, bits < 50 ? 10 : 60 - bits) : 0;
}

static int64_t integer(double value)
{
	return isfinite(value) ? llround(fmin(fmax(value, -0x1p61), 0x1p61)) : 0;
}

/* Stretches of unbatched calls are known only for elapsed time. Other values are assumed to be
 * spread over `calls` in proportion to length. */
static struct stats_apart apart_like(const struct stats_apart *a, double calls, double each)
{
	double squares = a->calls_sq * calls * calls;

	return (struct stats_apart){a->stretches, squares, each * squares, each * each * squares};
}

/* Mean value per unbatched call, of `calls` calls of which batches hold `batched`. */
static double each_apart(double total, const int64_t *batch, uint32_t batches, double calls,
			 double batched)
{
	for (uint32_t i = 0; i < batches; i++)
		total -= (double)batch[i];
	return calls > batched ? total / (calls - batched) : 0;
}

static struct mean_interval apply_rule(const struct values *v, const struct stats_sample *elapsed,
				       double confidence)
{
	double scale = scale_of(v), calls = (double)elapsed->batches.calls;
	double square = fmin(fmax(v->square, 0) * scale * scale, 0x1p120);
	uint64_t n = v->n, sum = (uint64_t)integer(v->total * scale);
	int64_t batch[MOST_BATCHES];
	struct stats_sample s = {
		.sums = {.n = n,
			 .sum = sum,
			 .sum_sq = (stats_u128)sum * sum / n + (stats_u128)square + n,
			 .max = UINT64_MAX,
			 .tick = (uint64_t)fmax(1, (double)integer(v->tick * scale)),
			 .unit = scale > 0 ? 1 / scale : 0},
		.batches = {elapsed->batches.calls, v->batches, (const uint64_t *)batch},
	};

	for (uint32_t i = 0; i < v->batches; i++)
		batch[i] = integer(v->batch[i] * scale);
	s.apart = apart_like(
		&elapsed->apart, 1,
		each_apart((double)sum, batch, v->batches, (double)n, calls * v->batches));
	return mean_interval_estimate(&s, confidence);
}

/* One state off the CPU. */
struct off {
	double total, square_sum; /* estimated, of all calls */
	double factor;		  /* factor of the sums: the part not read, minus stolen time */
	double ratio;		  /* factor that extends them to all known segments */
	double factor_kept;	  /* the same, minus time that was stolen or is impossible */
	const uint64_t *batch;
};

/* Limit: the off-CPU time of calls is at most the duration of the switched ones. */
static void limit(const struct states_sample *s, struct off *r, struct off *a)
{
	uint64_t units = s->sampled ? s->elapsed.sums.sum : s->units;
	double most = (double)units * s->elapsed.sums.unit, all = r->total + a->total;
	struct off *both[] = {r, a};

	for (int i = 0; i < 2 && all > most; i++) {
		both[i]->total *= most / all;
		both[i]->square_sum *= most / all * most / all;
		both[i]->factor *= most / all;
		both[i]->factor_kept *= most / all;
	}
}

static struct off off_of(const struct states_sample *s, double sum, double square,
			 const uint64_t *batch, double kept)
{
	double known = s->sampled ? (double)s->elapsed.sums.n : s->known;
	double factor = s->weighted > 0 ? known / s->weighted * kept : 0;

	return (struct off){sum * factor, square * factor * factor,
			    factor,	  s->weighted > 0 ? sum / s->weighted : 0,
			    kept,	  batch};
}

/* 0: none, or not of states. */
static uint32_t batches_of(const struct states_sample *s)
{
	uint32_t count = s->elapsed.batches.count;

	return s->batches.calls && count <= MOST_BATCHES ? count : 0;
}

/* The linearised value z of batch i. */
static double linearised(const struct states_sample *s, const struct off *o, uint32_t i)
{
	double known = s->sampled ? (double)s->elapsed.batches.calls : (double)s->batches.known[i];

	return o->factor_kept *
	       (o->ratio * (known - (double)s->batches.weighted[i]) + (double)o->batch[i]);
}

static double squares_about_mean(double n, double total, double square_sum)
{
	return square_sum - total * total / n;
}

/* Kish's effective number of readings: as many readings of equal length give the same precision. */
static double effective(const struct off *o)
{
	return o->square_sum > 0 ? o->total * o->total / o->square_sum : 0;
}

/* Does the mean depend on a few of the calls read? The criterion is that for durations. */
static unsigned heavy_tail(const struct states_sample *s, const struct off *o, double confidence)
{
	struct values v = {.n = (double)s->readings, .total = o->total};

	if (effective(o) < FEW_EFFECTIVE ||
	    (effective(o) < FEW_UNEVEN && v.n > UNEVEN * effective(o)))
		return s->elapsed.sums.n < STATS_RELIABLE_CALLS ? 0 : STATS_HEAVY_TAIL;
	v.square = squares_about_mean(v.n, v.total, o->square_sum);
	return apply_rule(&v, &(struct stats_sample){0}, confidence).unreliable & STATS_HEAVY_TAIL;
}

/* For a sample: a warning about the larger off-CPU part applies to the rest, too. */
static unsigned sampled_tail(const struct states_sample *s, const struct off *r,
			     const struct off *a, const struct states_estimate *e)
{
	const struct off *most = r->total > a->total ? r : a;

	if (!s->sampled && !((double)s->readings < e->switched))
		return 0;
	return (effective(most) < FEW_EFFECTIVE ? STATS_HEAVY_TAIL : 0) |
	       (most == r ? e->runnable : e->asleep).unreliable;
}

/* If few calls have any, the rule treats them as events whose length is their weighted mean length:
 * like ticks of a slow clock, whose limits are exact. */
static struct mean_interval off_mean(const struct states_sample *s, const struct off *o,
				     double others, double confidence)
{
	double n = (double)s->elapsed.sums.n;
	struct values v = {.n = s->elapsed.sums.n, .total = o->total, .batches = batches_of(s)};
	struct mean_interval m = mean_interval_within(0, 0, INFINITY);

	if (!(o->total > 0)) { /* as many as an exact limit says at most, as long as others */
		m.method = "clopper-pearson";
		proportion_clopper_pearson(0, (double)s->readings, confidence, &m.low, &m.high);
		m.high *= others / n;
		return m;
	}
	v.square = squares_about_mean(n, o->total, o->square_sum);
	v.tick = effective(o) < EVENTS_SHARE * n ? o->square_sum / o->total : 0;
	for (uint32_t i = 0; i < v.batches; i++)
		v.batch[i] = linearised(s, o, i);
	m = apply_rule(&v, &s->elapsed, confidence);
	m.mean = o->total / n;
	m.unreliable |= heavy_tail(s, o, confidence);
	return m;
}

/* Centred squares of elapsed - runnable - asleep. */
static double on_cpu_square(const struct states_sample *s, const struct off *r, const struct off *a)
{
	const struct stats_sums *e = &s->elapsed.sums;
	double n = (double)e->n, time = (double)e->sum * e->unit;
	double elapsed = fmax(0, moments_square(e->n, e->sum, e->sum_sq)) * e->unit * e->unit;
	double with_runnable = s->units_runnable * e->unit * r->factor - time * r->total / n;
	double with_asleep = s->units_asleep * e->unit * a->factor - time * a->total / n;
	double both = s->runnable_asleep * r->factor * a->factor - r->total * a->total / n;

	return elapsed + squares_about_mean(n, r->total, r->square_sum) +
	       squares_about_mean(n, a->total, a->square_sum) -
	       2 * (with_runnable + with_asleep - both);
}

/* A total below 0, by chance: the rule is for durations. Moved up, and the result down again. */
static struct mean_interval on_cpu_mean(const struct states_sample *s, const struct off *r,
					const struct off *a, double confidence)
{
	const struct stats_sums *e = &s->elapsed.sums;
	double total = (double)e->sum * e->unit - r->total - a->total;
	double by = total < 0 ? -2 * total / (double)e->n : 0;
	struct values v = {.n = e->n,
			   .total = total + by * (double)e->n,
			   .square = on_cpu_square(s, r, a),
			   .tick = (double)e->tick * e->unit,
			   .batches = batches_of(s)};

	for (uint32_t i = 0; i < v.batches; i++)
		v.batch[i] = (double)s->elapsed.batches.sum[i] * e->unit - linearised(s, r, i) -
			     linearised(s, a, i) + by * (double)s->elapsed.batches.calls;
	struct mean_interval m = apply_rule(&v, &s->elapsed, confidence);
	m.mean -= by;
	m.low -= by;
	m.high -= by;
	return m;
}

/* Number of calls that kept their CPU, in all and in batch i. */
struct kept {
	uint64_t calls, units;
};

static struct kept kept_of(const struct states_sample *s, uint32_t i)
{
	struct kept k = {s->batches.calls[i], s->batches.units[i]};

	if (s->sampled)
		return k;
	return (struct kept){s->elapsed.batches.calls - k.calls,
			     s->elapsed.batches.sum[i] - k.units};
}

/* Batches have unequal numbers of calls that kept their CPU; the rule wants equal ones. With m the
 * mean, a batch of b such calls and t units is, linearised, one of c calls and c m + (t - b m)
 * units (a ratio of two sums: Cochran 1977, section 6.4), c being the mean number. Returns c, in
 * batch[]; 0: too few. */
static uint64_t equal_batches(const struct states_sample *s, double mean, double scale,
			      int64_t *batch)
{
	uint32_t count = batches_of(s);
	uint64_t calls = 0, each;

	if (count < LEAST_BATCHES)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		calls += kept_of(s, i).calls;
	each = calls / count;
	if (each < LEAST_UNSWITCHED)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		struct kept k = kept_of(s, i);

		batch[i] = integer((double)k.units * scale) +
			   integer(mean * scale * ((double)each - (double)k.calls));
	}
	return each;
}

uint64_t states_estimate_batches(const struct states_sample *s, uint64_t *sum, uint32_t *count)
{
	const struct stats_batches *b = &s->elapsed.batches;
	int64_t batch[MOST_BATCHES];
	uint64_t calls = 0, units = 0, each;

	*count = b->count <= MOST_BATCHES ? b->count : MOST_BATCHES;
	if (!s->sampled && !s->calls) {
		for (uint32_t i = 0; i < *count; i++)
			sum[i] = b->sum[i];
		return *count ? b->calls : 0;
	}
	for (uint32_t i = 0; i < batches_of(s); i++) {
		calls += kept_of(s, i).calls;
		units += kept_of(s, i).units;
	}
	each = calls ? equal_batches(s, (double)units / (double)calls, 1, batch) : 0;
	for (uint32_t i = 0; i < *count && each; i++)
		sum[i] = batch[i] > 0 ? (uint64_t)batch[i] : 0;
	return each;
}

static struct mean_interval unswitched_mean(const struct states_sample *s, double confidence)
{
	const struct stats_sums *e = &s->elapsed.sums;
	struct stats_sample of = s->elapsed;
	int64_t batch[MOST_BATCHES];

	if (!s->sampled && !s->calls)
		return mean_interval_estimate(&s->elapsed, confidence);
	if (s->ticker_near)
		return mean_interval_within(NAN, NAN, NAN);
	of.sums.n = s->sampled ? s->calls : e->n - s->calls;
	of.sums.sum = s->sampled ? s->units : e->sum - s->units;
	of.sums.sum_sq = s->sampled ? s->units_sq : e->sum_sq - s->units_sq;
	double calls = (double)of.sums.n;
	double units = (double)of.sums.sum;
	double scale = of.sums.sum >> 50 ? 1 : 1024;
	of.sums.sum *= (uint64_t)scale;
	of.sums.sum_sq *= (uint64_t)scale * (uint64_t)scale;
	of.sums.tick *= (uint64_t)scale;
	of.sums.min *= (uint64_t)scale;
	of.sums.max = of.sums.max > of.sums.min ? UINT64_MAX : of.sums.min;
	of.tail = (struct stats_tail_index){0};
	of.sums.unit /= scale;
	of.batches.calls = of.sums.n ? equal_batches(s, units / calls, scale, batch) : 0;
	of.batches.count = of.batches.calls ? s->elapsed.batches.count : 0;
	of.batches.sum = (const uint64_t *)batch;
	double each = each_apart(units * scale, batch, of.batches.count, calls,
				 (double)of.batches.calls * of.batches.count);
	of.apart = apart_like(&s->elapsed.apart, calls / (double)e->n, each);
	return mean_interval_estimate(&of, confidence);
}

/* Too few of the switched calls were read. Their off-CPU time is at most their duration: the total
 * of all calls minus that of the calls that kept their CPU. */
static void not_read(const struct states_sample *s, struct off *r, struct off *a, double confidence,
		     struct states_estimate *out)
{
	struct mean_interval all = mean_interval_estimate(&s->elapsed, confidence);
	double n = (double)s->elapsed.sums.n, kept = 0, most;

	if (!out->switched) {
		out->runnable = out->asleep = mean_interval_within(0, 0, INFINITY);
		out->on_cpu = all;
		return;
	}
	if (!s->readings && !(s->weighted > 0)) {
		r->total = s->others_runnable * s->known;
		a->total = s->others_asleep * s->known;
		limit(s, r, a);
	}
	if (out->unswitched.low > 0)
		kept = out->unswitched.low * fmax(0, 1 - out->switched / n);
	most = fmax(0, all.high - kept);
	out->runnable = mean_interval_within(r->total / n, 0, most);
	out->asleep = mean_interval_within(a->total / n, 0, most);
	out->on_cpu = mean_interval_within(all.mean - (r->total + a->total) / n, kept, all.high);
}

/* The limits hold what was read, of calls that took `mean`. */
static void include(struct mean_interval *m, double moved, double mean)
{
	double read = fmin(fmax(m->mean - moved, 0), mean);

	m->low = fmin(m->low, read);
	m->high = fmax(m->high, read);
}

struct states_estimate states_estimate_means(const struct states_sample *s, double confidence)
{
	struct off r = off_of(s, s->runnable, s->runnable_sq, s->batches.runnable, 1);
	struct off a = off_of(s, s->asleep, s->asleep_sq, s->batches.asleep,
			      1 - fmin(fmax(s->asleep_stolen, 0), 1));
	double n = (double)s->elapsed.sums.n;
	struct states_estimate out = {.switched = (double)s->calls};
	/* Batches hold calls, but not their states: dependence is unknown. */
	unsigned missing = !batches_of(s) && s->elapsed.batches.count >= LEAST_BATCHES
				   ? STATS_FEW_INDEPENDENT
				   : 0;

	limit(s, &r, &a);
	if (s->sampled)
		out.switched = s->weighted > 0 ? s->switched_weighted * n / s->weighted : NAN;
	out.unswitched = unswitched_mean(s, confidence);
	if (s->readings < 2 ||
	    (s->readings < LEAST_READINGS && (double)s->readings < out.switched)) {
		not_read(s, &r, &a, confidence, &out);
		return out;
	}
	out.runnable = off_mean(s, &r, a.total, confidence);
	out.asleep = off_mean(s, &a, r.total, confidence);
	out.on_cpu = on_cpu_mean(s, &r, &a, confidence);
	double mean = (double)s->elapsed.sums.sum * s->elapsed.sums.unit / n;
	out.on_cpu.mean = mean - out.runnable.mean - out.asleep.mean;
	include(&out.runnable, s->moved_runnable / n, mean);
	include(&out.asleep, s->moved_asleep / n, mean);
	include(&out.on_cpu, -(s->moved_runnable + s->moved_asleep) / n, mean);
	out.runnable.unreliable |= missing;
	out.asleep.unreliable |= missing;
	out.on_cpu.unreliable |= missing | sampled_tail(s, &r, &a, &out);
	return out;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The one rule of mean_interval.h. Below MANY_BATCHES batches their error is too noisy to be used:
 * the calls' own variance is used instead, unless the batches contradict it. "Effective" counts are
 * divided by the design effect, as Korn and Graubard (1998) do for survey data. The constants were
 * chosen by the coverage study: docs/coverage.md. */

#include "stats/mean/mean_interval.h"
#include "stats/numerics/moments.h"
#include "stats/mean/phase_test.h"
#include "stats/mean/proportion.h"
#include "stats/mean/autocorrelation.h"
#include "stats/numerics/distributions.h"

#define FEW_EVENTS 100
/* If a larger share of the calls has a tick, ticks are no longer "few". */
#define FEW_SHARE    0.25
#define MANY_BATCHES 32
/* With fewer independent batches, or stretches of unbatched calls, the error is unknown. */
#define FEW_INDEPENDENT 9
#define FEW_STRETCHES	4
/* For means above this many ticks, the tick's phase adds little to the spread. */
#define FAST_TICKS 16
/* If the tail index is unknown: number of calls that a heavy tail needs, divided by the coefficient
 * of variation. */
#define HEAVY_CALLS 600
/* The mean is normal if and only if the longest call's share of the squared deviations vanishes
 * (O'Brien 1980; Gine, Goetze and Mason 1997). */
#define LONGEST_HEAVY 0.1
/* 1 / alpha: the variance is infinite from 1/2 on, the mean from 1 on. The interval grows without
 * limit towards 1. */
#define INFINITE_VARIANCE 0.5
#define INFINITE_MEAN	  1
#define HEAVIEST	  0.9
/* Means below this many ticks hide the tail: long calls show one tick like others. */
#define HIDDEN_TAIL 0.2
/* Factor of the upper part of the interval if the tail is heavy and its index unknown. */
#define UNKNOWN_TAIL 2
/* Factor of the upper limit of few events if the tail is heavy all the same. */
#define HEAVY_RAISE 1.2
/* False-alarm rate per site of the test for preferred phases. */
#define SYNCHRONOUS_P 0.001
/* Standard errors by which the design effect of few events is increased. */
#define CAUTION 0.5

/* Quantities in ticks until the end. */
struct shape {
	double n, mean, variance; /* number, mean and variance of the calls */
	double tick_noise;	  /* part of the variance due to the phase of the ticks */
	double spread;		  /* coefficient of variation of the durations themselves */
	struct serial serial;
	double design;	  /* variance of the mean over that of independent calls */
	double freedom;	  /* degrees of freedom of that variance, with `caution` applied */
	double caution;	  /* factor of the variance if few batches are independent */
	double apart;	  /* share of the variance that only unbatched calls explain */
	double stretches; /* effective number of stretches of unbatched calls */
	double longest;	  /* share of the longest call in the squared deviations */
	double tail;	  /* 1 / alpha, one standard error above its estimate; 0: unknown */
	bool heavy;
};

static double variance_in_ticks(const struct stats_sums *s)
{
	double square = s->n > 1 ? moments_square(s->n, s->sum, s->sum_sq) : 0;

	return square > 0 ? square / (double)(s->n - 1) / ((double)s->tick * (double)s->tick) : 0;
}

/* Detects tails that make the mean depend on a few calls: the coefficient of variation is larger
 * than lighter tails show in so few calls. */
static double heavy_spread(double n)
{
	double decades = log10(n / 30);

	return n < 300 ? 1.6 + 0.3 * decades : fmin(1.9 + 0.6 * (decades - 1), 3);
}

/* Scatter of unbatched calls beyond that of batches. One tick more or less at the ends of a stretch
 * of contiguous calls is ignored; neighbours that exchange more than ticks only look contiguous by
 * chance. */
static void add_apart(const struct stats_sample *s, struct shape *r)
{
	double tick_sq = (double)s->sums.tick * (double)s->sums.tick, squares = r->n * r->variance;
	double batch = r->serial.variance * r->serial.calls * r->serial.calls / tick_sq;
	bool ends = r->serial.contiguous && -2 * r->serial.correlation * batch <= 1;
	double batches = r->design * squares, apart, all;

	apart = autocorrelation_unbatched(s, batches / r->n * tick_sq, ends ? tick_sq : 0,
					  &r->stretches) /
		tick_sq;
	if (!(apart > 0))
		return;
	all = batches + apart;
	r->design = all / squares;
	r->apart = apart / all;
	r->caution -= (r->caution - 1) * r->apart;
	/* Satterthwaite (1946) */
	r->freedom = 1 / (r->apart * r->apart / r->stretches +
			  (1 - r->apart) * (1 - r->apart) / r->freedom);
}

/* 1 / alpha, so many standard errors above the estimate (Hill 1975); 0: unknown. */
static double tail_of(const struct stats_tail_index *t, double errors)
{
	return t->inverse > 0 ? t->inverse * (1 + errors / sqrt(t->calls)) : 0;
}

static bool is_heavy(const struct shape *r)
{
	if (r->n < STATS_RELIABLE_CALLS || r->variance <= 1.25 * r->tick_noise)
		return false;
	if (r->tail > 0)
		return r->tail > INFINITE_VARIANCE && r->longest > LONGEST_HEAVY;
	return r->spread > heavy_spread(r->n);
}

/* A heavy tail that only shows in the spread of the durations: the clock has no histogram, or there
 * are few calls. */
static bool is_guessed(const struct shape *r)
{
	return r->heavy && r->mean > HIDDEN_TAIL && !(r->tail > 0) &&
	       r->n / fmax(r->design, 1) < HEAVY_CALLS * r->spread;
}

static struct shape shape_of(const struct stats_sample *s)
{
	const struct stats_sums *sums = &s->sums;
	double tick = (double)sums->tick, f;
	struct shape r = {
		.n = (double)sums->n,
		.mean = (double)((long double)sums->sum / sums->n) / tick,
		.variance = variance_in_ticks(sums),
		.serial = autocorrelation_estimate(&s->batches),
		.design = 1,
	};
	struct caution caution = autocorrelation_caution(&r.serial);

	f = r.mean - floor(r.mean);
	r.tick_noise = r.mean < 1 ? f * (1 - f) : 1.0 / 6;
	r.spread = sqrt(fmax(0, r.variance - r.tick_noise)) / r.mean;
	r.longest = pow((double)sums->max / tick - r.mean, 2) / (r.variance * (r.n - 1));
	r.tail = tail_of(&s->tail, 1); /* long calls that did not occur are missing from it */
	r.heavy = is_heavy(&r);
	r.freedom = caution.freedom;
	r.caution = caution.variance;
	if (r.serial.batches >= 8 && r.variance > 0) {
		r.design = r.serial.variance / (tick * tick) * r.serial.calls * r.serial.time /
			   r.variance;
		add_apart(s, &r);
	}
	return r;
}

/* Calls with more ticks than the shortest, as a number of equal events: `events` of them with
 * `weight` ticks each. */
struct events {
	double base, weight, events;
};

static struct events events_of(const struct stats_sums *s, const struct shape *r)
{
	double tick = (double)s->tick, base = (double)s->min / tick;
	double over = (r->mean - base) * r->n;
	double square = r->variance * (r->n - 1) + over * over / r->n;
	struct events e = {base, 1, over};

	if (s->max - s->min > s->tick && over > 0) {
		e.weight = square / over;
		e.events = over / e.weight;
	}
	/* Sums that contradict each other come from damaged profiles; limits of a
	 * proportion must not be asked for them. */
	if (!(e.events >= 0 && isfinite(e.weight)))
		return (struct events){base, 1, 0};
	e.events = fmin(e.events, r->n);
	return e;
}

static bool is_few(const struct events *e, const struct shape *r)
{
	double design = fmax(r->design, 1), fewer = fmin(e->events, r->n - e->events);

	if (fewer / design >= FEW_EVENTS || (r->serial.contiguous && fewer >= FEW_EVENTS / 3.0))
		return false;
	return e->weight == 1 || e->events < FEW_SHARE * r->n;
}

/* Few events show little of their own dependence: one standard error above the estimate, at least
 * 1. */
static double cautious_design(const struct shape *r)
{
	if (r->serial.batches < 8)
		return 1;
	return fmax(1, r->design * fmax(r->caution, 1 + CAUTION * sqrt(2 / r->serial.independent)));
}

static void few_events(const struct stats_sums *s, const struct events *e, const struct shape *r,
		       double confidence, struct mean_interval *out)
{
	double freedom = r->serial.batches ? r->freedom : INFINITY, low, high;
	double design = distributions_cautious_design(cautious_design(r), confidence, freedom);

	design = fmin(design, r->n);
	proportion_clopper_pearson(e->events / design, r->n / design, confidence, &low, &high);
	/* All calls show the same count: the truth may lie on either side of it. */
	if (s->max == s->min)
		low = -high;
	out->low = e->base + e->weight * low;
	out->high =
		e->base + e->weight * high * (r->heavy && r->mean <= HIDDEN_TAIL ? HEAVY_RAISE : 1);
	if (is_guessed(r))
		out->high += (UNKNOWN_TAIL - 1) * (out->high - r->mean);
	out->method = "clopper-pearson";
	out->error = sqrt(fmax(r->variance, 1 / r->n) * design / r->n);
	out->freedom = r->serial.batches ? r->freedom : fmax(1, r->n - 1);
}

/* Do the batches, too few to measure the design effect, show any dependence? */
static bool depends(const struct shape *r)
{
	return r->serial.batches >= MANY_BATCHES ||
	       (r->serial.batches >= 8 && r->serial.correlation > 1.5 / sqrt(r->serial.batches));
}

/* By how much a tail of index alpha raises the upper limit. The mean of calls of infinite variance,
 * over its standard error, keeps a limit distribution of its own (Logan, Mallows, Rice and Shepp
 * 1973). Simulated for Pareto durations, its lower 2.5 % quantile is 1.0 to 1.1 times
 * 1.96 / (alpha - 1) at alpha = 1.1 to 1.6: as the mean excess over the longest call, which is that
 * call / (alpha - 1). */
static double stretch(const struct shape *r)
{
	double tail = fmin(r->tail, HEAVIEST);

	if (is_guessed(r))
		return UNKNOWN_TAIL;
	return r->heavy ? fmax(1, tail / (1 - tail)) : 1;
}

/* The quantiles of a studentized mean are not symmetrical when its terms are skewed: to first order
 * -(2 t^2 + 1) skewness / 6 is added to both (Johnson 1978; Hall 1992, section 2.6). The lower
 * limit takes half of it, because the skewness of a sample is itself uncertain; for a heavy tail,
 * whose sample skewness is far too small, the upper one 1.6 times, and the lower none.
 * `wider`: what few independent batches have made of the interval already; what follows from a few
 * long calls is seen in both ways, and counts once. */
static void around(const struct shape *r, double t, double wider, struct mean_interval *out)
{
	double skewness = r->serial.batches ? r->serial.skewness / sqrt(r->serial.independent) : 0;
	double shift = fmin(fmax(skewness, 0) * (2 * t * t + 1) / 6, t);
	bool tail = r->heavy && (r->tail > 0 || r->n < 1000 * r->spread * r->spread);

	out->low = r->mean - out->error * (t - (tail ? 0 : 0.5 * shift));
	out->high =
		r->mean + out->error * (t + (tail ? 1.6 : 1) * shift) * fmax(1, stretch(r) / wider);
}

static void by_variance(const struct shape *r, double confidence, struct mean_interval *out)
{
	double least = r->mean >= FAST_TICKS ? 0.25 : 0, wider = 1, t;

	out->low = 0;
	out->high = INFINITY;
	if (r->n < 2)
		return;
	out->freedom = r->n - 1;
	out->method = "t";
	out->error = sqrt(fmax(r->variance, least) / r->n);
	if (depends(r)) {
		out->freedom = r->freedom;
		out->method = "batch-t";
		out->error *= sqrt(r->design * r->caution);
	}
	t = distributions_t_two_sided(confidence, out->freedom);
	if (out->freedom == r->freedom && r->caution > 1)
		wider = sqrt(r->caution) * t /
			distributions_t_two_sided(confidence, r->serial.freedom);
	if (isfinite(t))
		around(r, t, wider, out);
}

/* How far preferred phases may move a mean of f ticks (and any number of whole ones): the integral
 * of (density - 1) over the phases that see a tick more, which by Cauchy and Schwarz is at most the
 * density's unevenness times sqrt(f (1 - f)). In ticks; the largest over the interval. */
static double phase_bias(const uint64_t *phase, double low, double high)
{
	double a = low - floor(low), b = high - floor(high);
	bool half = high - low >= 1 || floor(low) != floor(high) || (a <= 0.5 && b >= 0.5);

	return (half ? 0.5 : sqrt(fmax(a * (1 - a), b * (1 - b)))) *
	       phase_test_unevenness(phase, STATS_PHASES);
}

static unsigned unreliable_of(const struct stats_sample *s, const struct shape *r,
			      const struct mean_interval *e)
{
	unsigned unreliable = 0;

	/* Are there preferred phases, with an effect that matters compared with the interval? */
	if (s->phase && phase_test_p(s->phase, STATS_PHASES) < SYNCHRONOUS_P &&
	    phase_bias(s->phase, e->low, e->high) > 0.125 * (e->high - e->low))
		unreliable |= STATS_SYNCHRONOUS;
	if (depends(r) && (r->serial.independent < FEW_INDEPENDENT ||
			   (r->apart > 0.5 && r->stretches < FEW_STRETCHES)))
		unreliable |= STATS_FEW_INDEPENDENT;
	if (r->heavy && r->mean > HIDDEN_TAIL && tail_of(&s->tail, -2) > INFINITE_MEAN)
		unreliable |= STATS_HEAVY_TAIL;
	return unreliable;
}

struct mean_interval mean_interval_estimate(const struct stats_sample *s, double confidence)
{
	struct mean_interval out = mean_interval_within(NAN, NAN, NAN);
	double d = (double)s->sums.tick * s->sums.unit;

	if (s->sums.n == 0)
		return out;
	struct shape r = shape_of(s);
	struct events events = events_of(&s->sums, &r);
	if (is_few(&events, &r) && r.mean < FAST_TICKS)
		few_events(&s->sums, &events, &r, confidence, &out);
	else
		by_variance(&r, confidence, &out);
	if (r.serial.batches >= 8)
		out.design_effect = r.design * r.caution; /* the error is that of independent calls
							   * times the root of this */
	out.low = fmax(0, out.low);
	out.unreliable = unreliable_of(s, &r, &out);
	out.mean = r.mean * d;
	out.low *= d;
	out.high *= d;
	out.error *= d;
	return out;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes.h"

#include <math.h>

#include "stats/displacement/displacement.h"
#include "stats/numerics/distributions.h"

#define NEAR	   0.8	/* a thread busy for this share of a unit's time may be next */
#define SAME_PACE  0.9	/* share of the unit's gain: such a thread is not overtaken */
#define KNOWN_BUSY 0.02 /* share of a unit: accuracy of the CPU times */
#define TWO_SIDED  1.96
#define HIDDEN	   0.5	/* share of the slope of a call whose own thread is the bottleneck */
#define SURE	   0.05 /* highest q of a slope that counts as different from 0 */

/* Relative reduction of a unit's time, with its limits. */
struct reduction {
	double value, low, high;
};

static bool is_known(struct slopes_value v)
{
	return isfinite(v.value) && v.error >= 0 && isfinite(v.error);
}

/* share x slope x call / unit, with its error by the delta method. */
static struct reduction reduce(struct slopes_value slope, struct slopes_value call,
			       struct slopes_value unit, double share, double confidence)
{
	struct displacement_value v = {share * slope.value * call.value / unit.value, 0, INFINITY};
	struct reduction r = {NAN, NAN, NAN};

	if (!isfinite(slope.value) || !isfinite(call.value) || !(unit.value > 0))
		return r;
	r.value = v.value;
	if (!is_known(slope) || !is_known(call) || !is_known(unit))
		return r;
	displacement_add_error(&v, share * call.value / unit.value * slope.error, slope.freedom);
	displacement_add_error(&v, share * slope.value / unit.value * call.error, call.freedom);
	displacement_add_error(&v, v.value / unit.value * unit.error, unit.freedom);
	displacement_limits(v, confidence, &r.low, &r.high);
	return r;
}

static double percent_of(double reduction)
{
	return reduction < 1 ? 100 * reduction / (1 - reduction) : reduction >= 1 ? INFINITY : NAN;
}

/* The reduction of a unit's time if each call gets shorter by `off` and the slope falls linearly
 * until it is 0. */
static double gain(double slope, double bend, double off)
{
	if (slope <= 0 || bend <= 0)
		return slope * off;
	return slope > bend * off ? slope * off - bend * off * off / 2 : slope * slope / bend / 2;
}

/* A reduction with a bend, and its limits. The limits of slope and bend are computed separately,
 * and their distances from the value are added as squares. */
static struct reduction bend(struct slopes_value slope, struct slopes_value bend, double off,
			     double unit, double confidence, double (*by)(double, double, double))
{
	double s = slope.value, b = bend.value;
	double t_s = distributions_t_two_sided(confidence, slope.freedom) * slope.error;
	double t_b = distributions_t_two_sided(confidence, bend.freedom) * bend.error;
	double value = by(s, b, off);
	double low = hypot(value - by(s - t_s, b, off), value - by(s, b + t_b, off));
	double high = hypot(value - by(s + t_s, b, off), value - by(s, b - t_b, off));

	return (struct reduction){value / unit, (value - low) / unit, (value + high) / unit};
}

/* The longest time per unit that a thread is busy if each call takes `off` less: over all threads,
 * or over those that get shorter by less than the unit does by its slope. */
static double busiest(const struct slopes_site *site, double off, double slope)
{
	double longest = 0;

	for (const struct slopes_thread *t = site->thread; t < site->thread + site->threads; t++)
		if (t->calls < SAME_PACE * slope)
			longest = fmax(longest, t->busy - t->calls * off);
	return longest;
}

/* Limits a reduction at the busy time of a thread. Near a thread other than the site's own, the
 * time of a unit is a convex function of the call's time, so it falls at least in proportion to the
 * rest without the call. Returns true if the result is an upper bound. */
static bool end_at_threads(const struct slopes *all, const struct slopes_site *site, double call,
			   double share, struct reduction *r)
{
	double unit = all->unit.value, off = share * call;
	double slope = site->slope.value - TWO_SIDED * site->slope.error; /* lower limit */
	double error = KNOWN_BUSY + (all->unit.error >= 0 ? TWO_SIDED * all->unit.error / unit : 0);
	double next = busiest(site, off, slope) / unit;

	if (!(off > 0) || !(unit > 0) || isnan(r->low))
		return false;
	r->high = fmin(r->high, fmax(1 - busiest(site, off, INFINITY) / unit, 0) + error);
	r->value = fmin(r->value, fmin(r->high, fmax(1 - next, 0)));
	r->low = fmin(r->low, r->value);
	if (next < NEAR * (1 - r->value))
		return false;
	r->low = fmin(r->low, fmax(0, share * (1 - busiest(site, call, slope) / unit)) - error);
	return true;
}

/* Does the program mostly wait for something else? A delay makes its thread's time per unit longer
 * by the calls there, and the slope is significantly below that. The time of a unit consists of
 * sums and maxima (Baccelli, Cohen, Olsder and Quadrat 1992), so it is convex in a call's time: the
 * slope falls when the call gets faster. */
static bool is_hidden(const struct slopes_site *site)
{
	double calls = 0;

	for (size_t i = 0; i < site->threads; i++)
		calls = fmax(calls, site->thread[i].calls);
	return site->q <= SURE && site->slope.value > 0 &&
	       site->slope.value + TWO_SIDED * site->slope.error < HIDDEN * calls;
}

static struct reduction throughput(const struct slopes *all, const struct slopes_site *site,
				   struct slopes_value call, double share, double confidence,
				   bool *thread_near)
{
	bool bent = site->shape == SLOPES_CONVEX || site->shape == SLOPES_CONCAVE;
	struct slopes_value slope = bent && is_known(site->low) ? site->low : site->slope;
	struct reduction r = reduce(slope, call, all->unit, share, confidence), other;

	if (site->shape == SLOPES_CONVEX || is_hidden(site))
		r.low = fmin(r.low, 0);
	if (site->shape == SLOPES_CONDITIONAL) {
		other = reduce(site->others_slower, call, all->unit, share, confidence);
		r.low = fmin(r.low, isnan(other.low) ? 0 : other.low);
		r.high = fmax(r.high, other.high);
	}
	if (!isnan(r.low) && is_known(site->bend))
		r.low = fmin(r.low, bend(site->slope, site->bend, share * call.value,
					 all->unit.value, confidence, gain)
					    .low);
	*thread_near = end_at_threads(all, site, call.value, share, &r);
	return r;
}

/* Latency may bend in either direction and go below 0: a faster producer fills a queue. */
static double parabola(double slope, double bend, double off)
{
	return slope * off - bend * off * off / 2;
}

static struct reduction latency(const struct slopes *all, const struct slopes_site *site,
				struct slopes_value call, double share, double confidence)
{
	struct reduction r = reduce(site->latency, call, all->latency, share, confidence), bent;

	if (isnan(r.low) || !is_known(site->latency_bend))
		return r;
	bent = bend(site->latency, site->latency_bend, share * call.value, all->latency.value,
		    confidence, parabola);
	r.low = fmin(r.low, bent.low);
	r.high = fmax(r.high, bent.high);
	return r;
}

/* No more than all of it; NAN stays. */
static double percent_less(double reduction)
{
	return reduction > 1 ? 100 : 100 * reduction;
}

struct slopes_prediction slopes_predict(const struct slopes *all, const struct slopes_site *site,
					struct slopes_value call, double share, double confidence)
{
	bool near, hidden = is_hidden(site);
	struct reduction r = throughput(all, site, call, share, confidence, &near);
	struct reduction l = {NAN, NAN, NAN};
	bool conditional = site->shape == SLOPES_CONDITIONAL;
	/* the queueing time after the bottleneck moves is unknown */
	if (!near)
		l = latency(all, site, call, share, confidence);
	bool less = site->others_slower.value < site->slope.value;

	return (struct slopes_prediction){
		.percent = percent_of(r.value),
		.low = percent_of(r.low),
		.high = percent_of(r.high),
		.at_most = near || hidden || site->shape == SLOPES_CONVEX || (conditional && less),
		.thread_near = near,
		.hidden = hidden,
		/* what may be nothing is no least */
		.at_least = r.low > 0 && (site->shape == SLOPES_CONCAVE || (conditional && !less)),
		.latency_percent = percent_less(l.value),
		.latency_low = percent_less(l.low),
		.latency_high = percent_less(l.high),
	};
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes.h"

#include <math.h>

#include "stats/numerics/distributions.h"

/* Relative reduction of a unit's time, with limits. */
struct reduction {
	double value, low, high;
};

static bool is_known(struct slopes_value v)
{
	return isfinite(v.value) && v.error >= 0 && isfinite(v.error);
}

/* share x slope x call / unit, by the delta method; its degrees of freedom by Welch and
 * Satterthwaite's equation over the three parts. */
static struct reduction reduce(struct slopes_value slope, struct slopes_value call,
			       struct slopes_value unit, double share, double confidence)
{
	struct reduction r = {NAN, NAN, NAN};
	double variance = 0, fourths = 0, half;

	if (!isfinite(slope.value) || !isfinite(call.value) || !(unit.value > 0))
		return r;
	r.value = share * slope.value * call.value / unit.value;
	if (!is_known(slope) || !is_known(call) || !is_known(unit))
		return r;
	for (int i = 0; i < 3; i++) {
		struct slopes_value v = i == 0 ? slope : i == 1 ? call : unit;
		double part = i == 0   ? share * call.value / unit.value * v.error
			      : i == 1 ? share * slope.value / unit.value * v.error
				       : r.value / unit.value * v.error;

		variance += part * part;
		if (part != 0 && v.freedom >= 1)
			fourths += part * part * part * part / v.freedom;
	}
	half = sqrt(variance);
	if (half > 0)
		half *= distributions_t_quantile(
			0.5 + confidence / 2,
			fourths > 0 ? fmax(1, variance * variance / fourths) : INFINITY);
	r.low = r.value - half;
	r.high = r.value + half;
	return r;
}

static double percent_of(double reduction)
{
	return reduction < 1 ? 100 * reduction / (1 - reduction) : reduction >= 1 ? INFINITY : NAN;
}

/* What a unit gets shorter by if each call does by `off`, with a slope that falls linearly until it
 * is 0. */
static double gain(double slope, double bend, double off)
{
	if (slope <= 0 || bend <= 0)
		return slope * off;
	return slope > bend * off ? slope * off - bend * off * off / 2 : slope * slope / bend / 2;
}

/* A gain with a bend, and its limits: the limits of slope and bend alone, their distances from the
 * value added as squares. */
static struct reduction bend(struct slopes_value slope, struct slopes_value bend, double off,
			     double unit, double confidence, double (*by)(double, double, double))
{
	double s = slope.value, b = bend.value;
	double t_s = distributions_t_quantile(0.5 + confidence / 2, slope.freedom) * slope.error;
	double t_b = distributions_t_quantile(0.5 + confidence / 2, bend.freedom) * bend.error;
	double value = by(s, b, off);
	double low = hypot(value - by(s - t_s, b, off), value - by(s, b + t_b, off));
	double high = hypot(value - by(s + t_s, b, off), value - by(s, b - t_b, off));

	return (struct reduction){value / unit, (value - low) / unit, (value + high) / unit};
}

static struct reduction throughput(const struct slopes *all, const struct slopes_site *site,
				   struct slopes_value call, double share, double confidence)
{
	bool bent = site->shape == SLOPES_CONVEX || site->shape == SLOPES_CONCAVE;
	struct slopes_value slope = bent && is_known(site->low) ? site->low : site->slope;
	struct reduction r = reduce(slope, call, all->unit, share, confidence), other;

	if (site->shape == SLOPES_CONVEX)
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
	return r;
}

/* Latency may bend either way, and past 0: a faster producer fills a queue. */
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

struct slopes_prediction slopes_predict(const struct slopes *all, const struct slopes_site *site,
					struct slopes_value call, double share, double confidence)
{
	struct reduction r = throughput(all, site, call, share, confidence);
	struct reduction l = latency(all, site, call, share, confidence);
	bool conditional = site->shape == SLOPES_CONDITIONAL;
	bool less = site->others_slower.value < site->slope.value;

	return (struct slopes_prediction){
		.percent = percent_of(r.value),
		.low = percent_of(r.low),
		.high = percent_of(r.high),
		.at_most = site->shape == SLOPES_CONVEX || (conditional && less),
		.at_least = site->shape == SLOPES_CONCAVE || (conditional && !less),
		.beyond = share * call.value / site->tested,
		.latency_percent = 100 * l.value,
		.latency_low = 100 * l.low,
		.latency_high = 100 * l.high,
	};
}

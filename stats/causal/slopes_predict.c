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

/* The lower limit with a bend: each one's own limit, their distances from the value added as
 * squares. */
static double lowest(const struct slopes_site *site, double off, double unit, double confidence)
{
	double s = site->slope.value, b = site->bend.value;
	double t_s = distributions_t_quantile(0.5 + confidence / 2, site->slope.freedom);
	double t_b = distributions_t_quantile(0.5 + confidence / 2, site->bend.freedom);
	double value = gain(s, b, off);

	return (value - hypot(value - gain(s - t_s * site->slope.error, b, off),
			      value - gain(s, b + t_b * site->bend.error, off))) /
	       unit;
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
		r.low = fmin(r.low, lowest(site, share * call.value, all->unit.value, confidence));
	return r;
}

struct slopes_prediction slopes_predict(const struct slopes *all, const struct slopes_site *site,
					struct slopes_value call, double share, double confidence)
{
	struct reduction r = throughput(all, site, call, share, confidence);
	struct reduction l = reduce(site->latency, call, all->latency, share, confidence);
	bool conditional = site->shape == SLOPES_CONDITIONAL;
	bool less = site->others_slower.value < site->slope.value;

	return (struct slopes_prediction){
		.percent = percent_of(r.value),
		.low = percent_of(r.low),
		.high = percent_of(r.high),
		.at_most = site->shape == SLOPES_CONVEX || (conditional && less),
		.at_least = site->shape == SLOPES_CONCAVE || (conditional && !less),
		.latency_percent = 100 * l.value,
		.latency_low = 100 * l.low,
		.latency_high = 100 * l.high,
	};
}

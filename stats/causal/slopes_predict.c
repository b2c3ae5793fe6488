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

static struct reduction throughput(const struct slopes *all, const struct slopes_site *site,
				   struct slopes_value call, double share, double confidence)
{
	bool bent = site->shape == SLOPES_CONVEX || site->shape == SLOPES_CONCAVE;
	struct slopes_value slope = bent && is_known(site->low) ? site->low : site->slope;
	struct reduction r = reduce(slope, call, all->unit, share, confidence), least;

	if (site->shape == SLOPES_CONVEX) {
		r.low = fmin(r.low, 0);
	} else if (site->shape == SLOPES_CONDITIONAL) {
		least = reduce(site->others_slower, call, all->unit, share, confidence);
		r.low = fmin(r.low, isnan(least.low) ? 0 : least.low);
	}
	return r;
}

struct slopes_prediction slopes_predict(const struct slopes *all, const struct slopes_site *site,
					struct slopes_value call, double share, double confidence)
{
	struct reduction r = throughput(all, site, call, share, confidence);
	struct reduction l = reduce(site->latency, call, all->latency, share, confidence);

	return (struct slopes_prediction){
		.percent = percent_of(r.value),
		.low = percent_of(r.low),
		.high = percent_of(r.high),
		.at_most = site->shape == SLOPES_CONVEX || site->shape == SLOPES_CONDITIONAL,
		.at_least = site->shape == SLOPES_CONCAVE,
		.latency_percent = 100 * l.value,
		.latency_low = 100 * l.low,
		.latency_high = 100 * l.high,
	};
}

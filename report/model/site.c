// SPDX-License-Identifier: GPL-3.0-or-later
/* One site of a report: what the sums of its calls say, in nanoseconds. */
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>

#include "stats/mean/phase_test.h"
#include "stats/planning/plan.h"

/* One percentile with its limits. Interpolation inside the first or last bucket may pass the
 * shortest or the longest call. */
static void fill_percentile(const struct report *r, const struct report_site *s,
			    const struct prof_sums *sums, const uint64_t *count, uint32_t buckets,
			    double q, struct report_percentile *to)
{
	double unit = r->profile->clock.ns_per_unit, units;
	struct stats_tail tail = estimate_tail(sums);
	struct tail_limits limits = tail_limits_find(&tail, count, buckets, q,
						     s->estimate.design_effect, r->confidence);

	units = fmax(histogram_quantile(count, buckets, q), (double)sums->min_units);
	to->ns = estimate_compensate_call(s, fmin(units, (double)sums->max_units) * unit);
	to->low_ns = limits.low > 0 ? estimate_compensate_call(s, limits.low * unit) : limits.low;
	to->high_ns = estimate_compensate_call(s, limits.high * unit);
	to->unreliable = limits.unreliable;
}

/* Below 1 unit there is no logarithm: the first bucket counts as half a unit wide. */
static double log_width(uint32_t bucket)
{
	return log(histogram_start(bucket + 1) / fmax(histogram_start(bucket), 0.5));
}

/* Without memory there are no bars; the percentiles stay. */
static void fill_bars(const struct report *r, struct report_site *s, const struct prof_hist *hist)
{
	const uint32_t buckets = SCP_HIST_BLOCKS * SCP_HIST_BUCKETS;
	double unit = r->profile->clock.ns_per_unit, highest = 0;
	uint32_t used = 0;

	for (uint32_t i = 0; i < buckets; i++)
		used += hist->count[i] > 0;
	s->bar = calloc(used ? used : 1, sizeof(*s->bar));
	for (uint32_t i = 0; s->bar && i < buckets; i++) {
		struct report_bar *b = &s->bar[s->bars];

		if (!hist->count[i])
			continue;
		*b = (struct report_bar){i,
					 estimate_compensate_call(s, histogram_start(i) * unit),
					 estimate_compensate_call(s, histogram_start(i + 1) * unit),
					 hist->count[i],
					 (double)hist->count[i] / log_width(i),
					 0};
		highest = fmax(highest, b->height);
		s->bars++;
	}
	for (uint32_t i = 0; i < s->bars; i++)
		s->bar[i].height /= highest;
}

static void fill_histogram(const struct report *r, struct report_site *s,
			   const struct prof_sums *sums, const struct prof_hist *hist)
{
	static const double share[] = {0.50, 0.90, 0.99, 0.999};
	struct report_percentiles *p = &s->percentiles;
	uint32_t buckets = histogram_used(hist->count, SCP_HIST_BLOCKS * SCP_HIST_BUCKETS);

	s->has_percentiles = true;
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		fill_percentile(r, s, sums, hist->count, buckets, share[i], &p->at[i]);
	p->max_ns = estimate_compensate_call(s, (double)sums->max_units *
							r->profile->clock.ns_per_unit);
	if (r->bars)
		fill_bars(r, s, hist);
}

static void fill_slow(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		      const struct prof_sums *rest)
{
	const struct prof_slow *slow = rest->slow;
	const struct prof_clock *clock = &r->profile->slow;
	struct prof_apart apart = rest->apart ? *rest->apart : (struct prof_apart){0};
	struct prof_sums of = {.calls = rest->calls, .apart = &apart, .phase = sums->phase};
	struct report_overhead overhead = estimate_overhead_on(clock, sums);

	PROF_SET(&of, slow, units, units_sq, max_units, batches);
	apart.calls_units = apart.slow_calls_units;
	apart.units_sq = apart.slow_units_sq;
	s->slow.estimate = site_sums_mean(clock, &of, &of, r->confidence);
	estimate_compensate(&s->slow.estimate, &overhead, r->confidence);
	s->has_slow = true;
	s->slow.ticks = (uint64_t)prof_ticks(sums->slow->units, clock);
	s->slow.seen = slow->units > 0;
	s->slow.covers = s->slow.estimate.low <= s->estimate.mean &&
			 s->estimate.mean <= s->slow.estimate.high;
}

double site_total_ns(const struct prof_clock *clock, const struct report_overhead *o,
		     const struct prof_sums *sums)
{
	return (double)sums->units * clock->ns_per_unit -
	       (double)sums->calls * estimate_overhead_around(o, sums).inside_ns;
}

static void fill_mean(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		      const struct steadiness *steady)
{
	const struct prof_sums *rest = &steady->rest;
	const struct prof_clock *clock = &r->profile->clock;
	struct report_overhead off = estimate_overhead_around(&r->overhead, sums);
	double unit = clock->ns_per_unit;

	s->estimate = site_sums_mean(clock, sums, rest, r->confidence);
	steadiness_widen(&s->estimate, steady);
	s->raw_mean_ns = s->estimate.mean;
	s->apriori_ns = plan_beilner_deviation(s->raw_mean_ns, clock->tick_ns, (double)rest->calls);
	estimate_compensate(&s->estimate, &off, r->confidence);
	s->overhead_ns = off.inside_ns;
	s->overhead_error_ns = off.inside_error_ns;
	s->inner_calls = sums->inner_calls;
	s->inner_overhead_ns =
		off.inside_ns - estimate_overhead_of_ways(&r->overhead, sums->way_calls).inside_ns;
	s->total_ns = site_total_ns(clock, &r->overhead, sums);
	s->mean_calls = rest->calls;
	if (rest->calls < sums->calls)
		s->set_aside_ns = (double)(sums->units - rest->units) * unit -
				  (double)(sums->calls - rest->calls) * off.inside_ns;
	s->min_ns = sums->calls ? estimate_compensate_call(s, (double)sums->min_units * unit) : NAN;
	s->max_ns = estimate_compensate_call(s, (double)sums->max_units * unit);
}

static void no_line(struct report_site *s)
{
	s->per_call_ns = s->per_call_low_ns = s->per_call_high_ns = NAN;
	s->per_byte_ns = s->per_byte_low_ns = s->per_byte_high_ns = NAN;
}

/* The unit turns units into nanoseconds; the overhead, if any, is subtracted from each, and its
 * error is in the interval. */
static void fill_price(const struct report *r, const struct stats_line_price *p,
		       const struct report_overhead *off, double *value, double *low, double *high)
{
	double unit = r->profile->clock.ns_per_unit;
	double inside = off ? off->inside_ns : 0, error = off ? off->inside_error_ns : 0;
	double below = estimate_widen((p->value - p->low) * unit, error, r->confidence);
	double above = estimate_widen((p->high - p->value) * unit, error, r->confidence);

	*value = p->value * unit - inside;
	*low = isfinite(p->low) ? *value - below : NAN;
	*high = isfinite(p->high) ? *value + above : NAN;
}

/* Without batches of sizes (too few calls, or several entries that did not agree): the
 * slope's interval by the scatter of single calls. */
static void fill_plain_line(const struct report *r, struct report_site *s,
			    const struct prof_sums *sums)
{
	const struct stats_line_block all = {sums->calls, sums->bytes, sums->units, sums->bytes_sq,
					     sums->bytes_units};
	double unit = r->profile->clock.ns_per_unit, byte, half;
	struct stats_line_fit fit;

	if (line_fit_blocks(&all, 1, &fit, r->confidence))
		return;
	byte = fit.byte.value;
	s->per_call_ns = fit.call.value * unit -
			 estimate_overhead_of_ways(&r->overhead, sums->way_calls).inside_ns;
	s->per_byte_ns = byte * unit;
	half = line_half_width(sums->calls, sums->bytes, sums->bytes_sq, sums->units,
			       sums->units_sq, byte, r->confidence);
	if (isfinite(half)) {
		s->per_byte_low_ns = (byte - half) * unit;
		s->per_byte_high_ns = (byte + half) * unit;
	}
}

/* Memory moves by lines of 64 bytes: sizes that differ by less say nothing of a byte. */
#define LEAST_SPREAD 32	  /* standard deviation of the sizes: of two, a line apart */
#define LEAST_PART   0.01 /* of the total that the bytes must cost */

static bool byte_matters(const struct report_site *s, const struct prof_sums *sums)
{
	double calls = (double)sums->calls, bytes = (double)sums->bytes;
	double variance = (double)sums->bytes_sq / calls - bytes / calls * (bytes / calls);

	return s->per_byte_low_ns > 0 && s->per_call_ns >= 0 &&
	       variance >= LEAST_SPREAD * LEAST_SPREAD &&
	       s->per_byte_ns * bytes >= LEAST_PART * s->total_ns;
}

static void fill_line(const struct report *r, struct report_site *s, const struct prof_sums *sums)
{
	struct report_overhead off = estimate_overhead_of_ways(&r->overhead, sums->way_calls);
	struct stats_line_fit fit;

	no_line(s);
	if (!sums->has_bytes)
		return;
	if (estimate_line(sums, &fit, r->confidence) < 0) {
		fill_plain_line(r, s, sums);
		return;
	}
	fill_price(r, &fit.call, &off, &s->per_call_ns, &s->per_call_low_ns, &s->per_call_high_ns);
	fill_price(r, &fit.byte, NULL, &s->per_byte_ns, &s->per_byte_low_ns, &s->per_byte_high_ns);
}

static bool phases_tested(const struct prof_phase *phase)
{
	return phase && !isnan(phase_test_p(phase->count, SCP_PHASE_BINS));
}

/* The phases are those of the slow clock, where there are two. */
static void note_synchrony(struct report *r, const struct report_site *s,
			   const struct prof_sums *sums)
{
	int *of = s->has_slow ? &r->slow_synchronous : &r->synchronous;
	unsigned unreliable = s->has_slow ? s->slow.estimate.unreliable : s->estimate.unreliable;

	if (unreliable & STATS_SYNCHRONOUS)
		*of = 1;
	else if (*of < 0 && phases_tested(sums->phase))
		*of = 0;
}

void site_fill_means(struct report *r, struct report_site *s, const struct prof_sums *sums,
		     const struct steadiness *steady)
{
	PROF_SET(s, sums, calls, units, has_bytes, bytes);
	s->ticks = (uint64_t)prof_ticks(sums->units, &r->profile->clock);
	fill_mean(r, s, sums, steady);
	states_fill(r, s, sums, &steady->rest);
}

void site_fill(struct report *r, struct report_site *s, const struct prof_sums *sums,
	       const struct steadiness *steady)
{
	struct prof_hist room;
	const struct prof_hist *hist = hist_find(sums, &room);

	site_fill_means(r, s, sums, steady);
	fill_line(r, s, sums);
	s->per_byte_matters = byte_matters(s, sums);
	if (hist)
		fill_histogram(r, s, sums, hist);
	if (sums->slow)
		fill_slow(r, s, sums, &steady->rest);
	states_fill_bars(s, sums);
	steadiness_fill(r, s, sums, hist, steady);
	s->findings = steadiness_findings(s);
	note_synchrony(r, s, sums);
}

void site_fill_overflow(const struct report *r, struct report_site *s, uint32_t function)
{
	const struct prof_function *f = &r->profile->function[function];
	double unit = r->profile->clock.ns_per_unit;

	s->function = function;
	s->overflow = true;
	s->calls = s->mean_calls = f->overflow_calls;
	s->units = f->overflow_units;
	s->ticks = (uint64_t)prof_ticks(f->overflow_units, &r->profile->clock);
	s->bytes = f->overflow_bytes;
	s->has_bytes = f->overflow_bytes > 0;
	s->total_ns = (double)f->overflow_units * unit -
		      (double)f->overflow_calls * r->overhead.inside_ns;
	s->raw_mean_ns = (double)f->overflow_units * unit / (double)f->overflow_calls;
	s->estimate = (struct mean_interval){
		s->raw_mean_ns - r->overhead.inside_ns, NAN, NAN, "none", INFINITY, 0, NAN, 0};
	s->apriori_ns = NAN;
	s->min_ns = s->max_ns = NAN;
	no_line(s);
	s->overhead_ns = r->overhead.inside_ns;
	s->overhead_error_ns = r->overhead.inside_error_ns;
}

static void cut(double *ns)
{
	*ns = *ns < 0 ? 0 : *ns; /* NAN stays */
}

static void cut_all(struct report_site *s)
{
	struct mean_interval *limits[] = {
		&s->estimate,	     &s->slow.estimate, &s->states.unswitched, &s->states.on_cpu,
		&s->states.runnable, &s->states.asleep, &s->states.charged};
	double *ns[] = {&s->percentiles.max_ns, &s->min_ns, &s->max_ns, &s->steadiness.first_ns};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		cut(&limits[i]->low);
		cut(&limits[i]->high);
	}
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++) {
		cut(&s->percentiles.at[i].ns);
		cut(&s->percentiles.at[i].low_ns);
		cut(&s->percentiles.at[i].high_ns);
	}
	for (uint32_t i = 0; i < s->bars; i++) {
		cut(&s->bar[i].from_ns);
		cut(&s->bar[i].to_ns);
	}
	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		cut(ns[i]);
}

void site_limit(struct report_site *s, double confidence)
{
	double least = estimate_widen(0, s->overhead_error_ns, confidence);

	s->below_ns = NAN;
	if (s->units && least > 0 && s->estimate.mean < least) {
		s->below_ns = isfinite(s->estimate.high) ? fmax(s->estimate.high, least) : least;
		s->estimate.high = isfinite(s->estimate.high) ? s->below_ns : s->estimate.high;
	}
	cut_all(s);
}

/* Sums add up, warm-up is found entry by entry, and phases are those of one entry. */

bool site_sums_in_order(const struct profile *p, const struct prof_entry *e)
{
	return p->process[p->table[e->table].process].count <= 1;
}

/* Entries that are called in turn are sampled in turn, at almost one phase: after the
 * thread was away, say. Their samples together are not independent, and the test for
 * uniform phases would see a preference. So one entry's stand for all, the most. */
static void note_phases(struct site_sums *w, const struct prof_phase *phase)
{
	uint64_t samples = 0;

	for (unsigned i = 0; phase && i < SCP_PHASE_BINS; i++)
		samples += phase->count[i];
	if (samples <= w->phases)
		return;
	w->phase = *phase;
	w->phases = samples;
}

int site_sums_add(struct site_sums *w, const struct prof_sums *s, bool ordered, bool include)
{
	note_phases(w, s->phase);
	if (sums_add(&w->sums, s) < 0)
		return -1;
	return steadiness_add(&w->steady, s, ordered, include);
}

/* Where no entry has enough of them, all are the best there is. */
void site_sums_settle(struct site_sums *w)
{
	if (w->sums.phase && w->phases >= STATS_PHASE_LEAST)
		*w->sums.phase = w->phase;
}

void site_sums_clear(struct site_sums *w)
{
	sums_clear(&w->sums);
	sums_clear(&w->steady.rest);
}

struct mean_interval site_sums_mean(const struct prof_clock *clock, const struct prof_sums *sums,
				    const struct prof_sums *rest, double confidence)
{
	struct stats_sample sample = estimate_sample(clock, sums, rest);

	return mean_interval_estimate(&sample, confidence);
}

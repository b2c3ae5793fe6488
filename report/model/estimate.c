// SPDX-License-Identifier: GPL-3.0-or-later
/* The statistics work in clock units and know nothing of profiles; the reader wants
 * nanoseconds, and what the program would have spent without being watched. */
#include "report/model/sites.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

_Static_assert(STATS_PHASES == SCP_PHASE_BINS, "phases are counted in the same bins");

struct stats_sample estimate_sample(const struct prof_clock *c, const struct prof_sums *sums,
				    const struct prof_sums *rest)
{
	const struct prof_batches *b = &rest->batches;
	const struct prof_apart *a = rest->apart;
	struct prof_hist room;
	const struct prof_hist *hist = sums->calls == rest->calls ? hist_find(sums, &room) : NULL;
	struct stats_sample sample = {
		.sums = {.n = rest->calls,
			 .sum = rest->units,
			 .sum_sq = rest->units_sq,
			 .min = rest->min_units,
			 .max = rest->max_units,
			 .tick = c->resolution_units ? c->resolution_units : 1,
			 .unit = c->ns_per_unit},
		.batches = {b->calls, b->count, b->sum},
		.phase = sums->phase && !sums->slow ? sums->phase->count : NULL,
	};

	if (a)
		sample.apart = (struct stats_apart){(double)a->stretches, (double)a->calls_sq,
						    (double)a->calls_units, (double)a->units_sq};
	if (hist)
		sample.tail = tail_index_estimate(hist->count, SCP_HIST_BLOCKS * SCP_HIST_BUCKETS,
						  (double)sample.sums.tick);
	return sample;
}

/* Relative uncertainty of the overhead beyond its standard error: it is measured twice, for a tenth
 * of a millisecond, and the machine varies during the run. Compensated means of
 * an empty function scattered about 0 by 4 % of it (tsc) to 8 % (dual, monotonic), judged by
 * the ranges of 20 runs each; checked with 20 other runs each (docs/estimates.md). */
#define UNSEEN 0.06

/* The same for nested calls, around each of which the program does something else: functions of 0
 * to 100 ns, on paths of 6 to 46 frames, cost 0 to 13 % more or less (docs/estimates.md). */
#define INNER_UNSEEN 0.10

static double unseen(double error, double inside)
{
	return hypot(fmax(error, 0), UNSEEN * inside);
}

struct report_overhead estimate_overhead(const struct prof_clock *c)
{
	const struct prof_overhead *o = &c->overhead;
	struct report_overhead none = {.outside_ns = NAN}, r;

	if (o->measurements == 0 || !(o->inside_ns >= 0))
		return none;
	r = (struct report_overhead){.inside_ns = o->inside_ns,
				     .inside_error_ns = unseen(o->inside_error_ns, o->inside_ns),
				     .outside_ns = o->outside_ns,
				     .measured = true};
	for (unsigned i = 0; i < SCP_WAYS; i++) {
		r.way_ns[i] = o->way[i].inside_ns;
		r.way_error_ns[i] = unseen(o->way[i].inside_error_ns, r.way_ns[i]);
	}
	if (o->inner_ns > 0) {
		r.inner_ns = o->inner_ns;
		r.inner_error_ns = hypot(fmax(o->inner_error_ns, 0), INNER_UNSEEN * o->inner_ns);
	}
	return r;
}

struct report_overhead estimate_overhead_of_ways(const struct report_overhead *o,
						 const uint64_t way_calls[SCP_WAYS])
{
	struct report_overhead r = *o;
	double calls = 0;

	for (unsigned i = 0; i < SCP_WAYS; i++)
		calls += (double)way_calls[i];
	if (!(calls > 0) || !o->measured)
		return r;
	r.inside_ns = r.inside_error_ns = 0;
	for (unsigned i = 0; i < SCP_WAYS; i++) {
		r.inside_ns += (double)way_calls[i] / calls * o->way_ns[i];
		r.inside_error_ns += (double)way_calls[i] / calls * o->way_error_ns[i];
	}
	return r;
}

/* The errors do not cancel: all nested calls are measured too long, or all too short. */
struct report_overhead estimate_overhead_around(const struct report_overhead *o,
						const struct prof_sums *s)
{
	double inner_calls = s->calls ? (double)s->inner_calls / (double)s->calls : 0;
	struct report_overhead r = estimate_overhead_of_ways(o, s->way_calls);

	if (!(inner_calls > 0))
		return r;
	r.inside_ns += inner_calls * o->inner_ns;
	r.inside_error_ns = hypot(r.inside_error_ns, inner_calls * o->inner_error_ns);
	return r;
}

struct report_overhead estimate_overhead_on(const struct prof_clock *c, const struct prof_sums *s)
{
	struct report_overhead o = estimate_overhead(c);

	return estimate_overhead_around(&o, s);
}

double estimate_widen(double half_width, double error, double confidence)
{
	return hypot(half_width, gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2) * error);
}

void estimate_compensate(struct mean_interval *e, const struct report_overhead *o,
			 double confidence)
{
	double error = o->inside_error_ns, half = estimate_widen(0, error, confidence);

	/* A lower limit of nothing at all stays that. */
	if (e->low <= 0)
		e->low = fmin(0, e->mean - half - o->inside_ns);
	else
		e->low = e->mean - estimate_widen(e->mean - e->low, error, confidence) -
			 o->inside_ns;
	e->high = e->mean + estimate_widen(e->high - e->mean, error, confidence) - o->inside_ns;
	e->mean -= o->inside_ns;
	e->error = hypot(e->error, error);
}

/* Where the line's own slots begin: what came before lies in slot 0 together. */
static uint32_t first_slot(const struct prof_sums *s)
{
	uint32_t i = 1;

	while (i < s->batches.count && !s->line->bytes_sq[i] && !s->line->bytes[i])
		i++;
	return i;
}

static void add_slot(struct stats_line_block *b, const struct prof_sums *s, uint32_t i)
{
	b->calls += s->batches.calls;
	b->units += s->batches.sum[i];
	b->bytes += s->line->bytes[i];
	b->bytes_sq += s->line->bytes_sq[i];
	b->bytes_units += s->line->bytes_units[i];
}

/* Calls in no batch yet: the sums less the blocks. */
static void add_rest(struct stats_line_block *block, unsigned blocks, const struct prof_sums *s)
{
	struct stats_line_block rest = {s->calls, s->bytes, s->units, s->bytes_sq, s->bytes_units};

	for (unsigned i = 0; i < blocks; i++)
		PROF_SUBTRACT(&rest, &block[i], calls, units, bytes, bytes_sq, bytes_units);
	block[blocks] = rest;
}

int estimate_line(const struct prof_sums *s, struct stats_line_fit *fit, double confidence)
{
	struct stats_line_block block[SCP_BATCHES + 1] = {0};
	unsigned blocks = 1;

	if (!s->line || s->batches.count < 3)
		return -1;
	for (uint32_t i = 0, first = first_slot(s); i < s->batches.count; i++) {
		blocks += i >= first;
		add_slot(&block[blocks - 1], s, i);
	}
	add_rest(block, blocks, s);
	return line_fit_blocks(block, blocks + (block[blocks].calls > 0), fit, confidence);
}

double estimate_scale(const struct report_site *s)
{
	return s->inner_calls && s->raw_mean_ns > 0 ? 1 - s->inner_overhead_ns / s->raw_mean_ns : 1;
}

double estimate_compensate_call(const struct report_site *s, double raw_ns)
{
	return raw_ns * estimate_scale(s) - (s->overhead_ns - s->inner_overhead_ns);
}

struct stats_tail estimate_tail(const struct prof_sums *sums)
{
	const struct prof_tail *t = sums->tail;

	if (!t)
		return (struct stats_tail){0};
	return (struct stats_tail){sums->batches.calls, sums->batches.count, t->first, t->octaves,
				   t->calls};
}

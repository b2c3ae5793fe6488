// SPDX-License-Identifier: GPL-3.0-or-later
/* Means of rows by the steps of report/model/site.c that a mean needs; where the time of a row
 * went; and the key by which a row is found again. */
#include "report/live/live_rows.h"

#include <math.h>
#include <string.h>

#include "report/symbols/symbolize.h"

void means_widen(struct mean_interval *e, double run_design)
{
	double factor = sqrt(run_design);

	if (!isnan(e->design_effect) || !(run_design > 1))
		return;
	e->low = fmax(0, e->mean - factor * (e->mean - e->low));
	e->high = e->mean + factor * (e->high - e->mean);
	e->error *= factor;
}

double means_relative(const struct mean_interval *e)
{
	double half = fmax(e->high - e->mean, e->mean - e->low);

	return isfinite(half) && e->mean > 0 ? half / e->mean : NAN;
}

struct row_mean means_nothing(void)
{
	return (struct row_mean){NAN, NAN, NAN, NAN, NAN, 0, 0, 0, 0};
}

/* `sums`: all calls, warm-up included; they say what nested calls add. */
static struct row_mean compensated(const struct prof_clock *clock, struct mean_interval *e,
				   const struct prof_sums *sums, double confidence)
{
	struct report_overhead overhead = estimate_overhead_on(clock, sums);
	struct row_mean out = {
		.design = e->design_effect, .freedom = e->freedom, .unreliable = e->unreliable};

	estimate_compensate(e, &overhead, confidence);
	double least = estimate_widen(0, overhead.inside_error_ns, confidence);
	if (least > 0 && e->mean < least)
		*e = (struct mean_interval){.high = isfinite(e->high) ? fmax(e->high, least)
								      : least};
	out.mean_ns = e->mean;
	out.low_ns = e->low < 0 ? 0 : e->low;
	out.high_ns = e->high;
	out.relative = means_relative(e);
	return out;
}

struct row_mean means_of_run(const struct prof_clock *clock, const struct site_sums *w,
			     double confidence)
{
	const struct prof_sums *rest = &w->steady.rest;

	if (!rest->calls)
		return means_nothing();
	struct mean_interval e = site_sums_mean(clock, &w->sums, rest, confidence);
	steadiness_widen(&e, &w->steady);
	struct row_mean out = compensated(clock, &e, &w->sums, confidence);
	out.calls = rest->calls;
	out.warmup_calls = w->sums.calls - rest->calls;
	return out;
}

struct row_mean means_of_window(const struct prof_clock *clock, const struct prof_sums *s,
				double run_design, double confidence)
{
	if (!s->calls)
		return means_nothing();
	struct mean_interval e = site_sums_mean(clock, s, s, confidence);
	double design = e.design_effect;
	means_widen(&e, run_design);
	struct row_mean out = compensated(clock, &e, s, confidence);
	out.design = design;
	out.calls = s->calls;
	return out;
}

/* The ratio of report/model/states.c, of a row's entries together; without intervals. */
void row_states_add(struct row_sums_states *to, const struct prof_reading *r, uint32_t detector)
{
	const struct prof_reading_states *s = &r->states;
	bool sampled = (s->detector ? s->detector : detector) == SCP_SWITCH_SAMPLED;
	double calls = (double)r->calls - (double)s->from_calls;
	double units = (double)r->units - (double)s->from_units;

	if (!r->calls)
		return;
	if ((!s->detector && (detector == SCP_SWITCH_NONE || sampled)) || calls < 0 || units < 0) {
		to->unknown = true;
		return;
	}
	to->unknown = to->unknown || s->from_calls;
	to->calls += calls;
	to->units += units;
	to->kept_calls += sampled ? (double)s->calls : fmax(calls - (double)s->calls, 0);
	to->kept_units += sampled ? (double)s->units : fmax(units - (double)s->units, 0);
	to->known += sampled ? calls : (double)s->known;
	PROF_ADD(to, s, weighted, runnable_ns, asleep_ns);
}

/* A segment may end, and be read, in a later interval than it began: no calls are off the CPU for
 * longer than they take. */
struct row_states row_states_of(const struct row_sums_states *some,
				const struct row_sums_states *all, double ns_per_unit)
{
	const struct row_sums_states *by = some->weighted > 0 ? some : all;
	struct row_states out = {NAN, NAN, NAN, NAN};
	double time = some->units * ns_per_unit, off = by->runnable_ns + by->asleep_ns, factor = 0;

	if (some->unknown || !(some->calls > 0))
		return out;
	if (some->kept_calls > 0)
		out.kept_ns = some->kept_units * ns_per_unit / some->kept_calls;
	if (!(time > 0) || (some->known > 0 && !(by->weighted > 0)))
		return out;
	if (off > 0)
		factor = fmin(some->known / by->weighted / time, 1 / off);
	out.runnable = factor * by->runnable_ns;
	out.asleep = factor * by->asleep_ns;
	out.on_cpu = 1 - factor * off;
	return out;
}

#define BEGIN UINT64_C(0xcbf29ce484222325)

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return h;
}

static uint64_t mix_source(uint64_t h, const struct profile *p, const struct prof_frame *frame)
{
	const struct prof_source_line *line;
	const struct prof_source_function *f = symbolize_source_find(p, frame, &line);

	if (!f)
		return h;
	h = mix(h, f->file, strlen(f->file) + 1);
	h = mix(h, f->name, strlen(f->name) + 1);
	h = mix(h, &f->first_line, sizeof(f->first_line));
	if (!line)
		return h;
	h = mix(h, &line->line, sizeof(line->line));
	h = mix(h, &line->instruction, sizeof(line->instruction));
	return mix(h, line->address, sizeof(line->address));
}

uint64_t row_key_frame(const struct profile *p, const struct prof_frame *frame)
{
	const struct prof_module *m = frame->module < p->modules ? &p->module[frame->module] : NULL;
	uint64_t h = BEGIN, offset = (uint64_t)frame->offset << 1 | frame->exact;

	if (frame->module == PROF_SOURCE)
		return mix_source(h, p, frame);
	if (m) {
		h = mix(h, m->build_id, m->build_id_bytes);
		h = mix(h, m->path, strlen(m->path));
	}
	return mix(h, &offset, sizeof(offset));
}

uint64_t row_key_of(const struct profile *p, const struct group_row *g, struct group_path path)
{
	const struct prof_function *function = &p->function[g->function];
	uint32_t outcome = g->outcome;
	uint64_t h = BEGIN;

	h = mix(h, function->name, strlen(function->name) + 1);
	h = mix(h, function->library, strlen(function->library) + 1);
	h = mix(h, &outcome, sizeof(outcome));
	for (uint32_t i = 0; i < path.frames; i++) {
		uint64_t frame = row_key_frame(p, &path.frame[i]);

		h = mix(h, &frame, sizeof(frame));
	}
	return h;
}

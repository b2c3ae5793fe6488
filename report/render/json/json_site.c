// SPDX-License-Identifier: GPL-3.0-or-later
/* The fields of a site, with its call path. */
#include "report/render/json/json.h"
#include "report/model/model.h"
#include "report/model/sites.h"

#include <math.h>

/* ---- where time went: of a site, of all threads, and how it is known ---- */

static void put_states(struct json_writer *w, const struct report_site *s)
{
	const struct report_states *t = &s->states;

	if (json_write_open_known(w, "states", t->known)) {
		json_write_count(w, "switched_calls", t->switched_calls);
		json_write_open(w, "unswitched", '{');
		json_write_count(w, "calls", t->calls - t->switched_calls);
		json_write_fields(w, row_fields_interval, &t->unswitched, true);
		json_write_close(w, '}');
		json_write_object(w, "on_cpu", row_fields_interval, &t->on_cpu);
		json_write_object(w, "runnable", row_fields_interval, &t->runnable);
		json_write_object(w, "asleep", row_fields_interval, &t->asleep);
		JSON_PUT(w, "most_on_cpu_ns", t->most_on_cpu_ns);
		json_write_bits(w, "doubts", states_doubts(t), reliability_name);
		json_write_close(w, '}');
	}
	json_write_object(w, "charged_ns", row_fields_interval, t->known ? &t->charged : NULL);
}

void json_states_write_threads(struct json_writer *w, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double in_calls = t->known ? t->explained_in_calls_s : NAN;
	double all = t->known ? t->explained_s : NAN;
	double recording = t->known ? t->explained_recording_s : NAN;

	json_write_open(w, "threads_s", '{');
	json_write_fields(w, row_fields_threads_time, t, t->known);
	json_write_close(w, '}');
	json_write_open(w, "charged_s", '{');
	JSON_PUT(w, "in_calls", in_calls, "outside", all - in_calls - recording);
	json_write_number(w, "recording", recording);
	json_write_number(w, "not_recorded", t->known ? threads_time_not_recorded_s(r) : NAN);
	JSON_PUT(w, "threads", t->known ? t->charged_s : NAN, "processes", r->ledger.cpu_s);
	json_write_close(w, '}');
	json_write_number(w, "charged_difference", threads_time_difference(r));
}

static void put_flags(struct json_writer *w, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{SCP_SWITCH_OFF, "off"},
		{SCP_SWITCH_EXACT, "exact"},
		{SCP_SWITCH_NO_LIBC, "no-libc"},
		{SCP_SWITCH_DISABLED, "disabled"},
		{SCP_SWITCH_NO_PERF, "no-perf"},
		{SCP_SWITCH_MISSED, "missed"},
		{SCP_SWITCH_SANDBOX, "sandbox"},
		{SCP_SWITCH_NO_DELAY, "no-delay"},
		{SCP_SWITCH_CPU_CLOCK, "cpu-clock"},
		{SCP_SWITCH_SHARED, "shared"},
		{SCP_SWITCH_MIXED, "mixed"},
	};

	json_write_open(w, "flags", '[');
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags & names[i].flag)
			json_write_text(w, NULL, names[i].name);
	json_write_close(w, ']');
}

void json_states_write_switches(struct json_writer *w, const struct profile *p)
{
	const struct scp_switches *s = &p->switches;

	json_write_open(w, "switches", '{');
	json_write_text(w, "detector", report_names_detector(s->detector));
	put_flags(w, s->flags);
	JSON_MEMBERS(w, s, verified, missed, unfounded, readings);
	json_write_close(w, '}');
}

void json_states_write_call(struct json_writer *w, const struct report_slowest *s)
{
	static const char *const names[] = {[SCP_SLOWEST_UNKNOWN] = NULL,
					    [SCP_SLOWEST_RAN] = "ran",
					    [SCP_SLOWEST_SWITCHED] = "switched",
					    [SCP_SLOWEST_READ] = "read"};

	json_write_text(w, "state", s->state <= SCP_SLOWEST_READ ? names[s->state] : NULL);
	JSON_MEMBERS(w, s, runnable_ns, asleep_ns);
}

static void put_percentiles(struct json_writer *w, const struct report_site *s)
{
	static const char *const names[] = {"p50", "p90", "p99", "p999"};
	static const char *const limits[] = {"p50_ci", "p90_ci", "p99_ci", "p999_ci"};
	const struct report_percentiles *p = &s->percentiles;

	if (!json_write_open_known(w, "percentiles_ns", s->has_percentiles))
		return;
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		json_write_number(w, names[i], p->at[i].ns);
	json_write_number(w, "max", p->max_ns);
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		json_write_numbers(w, limits[i], (double[]){p->at[i].low_ns, p->at[i].high_ns}, 2);
	json_write_open(w, "doubts", '{');
	for (unsigned i = 0; i < REPORT_PERCENTILES; i++)
		json_write_bits(w, names[i], p->at[i].unreliable, reliability_tail_name);
	json_write_close(w, '}');
	json_write_close(w, '}');
}

/* Buckets with calls in them only, so that a few calls take a few numbers. */
static void put_histogram(struct json_writer *w, const struct report_site *s)
{
	if (!json_write_open_known(w, "histogram", s->has_percentiles))
		return;
	for (int to = 0; to < 2; to++)
		JSON_LIST(w, to ? "to_ns" : "from_ns", e, s->bar, s->bars,
			  json_write_number(w, NULL, to ? e->to_ns : e->from_ns));
	JSON_LIST(w, "calls", e, s->bar, s->bars, json_write_count(w, NULL, e->calls));
	json_write_close(w, '}');
}

static void put_estimate(struct json_writer *w, const struct mean_interval *e)
{
	json_write_fields(w, row_fields_estimate, e, true);
	json_write_bits(w, "doubts", e->unreliable, reliability_name);
}

/* A mean that is not known is null, with its code and what it is below. */
static void put_known_estimate(struct json_writer *w, const struct report_site *s)
{
	struct mean_interval e = s->estimate;
	bool known = isnan(s->below_ns);

	e.mean = known ? e.mean : NAN;
	put_estimate(w, &e);
	json_write_text(w, "mean_code", known ? NULL : REPORT_BELOW_RESOLUTION);
	json_write_number(w, "mean_below_ns", s->below_ns);
}

static void put_slow(struct json_writer *w, const struct report_site *s)
{
	if (!json_write_open_known(w, "slow", s->has_slow))
		return;
	json_write_count(w, "ticks", s->slow.ticks);
	put_estimate(w, &s->slow.estimate);
	json_write_flag(w, "covers_fast_mean", s->slow.covers);
	json_write_close(w, '}');
}

/* ---- whether the mean is one number ---- */

static const struct row_field warmup_fields[] = {
	ROW_FIELD("calls", report_steadiness, warmup_calls),
	ROW_FIELD("mean_ns", report_steadiness, warmup_ns),
	ROW_FIELD("set_aside", report_steadiness, warmup_aside), ROW_END};
static const struct row_field outlier_fields[] = {
	ROW_SAME(report_steadiness, fence_ns),
	ROW_FIELD("calls", report_steadiness, outliers),
	ROW_FIELD("total_ns", report_steadiness, outlier_ns),
	ROW_FIELD("share_of_calls", report_steadiness, outlier_calls),
	ROW_FIELD("share_of_time", report_steadiness, outlier_time),
	ROW_END};

static void put_drift(struct json_writer *w, const struct report_steadiness *s)
{
	static const char *const kinds[] = {
		[STATS_STEADY] = "none", [STATS_TREND] = "trend", [STATS_STEP] = "step"};

	if (!json_write_open_known(w, "drift", s->drift_known))
		return;
	json_write_text(w, "kind", kinds[s->drift]);
	JSON_MEMBERS(w, s, begin_ns, end_ns, change);
	json_write_number(w, "at", s->step_at);
	json_write_close(w, '}');
}

static void put_modes(struct json_writer *w, const struct report_steadiness *s)
{
	if (!s->modes) {
		json_write_null(w, "modes");
		return;
	}
	json_write_open(w, "modes", '[');
	for (unsigned i = 0; i < s->modes; i++)
		JSON_OBJECT(w, NULL, "median_ns", s->mode_ns[i], "share_of_calls", s->mode_calls[i],
			    "share_of_time", s->mode_time[i]);
	json_write_close(w, ']');
}

static void put_steadiness(struct json_writer *w, const struct report_site *site)
{
	const struct report_steadiness *s = &site->steadiness;

	if (!json_write_open_known(w, "steadiness", !site->overflow))
		return;
	json_write_object(w, "warm_up", warmup_fields, s->warmup_calls ? s : NULL);
	JSON_OBJECT(w, "first_call", "ns", s->first_ns, "ratio", s->first_ratio, "share_as_long",
		    s->first_share);
	put_drift(w, s);
	put_modes(w, s);
	json_write_object(w, "outliers", outlier_fields, isfinite(s->fence_ns) ? s : NULL);
	json_write_number(w, "longest_after_s", s->longest_after_s);
	json_write_close(w, '}');
}

/* ---- cost by displacement ---- */

/* Indices of the sites[] that share its cost. One that --top left out is named all the same:
 * the index is that of the whole report. */
static void put_partners(struct json_writer *w, const struct report *r, uint32_t site, bool known)
{
	json_write_open(w, "inseparable_with", '[');
	for (uint32_t i = known ? displaced_partner(r, site, PROF_NONE) : r->sites; i < r->sites;
	     i = displaced_partner(r, site, i))
		json_write_count(w, NULL, i);
	json_write_close(w, ']');
}

static void put_displaced(struct json_writer *w, const struct report *r,
			  const struct report_site *s)
{
	const struct report_displaced *d = &s->displaced;
	bool known = d->state == SCP_SITE_COST_KNOWN;

	json_write_fields(w, row_fields_cost, d, known);
	put_partners(w, r, (uint32_t)(s - r->site), known);
	json_write_text(w, "displacement", displaced_state_name(d->state));
	json_write_fields(w, row_fields_windows, d, d->state);
	json_write_number(w, "variance_inflation", known ? d->inflation : NAN);
}

void json_site_name(struct json_writer *w, const char *key, const struct report *r, uint32_t site,
		    const char *none)
{
	json_write_text(w, key,
			site < r->sites ? r->profile->function[r->site[site].function].name : none);
}

void json_site_write(struct json_writer *w, struct report *r, const struct report_site *s)
{
	json_write_fields(w, row_fields_function, &r->profile->function[s->function], true);
	json_write_text(w, "outcome", report_names_outcome(s));
	json_write_count_if(w, "program", s->program < r->programs, s->program);
	json_write_number(w, "program_share", s->program < r->programs ? s->program_share : NAN);
	json_write_number(w, "share_of_time", s->time_share);
	json_write_fields(w, row_fields_volume, s, true);
	put_known_estimate(w, s);
	json_write_flag(w, "few_calls", (s->findings & REPORT_FEW_CALLS) != 0);
	json_write_fields(w, row_fields_overhead, s, true);
	json_write_fields(w, row_fields_total, s, true);
	put_percentiles(w, s);
	put_histogram(w, s);
	json_write_fields(w, row_fields_size, s, true);
	put_slow(w, s);
	put_steadiness(w, s);
	put_states(w, s);
	put_displaced(w, r, s);
	json_stack_write(w, r, s);
}

/* ---- call paths ---- */

static const char *const source_names[] = {
	[SYMBOL_FROM_DEBUG_INFO] = "debug-info",   [SYMBOL_FROM_TABLE] = "symbol-table",
	[SYMBOL_FROM_DYNAMIC] = "dynamic-symbols", [SYMBOL_FROM_PERF_MAP] = "perf-map",
	[SYMBOL_FROM_INTERPRETER] = "interpreter",
};

void json_stack_frame(struct json_writer *w, const struct symbol *s, bool heuristic)
{
	json_write_open(w, NULL, '{');
	if (s->language)
		json_write_text(w, "language", s->language);
	JSON_MEMBERS(w, s, function, module, offset);
	json_write_count_if(w, "function_offset", s->into != SYMBOL_START_UNKNOWN, s->into);
	json_write_text(w, "file", s->file);
	json_write_count_if(w, "line", s->line, (uint64_t)s->line);
	if (s->column)
		json_write_integer(w, "column", s->column);
	json_write_flag(w, "inlined", s->inlined);
	json_write_text(w, "name_from", source_names[s->source]);
	if (heuristic)
		json_write_flag(w, "heuristic", true);
	json_write_close(w, '}');
}

void json_stack_write(struct json_writer *w, struct report *r, const struct report_site *s)
{
	json_write_text(w, "path", report_names_path(s));
	json_write_open(w, "stack", '[');
	for (uint32_t i = 0; i < s->frames; i++) {
		size_t count;
		const struct symbol *symbol = frame_symbols_find(r, &s->frame[i], &count);

		for (size_t k = 0; k < count; k++)
			json_stack_frame(w, &symbol[k], s->frame[i].heuristic);
	}
	json_write_close(w, ']');
}

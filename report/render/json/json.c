// SPDX-License-Identifier: GPL-3.0-or-later
/* The document around the sites. Field names are a contract with scripts: see
 * "Commands" in the design; fields may be added, never renamed. */
#include "report/render/json/json.h"
#include "report/model/filters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/render/json/json_stacks.h"
#include "report/loops/loop.h"
#include "report/model/rows.h"

static json_t *time_text(uint64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / 1000000000u);
	char day[40], text[64];
	struct tm tm;

	if (!real_ns || !gmtime_r(&seconds, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm))
		return json_null();
	snprintf(text, sizeof(text), "%s.%03uZ", day, (unsigned)(real_ns / 1000000u % 1000u));
	return json_string(text);
}

static json_t *argv_of(const struct prof_process *p, int *failed)
{
	json_t *argv = json_array();

	for (uint32_t i = 0; i < p->argc; i++)
		*failed += json_array_append_new(argv, json_parts_text(p->argv[i])) < 0;
	return argv;
}

static json_t *program_of(const struct report *r, int *failed)
{
	const struct prof_process *first = r->first;
	json_t *o = json_object(), *pids = json_array();

	for (uint32_t i = 0; i < r->processes; i++)
		*failed += json_array_append_new(pids,
						 json_parts_count(r->process[i].process->pid)) < 0;
	json_parts_put(o, "name", json_parts_text(first ? first->program : NULL), failed);
	json_parts_put(o, "exe", json_parts_text(first ? first->exe : NULL), failed);
	json_parts_put(o, "argv", first ? argv_of(first, failed) : json_array(), failed);
	json_parts_put(o, "pids", pids, failed);
	json_parts_put(o, "start", time_text(r->start_real_ns), failed);
	json_parts_put(o, "wall_s", json_parts_number(r->wall_s), failed);
	return o;
}

static json_t *clock_of(const struct prof_clock *c, int synchronous, int *failed)
{
	json_t *o;

	if (c->kind == SCP_CLOCK_NONE)
		return json_null();
	o = json_object();
	json_parts_put(o, "name", json_parts_text(words_clock_name(c->kind)), failed);
	json_parts_put(o, "tick_ns", json_parts_number(c->tick_ns), failed);
	json_parts_put(o, "read_ns", json_parts_number(c->read_ns), failed);
	json_parts_put(o, "randomized", json_boolean(c->flags & SCP_CLOCK_RANDOMIZED), failed);
	json_parts_put(o, "synchronous", synchronous < 0 ? json_null() : json_boolean(synchronous),
		       failed);
	json_parts_put(o, "requested",
		       c->requested == SCP_CLOCK_NONE
			       ? json_null()
			       : json_parts_text(words_clock_name(c->requested)),
		       failed);
	json_parts_put(o, "fallback", json_boolean(c->flags & SCP_CLOCK_FALLBACK), failed);
	json_parts_put(o, "unit_ns", json_parts_number(c->ns_per_unit), failed);
	json_parts_put(o, "rate_error", json_parts_number(c->rate_error), failed);
	return o;
}

static json_t *site_name(const struct report *r, uint32_t site, const char *none)
{
	if (site >= r->sites)
		return json_parts_text(none);
	return json_parts_text(r->profile->function[r->site[site].function].name);
}

/* Index of a site in sites[]; null for a thread's start or end, and for a row
 * that --top left out. */
static json_t *site_index(uint32_t site, uint32_t shown)
{
	return site < shown ? json_integer(site) : json_null();
}

static json_t *gap_of(const struct report *r, const struct report_gap *g, uint32_t sites)
{
	json_t *o = json_object();
	int failed = 0;

	json_parts_put(o, "from", site_name(r, g->from, "(thread start)"), &failed);
	json_parts_put(o, "to", site_name(r, g->to, "(thread end)"), &failed);
	json_parts_put(o, "from_site", site_index(g->from, sites), &failed);
	json_parts_put(o, "to_site", site_index(g->to, sites), &failed);
	json_parts_put(o, "calls", json_parts_count(g->calls), &failed);
	json_parts_put(o, "mean_ns", json_parts_number(g->estimate.mean_ns), &failed);
	json_parts_put(o, "ci_low_ns", json_parts_number(g->estimate.low_ns), &failed);
	json_parts_put(o, "ci_high_ns", json_parts_number(g->estimate.high_ns), &failed);
	json_parts_put(o, "method", json_parts_text(g->estimate.method), &failed);
	json_parts_put(o, "max_ns", json_parts_number(g->max_ns), &failed);
	json_parts_put(o, "total_ns", json_parts_number(g->total_ns), &failed);
	json_parts_put(o, "share", json_parts_number(g->share), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *texts_of(const struct profile *p, const char *key, int *failed)
{
	json_t *array = json_array();

	for (const char *v = NULL; (v = filters_text(p, key, v));)
		*failed += json_array_append_new(array, json_parts_text(v)) < 0;
	return array;
}

/* Always there, and null where nothing was left out. */
static json_t *filters_of(const struct profile *p, int *failed)
{
	static const char *const keys[] = {
		"below=",  "thread=",  "depth=", "after=",	    "for=",
		"signal=", "stopped=", "until=", SCP_FILTER_IGNORED};
	json_t *o;

	if (!p->filters_bytes)
		return json_null();
	o = json_object();
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(keys[i], "="), keys[i]);
		json_parts_put(o, name, texts_of(p, keys[i], failed), failed);
	}
	json_parts_put(o, "differ", json_boolean(p->flags & SCP_FILE_FILTERS_DIFFER), failed);
	return o;
}

static json_t *recorded_of(const struct profile *p, int *failed)
{
	json_t *o;

	if (!(p->flags & SCP_FILE_WINDOWS))
		return json_null();
	o = json_object();
	json_parts_put(o, "recorded_s", json_parts_number((double)p->recorded_ns / 1e9), failed);
	json_parts_put(o, "lived_s", json_parts_number((double)p->recorded_of_ns / 1e9), failed);
	json_parts_put(o, "share", json_parts_number(filters_recorded_share(p)), failed);
	json_parts_put(o, "windows", json_parts_count(p->windows), failed);
	return o;
}

static json_t *thread_of(const struct report_thread *t)
{
	json_t *o = json_object();
	int failed = 0;

	json_parts_put(o, "name", json_parts_text(t->name), &failed);
	json_parts_put(o, "pid", json_parts_count(t->pid), &failed);
	json_parts_put(o, "tid", json_parts_count(t->tid), &failed);
	json_parts_put(o, "threads", json_parts_count(t->threads), &failed);
	json_parts_put(o, "live", json_boolean(t->live), &failed);
	json_parts_put(o, "calls", json_parts_count(t->calls), &failed);
	json_parts_put(o, "time_ns", json_parts_number(t->time_ns), &failed);
	json_parts_put(o, "calls_ns", json_parts_number(t->calls_ns), &failed);
	json_parts_put(o, "gaps_ns", json_parts_number(t->gaps_ns), &failed);
	json_parts_put(o, "nested_ns", json_parts_number(t->nested_ns), &failed);
	json_parts_put(o, "remainder_ns", json_parts_number(t->remainder_ns), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *process_of(const struct report_process *p)
{
	const struct prof_process *in = p->process;
	json_t *o = json_object();
	int failed = 0;

	json_parts_put(o, "pid", json_parts_count(in->pid), &failed);
	json_parts_put(o, "ppid", json_parts_count(in->ppid), &failed);
	json_parts_put(o, "processes", json_parts_count(in->count), &failed);
	json_parts_put(o, "name", json_parts_text(in->program), &failed);
	json_parts_put(o, "exe", json_parts_text(in->exe), &failed);
	json_parts_put(o, "argv", argv_of(in, &failed), &failed);
	json_parts_put(o, "start", time_text(in->start_real_ns), &failed);
	json_parts_put(o, "wall_s", json_parts_number(p->wall_s), &failed);
	json_parts_put(o, "ended", json_parts_text(words_end_name(in->end_state)), &failed);
	json_parts_put(o, "threads", json_parts_count(p->threads), &failed);
	json_parts_put(o, "calls", json_parts_count(p->calls), &failed);
	json_parts_put(o, "calls_ns", json_parts_number(p->calls_ns), &failed);
	json_parts_put(o, "time_ns", json_parts_number(p->time_ns), &failed);
	if (failed) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* A row is made, printed and dropped before the next: a report may have millions. */
struct rows {
	FILE *out;
	bool failed;
};

static void begin_rows(struct rows *rows, const char *key)
{
	fprintf(rows->out, ",\n  \"%s\": [", key);
}

static void begin_row(struct rows *rows, uint32_t number)
{
	fputs(number ? ",\n    " : "\n    ", rows->out);
}

static void put_row(struct rows *rows, json_t *row, uint32_t number)
{
	begin_row(rows, number);
	if (json_dumpf(row, rows->out, JSON_FLAGS) < 0)
		rows->failed = true;
	json_decref(row);
}

static void end_rows(struct rows *rows, uint32_t count)
{
	fputs(count ? "\n  ]" : "]", rows->out);
}

static void put_sites(struct rows *rows, struct report *r, uint32_t sites)
{
	struct json_stacks stacks = {0};

	begin_rows(rows, "sites");
	for (uint32_t i = 0; i < sites && !rows->failed; i++) {
		begin_row(rows, i);
		rows->failed = json_site_put(r, &r->site[i], &stacks, rows->out) < 0;
	}
	end_rows(rows, sites);
	json_stacks_clear(&stacks);
}

/* Loops are known by gap only. */
static void put_loops(struct rows *rows, const struct report *r, uint32_t sites, uint32_t top)
{
	uint32_t loops = !r->loops ? 0 : r->loops->loops < top ? r->loops->loops : top;

	if (!r->loops) {
		fputs(",\n  \"loops\": null", rows->out);
		return;
	}
	begin_rows(rows, "loops");
	for (uint32_t i = 0; i < loops && !rows->failed; i++)
		put_row(rows, json_loop(r, &r->loops->loop[i], sites), i);
	end_rows(rows, loops);
}

static int put_rows(struct report *r, const struct report_options *o, FILE *out)
{
	struct rows rows = {.out = out};
	uint32_t sites = rows_shown(r->sites, o), gaps = rows_shown(r->gaps, o);
	uint32_t threads = rows_shown(r->threads, o), processes = rows_shown(r->processes, o);

	put_sites(&rows, r, sites);
	begin_rows(&rows, "gaps");
	for (uint32_t i = 0; i < gaps && !rows.failed; i++)
		put_row(&rows, gap_of(r, &r->gap[i], sites), i);
	end_rows(&rows, gaps);
	begin_rows(&rows, "threads");
	for (uint32_t i = 0; i < threads && !rows.failed; i++)
		put_row(&rows, thread_of(&r->thread[i]), i);
	end_rows(&rows, threads);
	begin_rows(&rows, "processes");
	for (uint32_t i = 0; i < processes && !rows.failed; i++)
		put_row(&rows, process_of(&r->process[i]), i);
	end_rows(&rows, processes);
	put_loops(&rows, r, sites, o->top ? o->top : UINT32_MAX);
	return rows.failed ? -1 : 0;
}

static void put_totals(json_t *doc, const struct report *r, int *failed)
{
	json_t *o = json_object();

	json_parts_put(o, "calls", json_parts_count(r->calls), failed);
	json_parts_put(o, "calls_ns", json_parts_number(r->calls_ns), failed);
	json_parts_put(o, "nested_ns", json_parts_number(r->nested_ns), failed);
	json_parts_put(o, "gaps_ns", json_parts_number(r->gaps_ns), failed);
	json_parts_put(o, "time_ns", json_parts_number(r->time_ns), failed);
	json_parts_put(o, "remainder_ns", json_parts_number(r->remainder_ns), failed);
	json_parts_put(o, "overhead_measured", json_boolean(r->overhead.measured), failed);
	json_parts_put(o, "overhead_ns", json_parts_number(r->overhead.inside_ns), failed);
	json_parts_put(o, "overhead_error_ns", json_parts_number(r->overhead.inside_error_ns),
		       failed);
	json_parts_put(o, "overhead_outside_ns", json_parts_number(r->overhead.outside_ns), failed);
	json_parts_put(o, "overhead_inner_ns", json_parts_number(r->overhead.inner_ns), failed);
	json_parts_put(o, "overhead_inner_error_ns", json_parts_number(r->overhead.inner_error_ns),
		       failed);
	json_parts_put(o, "perturbation_ns", json_parts_number(r->perturbation_ns), failed);
	json_parts_put(o, "sites", json_parts_count(r->sites), failed);
	json_parts_put(o, "gaps", json_parts_count(r->gaps), failed);
	json_parts_put(doc, "totals", o, failed);
}

/* Last of all: symbolizing the stacks may have added some. */
static json_t *warnings_of(const struct report *r, int *failed)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < r->warnings; i++) {
		json_t *o = json_object();

		json_parts_put(o, "code", json_parts_text(r->warning[i].code), failed);
		json_parts_put(o, "text", json_parts_text(r->warning[i].text), failed);
		*failed += json_array_append_new(array, o) < 0;
	}
	return array;
}

/* The members of `part`, which is dropped, as members of the document. */
static int put_members(json_t *part, int failed, bool first, FILE *out)
{
	const char *key;
	json_t *value;

	json_object_foreach(part, key, value)
	{
		fprintf(out, "%s\n  \"%s\": ", first ? "" : ",", key);
		failed += json_dumpf(value, out, JSON_FLAGS) < 0;
		first = false;
	}
	json_decref(part);
	return failed ? -1 : 0;
}

static int put_head(const struct report *r, FILE *out)
{
	json_t *doc = json_object();
	int failed = 0;

	json_parts_put(doc, "schema", json_string("scprof-report/1"), &failed);
	json_parts_put(doc, "by", json_parts_text(words_by_name(r->by)), &failed);
	json_parts_put(doc, "program", program_of(r, &failed), &failed);
	json_parts_put(doc, "clock", clock_of(&r->profile->clock, r->synchronous, &failed),
		       &failed);
	json_parts_put(doc, "slow_clock", clock_of(&r->profile->slow, r->slow_synchronous, &failed),
		       &failed);
	json_parts_put(doc, "filters", filters_of(r->profile, &failed), &failed);
	json_parts_put(doc, "recorded", recorded_of(r->profile, &failed), &failed);
	json_parts_put(doc, "confidence", json_parts_number(r->confidence), &failed);
	json_parts_put(doc, "warm_up",
		       json_parts_text(r->include_warmup ? "included" : "set-aside"), &failed);
	put_totals(doc, r, &failed);
	return put_members(doc, failed, true, out);
}

static int put_tail(struct report *r, const struct report_options *o, FILE *out)
{
	json_t *doc = json_object();
	int failed = 0;

	json_slowest(doc, r, rows_shown(r->slowests, o), &failed);
	json_parts_put(doc, "skipped_calls", json_parts_count(r->skipped_calls), &failed);
	json_parts_put(doc, "abandoned_calls", json_parts_count(r->profile->losses.abandoned_calls),
		       &failed);
	json_parts_put(doc, "unmatched_ends", json_parts_count(r->profile->losses.unmatched_ends),
		       &failed);
	json_parts_put(doc, "overflow_calls", json_parts_count(r->overflow_calls), &failed);
	json_parts_put(doc, "warnings", warnings_of(r, &failed), &failed);
	return put_members(doc, failed, false, out);
}

int json_print_report(struct report *r, const struct report_options *o, FILE *out)
{
	fputc('{', out);
	if (put_head(r, out) < 0 || put_rows(r, o, out) < 0 || put_tail(r, o, out) < 0)
		return -1;
	return fputs("\n}\n", out) == EOF ? -1 : 0;
}

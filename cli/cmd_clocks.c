// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks`: how good each clock of this machine is. */

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/clocks/clocks.h"
#include "cli/cmd.h"
#include "cli/usage/output.h"
#include "report/render/json/json_write.h"
#include "report/render/text/table.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

struct arguments {
	bool json;
};

static const struct usage_entry usage_options[] = {
	{"json", USAGE_JSON, NULL, .text = "print JSON", OPTIONS_MEMBER(FLAG, arguments, json)},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_clocks_usage = {
	.command = "clocks",
	.summary = "test the clocks of this machine",
	.synopsis = {"[--json]"},
	.text = "Test every clock on this machine: resolution, cost of a reading, order across "
		"CPUs, steps and drift. Of the page clock, also the real length of ticks, and how "
		"late they come. It keeps all CPUs busy for a moment.",
	.options = usage_options,
	.exit_status = "0 done, 1 could not be measured, 2 wrong usage",
	USAGE_ENDS(2, 1),
};

/* ---- text: tables, then a verdict for each clock ---- */

#define WIDTH  100
#define INDENT 12

static struct terminal here(void)
{
	struct terminal t = terminal_of(stdout, 0);

	t.width = t.width < WIDTH ? t.width : WIDTH;
	return t;
}

static int finish(struct table *t, const struct terminal *terminal)
{
	int result = table_print(t, stdout, terminal);

	table_end(t);
	if (result)
		errno = ENOMEM;
	return result;
}

static int flushed(void)
{
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}

/* `text` at `width` columns, later lines indented. */
static void print_wrapped(const char *label, const char *text, const struct terminal *t)
{
	char *clean = utf8_clean(text, t->utf8), *save = NULL;
	size_t at = INDENT;

	printf("%-*s", INDENT, label);
	for (char *word = clean ? strtok_r(clean, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save)) {
		size_t width = utf8_width(word);

		if (at > INDENT && at + 1 + width > t->width) {
			printf("\n%*s", INDENT, "");
			at = INDENT;
		}
		at += (size_t)printf("%s%s", at > INDENT ? " " : "", word) - (strlen(word) - width);
	}
	putchar('\n');
	free(clean);
}

static void cell_duration(struct table *t, size_t column, double ns,
			  const struct terminal *terminal)
{
	table_cell(t, column, numbered_duration(ns, terminal->utf8).text);
}

/* Two columns: mean, and interval with the unit. */
static void cell_mean(struct table *t, size_t column, const struct replications_mean *m,
		      const struct terminal *terminal)
{
	struct number_mean n;
	char text[80];

	numbers_mean(&n, m->mean, m->low, m->high, terminal->utf8);
	table_cell(t, column, n.mean);
	snprintf(text, sizeof(text), "%s %s", n.interval, n.unit);
	table_cell(t, column + 1, isnan(m->mean) ? "" : text);
}

static void cell_count(struct table *t, size_t column, uint64_t count)
{
	table_cell(t, column, numbered_count(count).text);
}

static void cell_drift(struct table *t, size_t column, const struct clock_test *c,
		       const struct terminal *terminal)
{
	/* as many decimals as its error justifies */
	int decimals = c->drift_error_ppm >= 10 ? 0 : c->drift_error_ppm >= 1 ? 1 : 2;
	char text[64] = "-";

	if (!isnan(c->drift_ppm))
		snprintf(text, sizeof(text), "%+.*f %s%.*f ppm", decimals,
			 numbers_tidy(c->drift_ppm, decimals), terminal->utf8 ? "±" : "+/-",
			 decimals, c->drift_error_ppm);
	table_cell(t, column, text);
}

static int print_clocks(const struct clocks_report *r, const struct terminal *terminal)
{
	static const struct table_column columns[] = {
		{.title = "CLOCK"},
		{.title = "STEP", .right = true},
		{.title = "READING", .right = true},
		{.title = "", .glued = true},
		{.title = "BACKWARDS", .right = true},
		{.title = "OF", .right = true, .drop = 2},
		{.title = "STEPS", .right = true},
		{.title = "LARGEST", .right = true, .drop = 3},
		{.title = "DRIFT", .right = true, .drop = 1},
		{0},
	};
	struct table t;

	table_begin(&t, columns, NULL);
	for (int i = 0; i < CLOCKS_TESTED; i++) {
		const struct clock_test *c = &r->clock[i];

		table_row(&t);
		table_cell(&t, 0, clocks_read_name(c->kind));
		cell_duration(&t, 1, c->step_ns, terminal);
		cell_mean(&t, 2, &c->read, terminal);
		if (c->cpus) {
			cell_count(&t, 4, c->backward);
			cell_count(&t, 5, c->comparisons);
		} else {
			table_cell(&t, 4, "one CPU");
		}
		cell_count(&t, 6, c->steps);
		if (c->steps)
			cell_duration(&t, 7, c->step_max_ns, terminal);
		cell_drift(&t, 8, c, terminal);
	}
	return finish(&t, terminal);
}

static int print_ticks(const struct clocks_report *r, const struct terminal *terminal)
{
	static const struct table_column columns[] = {
		{.title = "TICKS OF"},
		{.title = "ASKED", .right = true},
		{.title = "OBSERVED", .right = true},
		{.title = "", .glued = true},
		{.title = "DEVIATION", .right = true, .drop = 1},
		{.title = "SHORTEST", .right = true, .drop = 2},
		{.title = "10 %", .right = true},
		{.title = "50 %", .right = true},
		{.title = "90 %", .right = true},
		{.title = "LONGEST", .right = true, .drop = 2},
		{0},
	};
	struct table t;

	table_begin(&t, columns, NULL);
	for (int i = 0; i < CLOCKS_TESTED; i++) {
		const struct tick_summary *s = &r->clock[i].ticks;
		struct replications_mean m = {
			.mean = s->mean_ns, .low = s->low_ns, .high = s->high_ns};
		const double spread[] = {s->sd_ns,  s->min_ns, s->p10_ns,
					 s->p50_ns, s->p90_ns, s->max_ns};

		if (isnan(s->mean_ns))
			continue;
		table_row(&t);
		table_cell(&t, 0, clocks_read_name(r->clock[i].kind));
		cell_duration(&t, 1, r->clock[i].claimed_ns, terminal);
		cell_mean(&t, 2, &m, terminal);
		for (size_t k = 0; k < sizeof(spread) / sizeof(*spread); k++)
			cell_duration(&t, 4 + k, spread[k], terminal);
	}
	return finish(&t, terminal);
}

static int print_lateness(const struct clocks_report *r, const struct terminal *terminal)
{
	static const struct table_column columns[] = {
		{.title = "PAGE TICKS", .right = true},	   {.title = "LATE BY", .right = true},
		{.title = "AT MOST", .right = true},	   {.title = "> D/2", .right = true},
		{.title = "BUSY: LATE BY", .right = true}, {.title = "AT MOST", .right = true},
		{.title = "> D/2", .right = true},	   {0},
	};
	struct table t;

	table_begin(&t, columns, NULL);
	for (int i = 0; i < CLOCKS_LATE; i++) {
		const struct clock_lateness *idle = &r->late[i];

		for (int j = 0; !idle->busy && j < CLOCKS_LATE; j++) {
			const struct clock_lateness *busy = &r->late[j];

			if (!busy->busy || busy->tick_ns != idle->tick_ns)
				continue;
			table_row(&t);
			cell_duration(&t, 0, idle->tick_ns, terminal);
			cell_duration(&t, 1, idle->mean_ns, terminal);
			cell_duration(&t, 2, idle->max_ns, terminal);
			table_cell(&t, 3, numbered_share(idle->share).text);
			cell_duration(&t, 4, busy->mean_ns, terminal);
			cell_duration(&t, 5, busy->max_ns, terminal);
			table_cell(&t, 6, numbered_share(busy->share).text);
		}
	}
	return finish(&t, terminal);
}

static void print_conditions(const struct clocks_report *r, const struct terminal *terminal)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "READING: mean of %u rounds, 95 %%. STEPS, DRIFT: against CLOCK_MONOTONIC_RAW, "
		 "over %.1f s. Interrupted %llu times, by %s at most, %s of that time: no steps. "
		 "Ticker: %s; busy: %u CPUs. Stolen by the host: %s.",
		 r->read_rounds, r->watch_s, (unsigned long long)r->interruptions,
		 numbered_duration(r->interruption_max_ns, terminal->utf8).text,
		 numbered_share(r->interrupted_share).text, r->late[0].scheduling, r->busy_cpus,
		 numbered_share(r->stolen).text);
	print_wrapped("measured", text, terminal);
}

/* One page of at most 100 columns. */
static int print_text(const struct clocks_report *r)
{
	const struct clock_test *tsc = &r->clock[SCP_CLOCK_TSC - 1];
	struct terminal terminal = here();
	char text[400];

	if (print_clocks(r, &terminal) || print_ticks(r, &terminal) || print_lateness(r, &terminal))
		return -1;
	putchar('\n');
	for (int i = 0; i < CLOCKS_TESTED; i++)
		print_wrapped(clocks_read_name(r->clock[i].kind), r->clock[i].verdict, &terminal);
	putchar('\n');
	print_conditions(r, &terminal);
	snprintf(text, sizeof(text), "%.6f MHz %s%.2g ppm, calibrated over %.2f s",
		 tsc->rate_hz / 1e6, terminal.utf8 ? "±" : "+/-", tsc->rate_error_ppm, r->window_s);
	print_wrapped("tsc rate", text, &terminal);
	snprintf(text, sizeof(text), "%s, because %s", clocks_read_name(r->preferred), r->reason);
	print_wrapped("default", text, &terminal);
	return flushed();
}

/* ---- JSON: all that was measured; the names of the keys have the units ---- */

static void late_json(struct json_writer *w, const struct clock_lateness *l)
{
	json_write_open(w, NULL, '{');
	JSON_MEMBERS(w, l, tick_ns, busy, ticks);
	JSON_PUT(w, "late_mean_ns", l->mean_ns, "late_max_ns", l->max_ns, "late_share", l->share,
		 "scheduling", l->scheduling ? l->scheduling : "");
	json_write_close(w, '}');
}

static void ticks_json(struct json_writer *w, const struct clock_test *t)
{
	const struct tick_summary *s = &t->ticks;

	if (!json_write_open_known(w, "ticks", isfinite(s->mean_ns)))
		return;
	JSON_PUT(w, "asked_ns", t->claimed_ns, "mean_ns", s->mean_ns, "ci_low_ns", s->low_ns,
		 "ci_high_ns", s->high_ns, "count", s->ticks, "deviation_ns", s->sd_ns);
	JSON_MEMBERS(w, s, min_ns, p10_ns, p50_ns, p90_ns, max_ns, together);
	json_write_close(w, '}');
}

/* PREFIX_ns, PREFIX_ci_low_ns, PREFIX_ci_high_ns. */
static void mean_json(struct json_writer *w, const char *prefix, const struct replications_mean *m)
{
	char key[64], low[64], high[64];

	snprintf(key, sizeof(key), "%s_ns", prefix);
	snprintf(low, sizeof(low), "%s_ci_low_ns", prefix);
	snprintf(high, sizeof(high), "%s_ci_high_ns", prefix);
	JSON_PUT(w, key, m->mean, low, m->low, high, m->high);
}

static void clock_json(struct json_writer *w, const struct clock_test *t)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "name", clocks_read_name(t->kind));
	JSON_MEMBERS(w, t, usable, verdict, smallest_mean_ns);
	JSON_PUT(w, "resolution_ns", t->step_ns, "claimed_resolution_ns", t->claimed_ns);
	mean_json(w, "read", &t->read);
	mean_json(w, "read_alone", &t->read_alone);
	json_write_integer(w, "cpus_compared", t->cpus + (t->cpus > 0));
	JSON_MEMBERS(w, t, comparisons, backward, backward_max_ns, step_readings, steps,
		     step_max_ns, drift_ppm, drift_error_ppm, rate_hz, rate_error_ppm);
	JSON_PUT(w, "late_mean_ns", t->late.mean_ns, "late_max_ns", t->late.max_ns, "late_share",
		 t->late.share);
	ticks_json(w, t);
	json_write_close(w, '}');
}

static int test_json(const struct clocks_report *r)
{
	struct json_writer w = {.out = stdout, .indent = true};

	json_write_open(&w, NULL, '{');
	JSON_PUT(&w, "schema", "scprof-clocks/1", "default", clocks_read_name(r->preferred));
	JSON_MEMBERS(&w, r, reason, window_s, watch_s, took_s, read_rounds);
	json_write_number(&w, "confidence", 0.95);
	JSON_MEMBERS(&w, r, interruptions, interruption_max_ns, interrupted_share);
	JSON_PUT(&w, "stolen_share", r->stolen, "busy_cpus", r->busy_cpus);
	json_write_open(&w, "clocks", '[');
	for (int i = 0; i < CLOCKS_TESTED; i++)
		clock_json(&w, &r->clock[i]);
	json_write_close(&w, ']');
	json_write_open(&w, "lateness", '[');
	for (int i = 0; i < CLOCKS_LATE; i++)
		late_json(&w, &r->late[i]);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	return json_write_finish(&w);
}

static int fail(const struct profile_error *err)
{
	complaint_lines("scprof clocks", err->text);
	return 1;
}

static int printed(int result)
{
	if (!result)
		return 0;
	output_lost("scprof clocks");
	return cmd_clocks_usage.failure;
}

static int test(const struct arguments *a)
{
	static const struct clocks_effort effort = CLOCKS_EFFORT_DEFAULT;
	struct clocks_report report;
	struct profile_error err;

	if (clocks_test(&report, &effort, &err))
		return fail(&err);
	return printed(a->json ? test_json(&report) : print_text(&report));
}

int cmd_clocks(int argc, char **argv)
{
	struct arguments a = {0};
	int status = options_parse(&cmd_clocks_usage, argc, argv, NULL, &a);

	if (status != OPTIONS_GO)
		return status;
	if (optind < argc) {
		complaint_say("scprof clocks",
			      "unexpected argument '%.900s'; it takes options only (scprof clocks "
			      "--help)",
			      argv[optind]);
		return 2;
	}
	return test(&a);
}

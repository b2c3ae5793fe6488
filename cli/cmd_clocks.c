// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks`: how good each clock of this machine is. */

#include <math.h>
#include <stdio.h>

#include "collector/clocks/clocks.h"
#include "cli/cmd.h"
#include "report/render/json/json_write.h"
#include "report/render/text/text.h"
#include "report/wording/numbers.h"

static const struct usage_entry usage_options[] = {
	{"json", USAGE_JSON, NULL, .text = "print JSON", .sets.type = OPTIONS_FLAG},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_clocks_usage = {
	.command = "scprof clocks",
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

#define WIDTH 100

/* What `name` is, wrapped behind it. */
#define SAY(t, name, ...)                                                                          \
	text_cell_say(t, TERMINAL_PLAIN, numbered_text("%-12s", name).text, 12, __VA_ARGS__)

/* Two columns: mean, and interval with the unit. */
static void cell_mean(struct text *t, struct table *table, size_t column,
		      const struct replications_mean *m)
{
	struct number_mean n = numbers_mean(m->mean, m->low, m->high, t->terminal.utf8);

	table_cell(table, column, n.mean);
	if (!isnan(m->mean))
		table_print_cell(table, column + 1, "%s %s", n.interval, n.unit);
}

static void cell_drift(struct text *t, struct table *table, size_t column,
		       const struct clock_test *c)
{
	/* as many decimals as its error justifies */
	int decimals = c->drift_error_ppm >= 10 ? 0 : c->drift_error_ppm >= 1 ? 1 : 2;

	if (isnan(c->drift_ppm))
		table_cell(table, column, "-");
	else
		table_print_cell(table, column, "%+.*f %s%.*f ppm", decimals,
				 numbers_tidy(c->drift_ppm, decimals),
				 t->terminal.utf8 ? "±" : "+/-", decimals, c->drift_error_ppm);
}

static int print_clocks(const struct clocks_report *r, struct text *t)
{
	enum { CLOCK, STEP, READING, INTERVAL, BACKWARDS, OF, STEPS, LARGEST, DRIFT };
	static const struct table_column columns[] = {
		[CLOCK] = {.title = "CLOCK"},
		[STEP] = {"STEP", TABLE_FIELD(NS, clock_test, step_ns)},
		[READING] = {"READING", .right = true},
		[INTERVAL] = {"", .glued = true},
		[BACKWARDS] = {"BACKWARDS", .right = true},
		[OF] = {"OF", .right = true, .drop = 2},
		[STEPS] = {"STEPS", TABLE_FIELD(COUNT, clock_test, steps)},
		[LARGEST] = {"LARGEST", .right = true, .drop = 3},
		[DRIFT] = {"DRIFT", .right = true, .drop = 1},
		{0},
	};
	struct table table;

	table_begin(&table, columns, NULL);
	for (const struct clock_test *c = r->clock; c < r->clock + CLOCKS_TESTED; c++) {
		text_cell_row(t, &table, c);
		table_cell(&table, CLOCK, clocks_read_name(c->kind));
		cell_mean(t, &table, READING, &c->read);
		if (c->cpus)
			table_cell(&table, OF, numbered_count(c->comparisons).text);
		table_cell(&table, BACKWARDS,
			   c->cpus ? numbered_count(c->backward).text : "one CPU");
		if (c->steps)
			text_cell_duration(t, &table, LARGEST, c->step_max_ns);
		cell_drift(t, &table, DRIFT, c);
	}
	return text_cell_end(t, &table);
}

static int print_ticks(const struct clocks_report *r, struct text *t)
{
	static const struct table_column columns[] = {
		{.title = "TICKS OF"},
		{"ASKED", TABLE_FIELD(NS, clock_test, claimed_ns)},
		{"OBSERVED", .right = true},
		{"", .glued = true},
		{"DEVIATION", .drop = 1, TABLE_FIELD(NS, clock_test, ticks.sd_ns)},
		{"SHORTEST", .drop = 2, TABLE_FIELD(NS, clock_test, ticks.min_ns)},
		{"10 %", TABLE_FIELD(NS, clock_test, ticks.p10_ns)},
		{"50 %", TABLE_FIELD(NS, clock_test, ticks.p50_ns)},
		{"90 %", TABLE_FIELD(NS, clock_test, ticks.p90_ns)},
		{"LONGEST", .drop = 2, TABLE_FIELD(NS, clock_test, ticks.max_ns)},
		{0},
	};
	struct table table;

	table_begin(&table, columns, NULL);
	for (int i = 0; i < CLOCKS_TESTED; i++) {
		const struct tick_summary *s = &r->clock[i].ticks;
		struct replications_mean m = {
			.mean = s->mean_ns, .low = s->low_ns, .high = s->high_ns};

		if (isnan(s->mean_ns))
			continue;
		text_cell_row(t, &table, &r->clock[i]);
		table_cell(&table, 0, clocks_read_name(r->clock[i].kind));
		cell_mean(t, &table, 2, &m);
	}
	return text_cell_end(t, &table);
}

/* Of a tick: idle, and busy. */
struct lateness {
	struct clock_lateness idle, busy;
};

static int print_lateness(const struct clocks_report *r, struct text *t)
{
	static const struct table_column columns[] = {
		{"PAGE TICKS", TABLE_FIELD(NS, lateness, idle.tick_ns)},
		{"LATE BY", TABLE_FIELD(NS, lateness, idle.mean_ns)},
		{"AT MOST", TABLE_FIELD(NS, lateness, idle.max_ns)},
		{"> D/2", TABLE_FIELD(SHARE, lateness, idle.share)},
		{"BUSY: LATE BY", TABLE_FIELD(NS, lateness, busy.mean_ns)},
		{"AT MOST", TABLE_FIELD(NS, lateness, busy.max_ns)},
		{"> D/2", TABLE_FIELD(SHARE, lateness, busy.share)},
		{0},
	};
	struct table table;

	table_begin(&table, columns, NULL);
	for (int i = 0; i < CLOCKS_LATE / 2; i++)
		text_cell_row(t, &table,
			      &(struct lateness){r->late[i], r->late[i + CLOCKS_LATE / 2]});
	return text_cell_end(t, &table);
}

/* One page of at most 100 columns. */
static int print_text(const struct clocks_report *r)
{
	const struct clock_test *tsc = &r->clock[SCP_CLOCK_TSC - 1];
	struct text t = {.out = stdout, .terminal = terminal_of(stdout, 0)};
	bool utf8 = t.terminal.utf8;

	t.terminal.width = t.terminal.width < WIDTH ? t.terminal.width : WIDTH;
	if (print_clocks(r, &t) || print_ticks(r, &t) || print_lateness(r, &t))
		return -1;
	putchar('\n');
	for (int i = 0; i < CLOCKS_TESTED; i++)
		SAY(&t, clocks_read_name(r->clock[i].kind), "%s", r->clock[i].verdict);
	putchar('\n');
	SAY(&t, "measured",
	    "READING: mean of %u rounds, 95 %%. STEPS, DRIFT: against "
	    "CLOCK_MONOTONIC_RAW, over %.1f s. Interrupted %llu times, by %s at most, %s "
	    "of that time: no steps. Ticker: %s; busy: %u CPUs. Stolen by the host: %s.",
	    r->read_rounds, r->watch_s, (unsigned long long)r->interruptions,
	    numbered_duration(r->interruption_max_ns, utf8).text,
	    numbered_share(r->interrupted_share).text, r->late[0].scheduling, r->busy_cpus,
	    numbered_share(r->stolen).text);
	SAY(&t, "tsc rate", "%.6f MHz %s%.2g ppm, calibrated over %.2f s", tsc->rate_hz / 1e6,
	    utf8 ? "±" : "+/-", tsc->rate_error_ppm, r->window_s);
	SAY(&t, "default", "%s, because %s", clocks_read_name(r->preferred), r->reason);
	return 0;
}

/* ---- JSON: all that was measured; the names of the keys have the units ---- */

static void late_json(struct json_writer *w, const struct clock_lateness *l)
{
	JSON_OBJECT(w, NULL, "tick_ns", l->tick_ns, "busy", l->busy, "ticks", l->ticks,
		    "late_mean_ns", l->mean_ns, "late_max_ns", l->max_ns, "late_share", l->share,
		    "scheduling", l->scheduling ? l->scheduling : "");
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

static void clock_json(struct json_writer *w, const struct clock_test *t)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "name", clocks_read_name(t->kind));
	JSON_MEMBERS(w, t, usable, verdict, smallest_mean_ns);
	JSON_PUT(w, "resolution_ns", t->step_ns, "claimed_resolution_ns", t->claimed_ns);
	JSON_PUT(w, "read_ns", t->read.mean, "read_ci_low_ns", t->read.low, "read_ci_high_ns",
		 t->read.high, "read_alone_ns", t->read_alone.mean, "read_alone_ci_low_ns",
		 t->read_alone.low, "read_alone_ci_high_ns", t->read_alone.high);
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
	JSON_LIST(&w, "clocks", e, r->clock, CLOCKS_TESTED, clock_json(&w, e));
	JSON_LIST(&w, "lateness", e, r->late, CLOCKS_LATE, late_json(&w, e));
	return json_write_finish(&w);
}

int cmd_clocks(int argc, char **argv)
{
	struct profile_error err = {.text = "out of memory"};
	struct clocks_report report;
	bool json = false;
	int status = options_parse(&cmd_clocks_usage, argc, argv, NULL, &json);

	if (status != OPTIONS_GO)
		return status;
	if (optind < argc)
		return options_refuse(
			&cmd_clocks_usage,
			"unexpected argument '%.900s'; it takes options only (scprof clocks "
			"--help)",
			argv[optind]);
	if (!clocks_test(&report, &err) && !(json ? test_json : print_text)(&report))
		return 0;
	complaint_lines("scprof clocks", err.text);
	return cmd_clocks_usage.failure;
}

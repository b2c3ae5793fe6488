// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks`: how good each clock of this machine is. */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "collector/clocks/clock_costs.h"
#include "collector/clocks/clocks.h"
#include "cli/clocks_print.h"
#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "cli/usage/output.h"
#include "report/render/json/json_write.h"

struct arguments {
	bool json, figure, longer;
};

static const struct usage_entry usage_options[] = {
	{"json", USAGE_JSON, NULL, .text = "print JSON", OPTIONS_MEMBER(FLAG, arguments, json)},
	{"figure", 0, NULL, .text = "instead: what every way to read the time costs here",
	 OPTIONS_MEMBER(FLAG, arguments, figure)},
	{"long", 0, NULL,
	 .text = "half a minute instead of three seconds: narrower intervals, rarer events",
	 OPTIONS_MEMBER(FLAG, arguments, longer)},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_clocks_usage = {
	.command = "clocks",
	.summary = "test the clocks of this machine",
	.synopsis = {"[--json] [--figure] [--long]"},
	.text = "Test every clock on this machine: resolution, cost of a reading, order across "
		"CPUs, steps and drift. Of the page clock, also the real length of ticks, and how "
		"late they come. It keeps all CPUs busy for a moment.",
	.options = usage_options,
	.exit_status = "0 done, 1 could not be measured, 2 wrong usage",
	USAGE_ENDS(2, 1),
};

#define FIGURE_ROUNDS	   15
#define FIGURE_ROUNDS_LONG 201

/* All that was measured; the names of the keys have the units. */
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

static int figure_json(const struct clock_costs *c)
{
	struct json_writer w = {.out = stdout, .indent = true};

	json_write_open(&w, NULL, '{');
	json_write_text(&w, "schema", "scprof-clocks-figure/1");
	JSON_MEMBERS(&w, c, confidence, rounds, batches);
	JSON_PUT(&w, "rounds_repeated", c->repeated, "stolen_share", c->stolen, "took_s",
		 c->took_s);
	json_write_open(&w, "ways", '[');
	for (size_t i = 0; i < c->count; i++) {
		const struct clock_cost *cost = &c->cost[i];

		json_write_open(&w, NULL, '{');
		JSON_PUT(&w, "name", cost->way->name, "how", clock_costs_place(c, cost), "gives",
			 cost->way->gives);
		mean_json(&w, "flow", &cost->flow);
		mean_json(&w, "alone", &cost->alone);
		json_write_close(&w, '}');
	}
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

static int figure(const struct arguments *a)
{
	struct profile_error err = {.text = "not enough memory"};
	struct clock_costs costs;

	if (clock_costs_measure(&costs, true, a->longer ? FIGURE_ROUNDS_LONG : FIGURE_ROUNDS))
		return fail(&err);
	return printed(a->json ? figure_json(&costs) : clocks_figure_text(&costs));
}

static int test(const struct arguments *a)
{
	static const struct clocks_effort usual = CLOCKS_EFFORT_DEFAULT,
					  longer = CLOCKS_EFFORT_LONG;
	struct clocks_report report;
	struct profile_error err;

	if (clocks_test(&report, a->longer ? &longer : &usual, &err))
		return fail(&err);
	return printed(a->json ? test_json(&report) : clocks_print_text(&report));
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
	return a.figure ? figure(&a) : test(&a);
}

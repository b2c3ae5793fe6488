// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks`: how good each clock of this machine is. */
#include <stdbool.h>
#include <stdio.h>

#include "collector/clocks/clock_costs.h"
#include "collector/clocks/clocks.h"
#include "cli/clocks_print.h"
#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "cli/usage/output.h"

enum { OPT_FIGURE = USAGE_OWN, OPT_LONG };

static const struct usage_entry usage_options[] = {
	{"json", USAGE_JSON, NULL, .text = "print JSON"},
	{"figure", OPT_FIGURE, NULL, .text = "instead: what every way to read the time costs here"},
	{"long", OPT_LONG, NULL,
	 .text = "half a minute instead of three seconds: narrower intervals, rarer events"},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_clocks_usage = {
	.command = "clocks",
	.summary = "test the clocks of this machine",
	.synopsis = {"[--json] [--figure] [--long]"},
	.text = "Test every clock on this machine: resolution, cost of a reading, order across "
		"CPUs, steps and drift. Of the page clock, also the real length of ticks, and how "
		"late they come. It "
		"keeps all CPUs busy for a moment.",
	.options = usage_options,
	.exit_status = "0 done, 1 could not be measured, 2 wrong usage",
	.bad_usage = 2,
	.failure = 2,
};

#define FIGURE_ROUNDS	   15
#define FIGURE_ROUNDS_LONG 201

struct arguments {
	bool json, figure, longer;
};

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
	return printed(a->json ? clocks_figure_json(&costs) : clocks_figure_text(&costs));
}

static int test(const struct arguments *a)
{
	static const struct clocks_effort usual = CLOCKS_EFFORT_DEFAULT,
					  longer = CLOCKS_EFFORT_LONG;
	struct clocks_report report;
	struct profile_error err;

	if (clocks_test(&report, a->longer ? &longer : &usual, &err))
		return fail(&err);
	return printed(a->json ? clocks_print_json(&report) : clocks_print_text(&report));
}

static int take_option(void *to, int code, const char *value)
{
	struct arguments *a = to;

	(void)value;
	a->json |= code == USAGE_JSON;
	a->figure |= code == OPT_FIGURE;
	a->longer |= code == OPT_LONG;
	return 0;
}

int cmd_clocks(int argc, char **argv)
{
	struct arguments a = {0};
	int status = options_parse(&cmd_clocks_usage, argc, argv, take_option, &a);

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

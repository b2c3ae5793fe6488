// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks`: what each clock of this machine is worth. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "collector/clocks/clock_ways.h"
#include "collector/clocks/clocks.h"
#include "cli/clocks_print.h"
#include "cli/cmd.h"
#include "cli/complaint.h"

const char clocks_usage[] =
	"usage: scprof clocks [--json] [--figure] [--long]\n"
	"Tests every clock on this machine: resolution, cost of a reading, order across CPUs,\n"
	"steps, drift, real length of ticks, lateness of the page clock's ticker. It keeps all\n"
	"CPUs busy for a moment.\n"
	"\n"
	"  --json      print JSON\n"
	"  --figure    instead: what every way to read the time costs here\n"
	"  --long      half a minute instead of three seconds: narrower intervals, rarer events\n"
	"  -h, --help  this text\n"
	"\n"
	"exit status: 0 done, 1 could not be measured or printed, 2 wrong usage\n";

#define FIGURE_ROUNDS	   15
#define FIGURE_ROUNDS_LONG 201

enum { OPT_JSON = 256, OPT_FIGURE, OPT_LONG };

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
	perror("scprof clocks: cannot write to standard output");
	return 1;
}

static int figure(const struct arguments *a)
{
	struct profile_error err = {.text = "not enough memory"};
	struct clock_costs costs;

	if (clock_ways_measure(&costs, true, a->longer ? FIGURE_ROUNDS_LONG : FIGURE_ROUNDS))
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

int cmd_clocks(int argc, char **argv)
{
	static const struct option options[] = {{"json", no_argument, NULL, OPT_JSON},
						{"figure", no_argument, NULL, OPT_FIGURE},
						{"long", no_argument, NULL, OPT_LONG},
						{"help", no_argument, NULL, 'h'},
						{0}};
	struct arguments a = {0};
	char text[1024];
	int option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON:
			a.json = true;
			break;
		case OPT_FIGURE:
			a.figure = true;
			break;
		case OPT_LONG:
			a.longer = true;
			break;
		case 'h':
			return printed(fputs(clocks_usage, stdout) == EOF || fflush(stdout));
		default:
			complaint_option("scprof clocks", argv, option);
			return 2;
		}
	}
	if (optind < argc) {
		snprintf(text, sizeof(text),
			 "unexpected argument '%.900s'; it takes options only (scprof clocks "
			 "--help)",
			 argv[optind]);
		complaint_print("scprof clocks", text);
		return 2;
	}
	return a.figure ? figure(&a) : test(&a);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* All values are checked before the command starts, from options and from the environment. */
#include "cli/run/run_options.h"
#include "cli/run/run_again.h"
#include "cli/run/run_groups.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/clocks/clocks.h"
#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "collector/duration.h"
#include "cli/usage/quantity.h"
#include "cli/messages/say.h"
#include "collector/clocks/ticker.h"
#include "collector/displacement/sites/dither_plan.h"

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_OUTPUT("PATH", "the profile (default: scprof.NAME.PID.scp in SCPROF_OUT, else "
				   "here). A name that ends in .html, .json, .csv, .svg, .pb.gz, "
				   ".folded or .callgrind: the report, and the profile beside it"),
	RUN_OPTIONS_RECORDING,
	{"runs", RUN_OPTION_RUNS, "N",
	 .text = "run the command N times, each with a profile of its own, and report all: the "
		 "intervals are then about the next run, too"},
	{"live", RUN_OPTION_LIVE, NULL,
	 .text = "watch on the terminal meanwhile, as by scprof top; what the command writes to "
		 "the terminal goes to a file"},
	REPORT_OPTIONS_ENTRIES,
	{"displace", RUN_OPTION_DISPLACE, NULL,
	 .text = "also measure what interrupts take for the command and for a call at each site. A "
		 "thread of lowest priority on each CPU does so (see scprof displace --help)"},
	{"dither", RUN_OPTION_DITHER, "[=P]",
	 .text = "with --displace: delay calls in windows drawn at random, so that sites with "
		 "constant rates get a number, too. It may cost P of the throughput (default: 5%)"},
	{"after", RUN_OPTION_AFTER, "T", .text = "begin so long after the start: 5s, 500ms",
	 .variable = "SCPROF_AFTER"},
	{"for", RUN_OPTION_FOR, "T", .text = "record for so long each time that recording begins",
	 .variable = "SCPROF_FOR"},
	{"signal", RUN_OPTION_SIGNAL, "USR1|USR2",
	 .text = "sent to scprof, stops and starts recording", .flags = USAGE_OTHER_VALUES,
	 .variable = "SCPROF_SIGNAL"},
	{"stopped", RUN_OPTION_STOPPED, NULL,
	 .text = "begin stopped: the signal, or SCPROF_START in the program, starts",
	 .variable = "SCPROF_STOPPED"},
	{"pid", 'p', "PID", .text = "no: `scprof attach PID` records what runs already",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage run_options_usage = {
	.command = "run",
	.summary = "run a command, write its profile, print the report",
	.synopsis = {"[OPTION...] [--] COMMAND [ARG...]"},
	.text = "Run a command, write its profile, and print the report on standard error.",
	.words = "COMMAND ARG",
	.mode = "+",
	.options = usage_options,
	.exit_status = "the command's own, 128+N after signal N; 125 scprof failed, 126 the "
		       "command cannot be executed, 127 it was not found",
	.bad_usage = 125,
	.failure = 125,
};

static int parse_clock(const char *from, const char *name, struct run_options *o)
{
	o->clock = clocks_read_parse(name);
	if (o->clock != SCP_CLOCK_NONE)
		return 0;
	say_format("%s: no clock is called '%s'.\nThere are: %s", from, name, clocks_read_names);
	return -1;
}

static int parse_tick(const char *from, const char *text, struct run_options *o)
{
	if (!duration_parse(text, &o->tick_ns) && o->tick_ns >= TICKER_MIN_NS &&
	    o->tick_ns <= TICKER_MAX_NS)
		return 0;
	say_format("%s: '%s' is no tick between 20us and 100ms.\n"
		   "Write a number and its unit: 50us, 1ms, 0.5ms",
		   from, text);
	return -1;
}

#define DITHER_DEFAULT 0.05
#define RUNS_MOST      1000

/* Looks are 0.1 s apart at least. */
#define LEAST_NS 100000000u

static int take_until(const char *text, struct run_options *o)
{
	if (!quantity_share(text, &o->until) && o->until >= 0.0001 && o->until <= 0.5) {
		o->filters.until = true;
		return 0;
	}
	say_format("--until: '%s' is no half width between 0.01%% and 50%% of a mean.\n"
		   "Write 5%%, or 0.05",
		   text);
	return -1;
}

static int take_until_least(const char *text, struct run_options *o)
{
	uint64_t ns;

	if (!duration_parse(text, &ns) && ns >= LEAST_NS) {
		o->until_least_s = (double)ns / 1e9;
		return 0;
	}
	say_format("--until-least: '%s' is no duration of 100 ms or more: such as 30s", text);
	return -1;
}

static int take_dither(const char *text, struct run_options *o)
{
	o->dither = DITHER_DEFAULT;
	if (!text || (!quantity_share(text, &o->dither) && o->dither >= DITHER_PLAN_LEAST &&
		      o->dither <= DITHER_PLAN_MOST))
		return 0;
	say_format("--dither: '%s' is no share between 0.5%% and 25%% of the throughput.\n"
		   "Write 5%%, or 0.05",
		   text);
	return -1;
}

static int check_dither(const struct run_options *o)
{
	if (!(o->dither > 0) || o->displace)
		return 0;
	say("--dither varies the rates of calls for --displace: add it");
	return -1;
}

static int settle_states(struct run_options *o)
{
	const char *set = options_variable("SCPROF_STATES"),
		   *from = o->states ? "--states" : "SCPROF_STATES";

	if (!o->states)
		o->states = set && *set ? set : "budget";
	if (!strcmp(o->states, "off") || !strcmp(o->states, "budget") ||
	    !strcmp(o->states, "exact"))
		return 0;
	say_format("%s: '%s' is none of off, budget and exact", from, o->states);
	return -1;
}

static int settle_verify_paths(struct run_options *o)
{
	const char *set = options_variable("SCPROF_VERIFY_PATHS"),
		   *from = o->verify_paths ? "--verify-paths" : "SCPROF_VERIFY_PATHS";
	uint64_t n;

	if (!o->verify_paths)
		o->verify_paths = set;
	if (!o->verify_paths ||
	    !quantity_count(o->verify_paths, o->verify_paths == set ? 0 : 1, UINT32_MAX, &n))
		return 0;
	say_format("%s: '%s' is no number from 1 to %u: one new path in so many is walked twice",
		   from, o->verify_paths, UINT32_MAX);
	return -1;
}

static bool has_empty_name(const char *list)
{
	return !*list || *list == ',' || list[strlen(list) - 1] == ',' || strstr(list, ",,");
}

static int check_until(const struct run_options *o)
{
	if (!(o->until > 0) && o->until_of)
		say("--until-of says of which functions --until speaks: how well, --until 5%?");
	else if (!(o->until > 0) && o->until_least_s > 0)
		say("--until-least says when --until may be reached: how well, --until 5%?");
	else if (o->until_of && has_empty_name(o->until_of))
		say_format("--until-of: '%s' has an empty name in it", o->until_of);
	else
		return 0;
	return -1;
}

/* Options win over the environment. A tick without a page clock is an error on the command line,
 * and ignored in the environment. */
int run_options_settle(struct run_options *o, const char *clock, const char *tick,
		       const char *groups)
{
	const char *set_clock = options_variable("SCPROF_CLOCK"),
		   *set_tick = options_variable("SCPROF_TICK"),
		   *set_groups = options_variable("SCPROF_GROUPS");
	char reason[256];

	if (clock ? parse_clock("-c", clock, o)
		  : set_clock && parse_clock("SCPROF_CLOCK", set_clock, o))
		return -1;
	if (o->clock == SCP_CLOCK_NONE)
		o->clock = clocks_verdict_default(reason, sizeof(reason));
	bool ticks = o->clock == SCP_CLOCK_PAGE || o->clock == SCP_CLOCK_DUAL;
	if (tick ? parse_tick("-d", tick, o)
		 : ticks && set_tick && parse_tick("SCPROF_TICK", set_tick, o))
		return -1;
	o->tick_asked = ticks && (tick || set_tick);
	if (tick && !ticks) {
		say_format("-d sets the tick of the page clock, but the clock is %s.\n"
			   "Add -c page, or -c dual",
			   clocks_read_name(o->clock));
		return -1;
	}
	if (groups ? run_groups_parse("-g", groups, o)
		   : set_groups && run_groups_parse("SCPROF_GROUPS", set_groups, o))
		return -1;
	if (run_filters_check(&o->filters) || run_slowest_settle(&o->slowest) || check_until(o) ||
	    check_dither(o) || run_again_check(o) || settle_states(o) || settle_verify_paths(o))
		return -1;
	if (!o->symbols)
		o->symbols = options_variable("SCPROF_SYMBOLS");
	return 0;
}

struct texts {
	const struct usage *usage;
	struct run_options *options;
	const char *clock, *tick, *groups;
};

/* Whose values may be wrong. */
static int take_checked(struct texts *t, int code, const char *value)
{
	struct run_options *o = t->options;

	switch (code) {
	case RUN_OPTION_RUNS:
		return options_count32(t->usage, code, value, 1, RUNS_MOST, &o->runs);
	case RUN_OPTION_UNTIL:
		return take_until(value, o);
	case RUN_OPTION_UNTIL_LEAST:
		return take_until_least(value, o);
	case RUN_OPTION_DITHER:
		return take_dither(value, o);
	case 'p':
		say_format("scprof run starts a command. Process %.20s runs already: scprof attach "
			   "%.20s",
			   value, value);
		return -1;
	default:
		return run_filters_take(&o->filters, code, value);
	}
}

static int take_option(void *to, int code, const char *value)
{
	struct texts *t = to;
	struct run_options *o = t->options;

	switch (code) {
	case 'o':
		o->output = value;
		return 0;
	case 'c':
		t->clock = value;
		return 0;
	case 'd':
		t->tick = value;
		return 0;
	case 'g':
		t->groups = value;
		return 0;
	case RUN_OPTION_NO_REPORT:
		o->report = false;
		return 0;
	case 's':
		o->symbols = value;
		return 0;
	case RUN_OPTION_SLOWEST:
		o->slowest.count = value;
		return 0;
	case RUN_OPTION_SLOWER_THAN:
		o->slowest.least = value;
		return 0;
	case RUN_OPTION_SLOWEST_OF:
		o->slowest.patterns = value;
		return 0;
	case RUN_OPTION_STATES:
		o->states = value;
		return 0;
	case RUN_OPTION_VERIFY_PATHS:
		o->verify_paths = value ? value : "1";
		return 0;
	case RUN_OPTION_EXACT_TICK:
		o->exact_tick = true;
		return 0;
	case RUN_OPTION_LIVE:
		o->live = true;
		return 0;
	case RUN_OPTION_UNTIL_OF:
		o->until_of = value;
		return 0;
	case RUN_OPTION_DISPLACE:
		o->displace = true;
		return 0;
	case RUN_OPTION_COPY_TO:
		o->copy_to = value;
		return 0;
	case RUN_OPTION_CHILDREN:
		o->children = true;
		return 0;
	default:
		return take_checked(t, code, value);
	}
}

static int take_any(void *to, int code, const char *value)
{
	struct texts *t = to;
	int taken = report_options_take(&t->options->shown, t->usage, code, value);

	return taken <= 0 ? taken : take_option(to, code, value);
}

/* Where -o puts the report; NULL: nowhere, it names the profile. */
static const char *report_file(const struct run_options *o)
{
	enum report_format format;

	return o->output && !report_names_format_of(o->output, &format) ? o->output : NULL;
}

void run_options_begin(struct run_options *o)
{
	const char *disable = options_variable("SCPROF_DISABLE");
	bool attached = o->filters.attached;

	*o = (struct run_options){.tick_ns = TICKER_DEFAULT_NS,
				  .report = true,
				  .runs = 1,
				  .shown = REPORT_CHOICE_DEFAULT,
				  .filters = {.attached = attached}};
	o->disabled = disable && strcmp(disable, "0") != 0;
}

int run_options_parse_as(const struct usage *u, int argc, char **argv, struct run_options *o)
{
	struct texts t = {.usage = u, .options = o};
	int status;

	run_options_begin(o);
	status = options_parse(u, argc, argv, take_any, &t);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	if (!*o->command) {
		say_format("which %s? usage: scprof %s %s",
			   o->filters.attached ? "process" : "command", u->command, u->synopsis[0]);
		return u->bad_usage;
	}
	if (report_options_settle(&o->shown, u, report_file(o),
				  isatty(o->filters.attached ? STDOUT_FILENO : STDERR_FILENO)))
		return u->bad_usage;
	return run_options_settle(o, t.clock, t.tick, t.groups) ? u->bad_usage : OPTIONS_GO;
}

int run_options_parse(int argc, char **argv, struct run_options *o)
{
	o->filters.attached = false;
	return run_options_parse_as(&run_options_usage, argc, argv, o);
}

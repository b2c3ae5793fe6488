// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run/run_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/usage/options.h"
#include "collector/duration.h"
#include "cli/messages/complaint.h"
#include "collector/clocks/ticker.h"
#include "collector/displacement/sites/site_dither.h"

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

#define DITHER_DEFAULT 0.05
#define RUNS_MOST      1000
#define LEAST_NS       100000000u /* looks are 0.1 s apart at least */

static int take_until(const char *text, struct run_options *o)
{
	if (!quantity_share(text, &o->until) && o->until >= 0.0001 && o->until <= 0.5) {
		o->filters.until = true;
		return 0;
	}
	return say_format("--until: '%s' is not a half width between 0.01%% and 50%% of a mean.\n"
			  "Write 5%%, or 0.05",
			  text);
}

static int take_until_least(const char *text, struct run_options *o)
{
	uint64_t ns;

	if (!duration_parse(text, &ns) && ns >= LEAST_NS) {
		o->until_least_s = (double)ns / 1e9;
		return 0;
	}
	return say_format("--until-least: '%s' is not a duration of 100 ms or more: such as 30s",
			  text);
}

static int take_dither(const char *text, struct run_options *o)
{
	o->dither = DITHER_DEFAULT;
	if (!text || (!quantity_share(text, &o->dither) && o->dither >= DITHER_PLAN_LEAST &&
		      o->dither <= DITHER_PLAN_MOST))
		return 0;
	return say_format(
		"--dither: '%s' is not a share between 0.5%% and 25%% of the throughput.\n"
		"Write 5%%, or 0.05",
		text);
}

struct taking {
	const struct usage *usage;
	struct run_options *options;
};

#define MEMBER(option, kind, member, ...)                                                          \
	OPTIONS_MEMBER(option, kind, run_options, member, ##__VA_ARGS__)
/* Options that only set a member. */
static const struct options_member members[] = {
	MEMBER('o', TEXT, output),
	MEMBER('c', TEXT, clock_text),
	MEMBER('d', TEXT, tick_text),
	MEMBER('g', TEXT, groups),
	MEMBER('s', TEXT, symbols),
	MEMBER(RUN_OPTION_SLOWEST, TEXT, slowest),
	MEMBER(RUN_OPTION_SLOWER_THAN, TEXT, slower_than),
	MEMBER(RUN_OPTION_SLOWEST_OF, TEXT, slowest_of),
	MEMBER(RUN_OPTION_STATES, TEXT, states),
	MEMBER(RUN_OPTION_VERIFY_PATHS, TEXT, verify_paths, .constant = "1"),
	MEMBER(RUN_OPTION_EXACT_TICK, FLAG, exact_tick),
	MEMBER(RUN_OPTION_LIVE, FLAG, live),
	MEMBER(RUN_OPTION_UNTIL_OF, TEXT, until_of),
	MEMBER(RUN_OPTION_DISPLACE, FLAG, displace),
	MEMBER(RUN_OPTION_COPY_TO, TEXT, copy_to),
	MEMBER(RUN_OPTION_NAME, TEXT, name),
	MEMBER(RUN_OPTION_CHILDREN, FLAG, children),
	MEMBER(RUN_OPTION_DEPTH, TEXT, filters.depth),
	MEMBER(RUN_OPTION_NATIVE, TEXT, filters.native, .constant = "1"),
	MEMBER(RUN_OPTION_NO_PYTHON, TEXT, filters.python, .constant = "off"),
	MEMBER(RUN_OPTION_AFTER, TEXT, filters.after),
	MEMBER(RUN_OPTION_FOR, TEXT, filters.length),
	MEMBER(RUN_OPTION_SIGNAL, TEXT, filters.signal),
	MEMBER(RUN_OPTION_STOPPED, FLAG, filters.stopped),
	MEMBER(RUN_OPTION_RUNS, COUNT32, runs, .least = 1, .most = RUNS_MOST),
	{0}};

static int take_option(void *to, int code, const char *value)
{
	struct taking *t = to;
	struct run_options *o = t->options;
	int taken = report_options_take(&o->shown, t->usage, code, value);

	taken = taken > 0 ? options_take(t->usage, members, o, code, value) : taken;
	if (taken <= 0)
		return taken;
	switch (code) {
	case RUN_OPTION_NO_REPORT:
		o->report = false;
		return 0;
	case RUN_OPTION_UNTIL:
		return take_until(value, o);
	case RUN_OPTION_UNTIL_LEAST:
		return take_until_least(value, o);
	case RUN_OPTION_DITHER:
		return take_dither(value, o);
	case RUN_OPTION_BELOW:
		return run_options_join(&o->filters.below, value);
	case RUN_OPTION_THREAD:
		return run_options_join(&o->filters.threads, value);
	default: /* -p */
		return say_format(
			"scprof run starts a command. Process %.20s runs already: scprof attach "
			"%.20s",
			value, value);
	}
}

/* The file that -o gives for the report; NULL: none, since -o names the profile. */
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
	struct taking t = {u, o};
	int status;

	run_options_begin(o);
	status = options_parse(u, argc, argv, take_option, &t);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	if (!*o->command && !o->name) {
		say_format("which %s? usage: scprof %s %s",
			   o->filters.attached ? "process" : "command", u->command, u->synopsis[0]);
		return u->bad_usage;
	}
	if (report_options_settle(&o->shown, u, report_file(o),
				  isatty(o->filters.attached ? STDOUT_FILENO : STDERR_FILENO)))
		return u->bad_usage;
	return run_options_settle(o) ? u->bad_usage : OPTIONS_GO;
}

int run_options_parse(int argc, char **argv, struct run_options *o)
{
	o->filters.attached = false;
	return run_options_parse_as(&run_options_usage, argc, argv, o);
}

void run_options_free(struct run_options *o)
{
	free(o->filters.below);
	free(o->filters.threads);
	o->filters.below = o->filters.threads = NULL;
}

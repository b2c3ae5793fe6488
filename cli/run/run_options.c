// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run/run_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "collector/clocks/ticker.h"
#include "collector/displacement/sites/site_dither.h"
#include "collector/sample/sampler.h"

static const struct usage_entry usage_options[] = {
	RUN_OPTION_OUTPUT,
	RUN_OPTIONS_RECORDING,
	{"runs", 0, "N",
	 .text = "run the command N times, each with a profile of its own, and report all: the "
		 "intervals are then about the next run, too",
	 RUN_MEMBER(COUNT32, runs, .least = 1, .most = RUN_RUNS_MOST)},
	{"live", 0, NULL,
	 .text = "watch on the terminal meanwhile, as by scprof top; what the command writes to "
		 "the terminal goes to a file",
	 RUN_MEMBER(FLAG, live)},
	REPORT_OPTIONS_ENTRIES,
	{"displace", 0, NULL,
	 .text = "also measure what interrupts take for the command and for a call at each site. A "
		 "thread of lowest priority on each CPU does so (see scprof displace --help)",
	 RUN_MEMBER(FLAG, displace)},
	{"dither", 0, "[=P]",
	 .text = "with --displace: delay calls in windows drawn at random, so that sites with "
		 "constant rates get a number, too. It may cost P of the throughput (default: 5%)",
	 RUN_MEMBER(SHARE, dither, .least = (uint64_t)(1e6 * DITHER_PLAN_LEAST),
		    .most = (uint64_t)(1e6 * DITHER_PLAN_MOST), .constant = "5%")},
	{"after", 0, "T", .text = "begin so long after the start: 5s, 500ms",
	 RUN_TEXT(filters.after, "AFTER")},
	{"for", 0, "T", .text = "record for so long each time that recording begins",
	 RUN_TEXT(filters.length, "FOR")},
	{"signal", 0, "USR1|USR2", .text = "sent to scprof, stops and starts recording",
	 .flags = USAGE_OTHER_VALUES, RUN_TEXT(filters.signal, "SIGNAL")},
	{"stopped", 0, NULL,
	 .text = "begin stopped: the signal, or SCPROF_START in the program, starts",
	 .variable = "SCPROF_STOPPED", RUN_MEMBER(FLAG, filters.stopped)},
	{"pid", 'p', "PID", .text = "no: `scprof attach PID` records what runs already",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage run_options_usage = {
	.command = "scprof run",
	.summary = "run a command, write its profile, print the report",
	.synopsis = {"[OPTION...] [--] COMMAND [ARG...]"},
	.text = "Run a command, write its profile, and print the report on standard error.",
	.words = "COMMAND ARG",
	.report_at = offsetof(struct run_options, shown),
	.mode = "+",
	.options = usage_options,
	.exit_status = "the command's own, 128+N after signal N; 125 scprof failed, 126 the "
		       "command cannot be executed, 127 it was not found",
	USAGE_ENDS(125, 125),
};

static int take_option(void *to, int code, const char *value)
{
	struct run_options *o = to;

	switch (code) {
	case RUN_OPTION_NO_REPORT:
		o->report = false;
		return 0;
	case RUN_OPTION_BELOW:
		return run_options_join(&o->filters.below, value);
	case RUN_OPTION_THREAD:
		return run_options_join(&o->filters.threads, value);
	case 'p':
		return say_format(
			"scprof run starts a command. Process %.20s runs already: scprof attach "
			"%.20s",
			value, value);
	default:
		return report_options_take(&o->shown, o->usage, code, value);
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
				  .sample_ns = SAMPLER_PERIOD_NS,
				  .report = true,
				  .runs = 1,
				  .shown = REPORT_CHOICE_DEFAULT,
				  .filters = {.attached = attached}};
	o->disabled = disable && strcmp(disable, "0") != 0;
}

int run_options_parse(const struct usage *u, int argc, char **argv, struct run_options *o)
{
	run_options_begin(o);
	o->usage = u;
	int status = options_parse(u, argc, argv, take_option, o);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	if (!*o->command && !o->name) {
		say_format("which %s? usage: %s %s", o->filters.attached ? "process" : "command",
			   u->command, u->synopsis[0]);
		return u->bad_usage;
	}
	if (report_options_settle(&o->shown, u, report_file(o),
				  isatty(o->filters.attached ? STDOUT_FILENO : STDERR_FILENO)))
		return u->bad_usage;
	return run_options_settle(o) ? u->bad_usage : OPTIONS_GO;
}

void run_options_free(struct run_options *o)
{
	PROF_FREE(o, filters.below, filters.threads);
}

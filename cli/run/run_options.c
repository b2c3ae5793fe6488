// SPDX-License-Identifier: GPL-3.0-or-later
/* All values are checked before the command starts, from options and from the environment. */
#include "cli/run/run_options.h"
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

enum {
	OPTION_NO_REPORT = USAGE_OWN,
	OPTION_DISPLACE,
	OPTION_SLOWEST,
	OPTION_SLOWER_THAN,
	OPTION_SLOWEST_OF,
	OPTION_UNTIL,
	OPTION_UNTIL_OF,
	OPTION_UNTIL_LEAST,
	OPTION_STATES,
	OPTION_VERIFY_PATHS,
	OPTION_EXACT_TICK,
	OPTION_LIVE
};

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_OUTPUT("PATH", "the profile (default: scprof.NAME.PID.scp in SCPROF_OUT, else "
				   "here). A name that ends in .html, .json, .csv, .svg, .pb.gz, "
				   ".folded or .callgrind: the report, and the profile beside it"),
	{"clock", 'c', "CLOCK",
	 .text = "tsc, coarse, monotonic, page, thread-cpu or dual (default: SCPROF_CLOCK, else "
		 "what `scprof clocks` recommends)",
	 .variable = "SCPROF_CLOCK"},
	{"tick", 'd', "TICK",
	 .text = "mean tick of the page clock, 20us to 100ms (default: 1ms; for page and dual). "
		 "One that costs over 1 % of a CPU is made longer",
	 .variable = "SCPROF_TICK"},
	{"exact-tick", OPTION_EXACT_TICK, NULL, .text = "keep the tick, whatever it costs"},
	{"groups", 'g', "GROUPS",
	 .text = "functions to time: socket, io, wait, resolve, region, functions, all; of "
		 "libraries: ssl, alloc, thread, zlib, sqlite, libpq; separated by commas "
		 "(default: socket,wait,region)",
	 .variable = "SCPROF_GROUPS"},
	{"symbols", 's', "SYMBOLS",
	 .text = "functions of libraries to time besides: names, globs, LIBRARY:NAME, separated by "
		 "commas. !NAME takes out again, @FILE has one a line (-s "
		 "'libssl*:SSL_*,!SSL_get_*'; `scprof symbols PROGRAM` lists them)",
	 .variable = "SCPROF_SYMBOLS"},
	{"slowest", OPTION_SLOWEST, "K",
	 .text = "keep the K slowest calls one by one: when, how long, from where (up to 1000; "
		 "SCPROF_SLOWEST)",
	 .variable = "SCPROF_SLOWEST"},
	{"slower-than", OPTION_SLOWER_THAN, "TIME",
	 .text = "of those that take so long at least (SCPROF_SLOWER_THAN)",
	 .variable = "SCPROF_SLOWER_THAN"},
	{"slowest-of", OPTION_SLOWEST_OF, "NAMES",
	 .text = "of these functions, as -s writes them: 'send*,write', '!recv*' (default: all "
		 "timed but poll, select, epoll_wait and accept; SCPROF_SLOWEST_OF)",
	 .variable = "SCPROF_SLOWEST_OF"},
	{"states", OPTION_STATES, "off|budget|exact",
	 .text = "whether calls were on a CPU, waited for one, or slept. budget (default): "
		 "readings take at most 0.3 % of a thread's time; exact: every call that lost its "
		 "CPU is read (SCPROF_STATES)",
	 .flags = USAGE_OTHER_VALUES, .variable = "SCPROF_STATES"},
	{"verify-paths", OPTION_VERIFY_PATHS, "[=N]",
	 .text = "let libunwind walk new call paths, too, one in N of them (default: all), and "
		 "report where it finds other frames (SCPROF_VERIFY_PATHS)",
	 .variable = "SCPROF_VERIFY_PATHS"},
	{"until", OPTION_UNTIL, "P",
	 .text = "stop the measurement, not the command, when the means of all sites with 5 % of "
		 "the time or more are known to P: 5%, 0.01"},
	{"until-of", OPTION_UNTIL_OF, "NAMES",
	 .text = "of these functions only: names, globs, separated by commas"},
	{"until-least", OPTION_UNTIL_LEAST, "T",
	 .text = "but measure at least so long (default: 10s). What the program does for a third "
		 "of it or longer at a stretch may be missed"},
	{"live", OPTION_LIVE, NULL,
	 .text = "watch on the terminal meanwhile, as by scprof top; what the command writes to "
		 "the terminal goes to a file"},
	{"no-report", OPTION_NO_REPORT, NULL, .text = "write the profile only"},
	REPORT_OPTIONS_ENTRIES,
	{"displace", OPTION_DISPLACE, NULL,
	 .text = "also measure what interrupts take for the command and for a call at each site. A "
		 "thread of lowest priority on each CPU does so (see scprof displace --help)"},
	{"below", RUN_OPTION_BELOW, "FUNCTION",
	 .text = "only calls below this function, local ones of the program too: names, globs, "
		 "LIBRARY:NAME, !NAME, as for -s; may be given again",
	 .variable = "SCPROF_BELOW"},
	{"thread", RUN_OPTION_THREAD, "N",
	 .text = "only threads of this name: globs, separated by commas; may be given again",
	 .variable = "SCPROF_THREADS"},
	{"depth", RUN_OPTION_DEPTH, "N", .text = "keep the N innermost frames of a call path",
	 .variable = "SCPROF_DEPTH"},
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
static int settle(struct run_options *o, const char *clock, const char *tick, const char *groups)
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
	    settle_states(o) || settle_verify_paths(o))
		return -1;
	if (!o->symbols)
		o->symbols = options_variable("SCPROF_SYMBOLS");
	return 0;
}

struct texts {
	struct run_options *options;
	const char *clock, *tick, *groups;
};

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
	case OPTION_NO_REPORT:
		o->report = false;
		return 0;
	case 's':
		o->symbols = value;
		return 0;
	case OPTION_SLOWEST:
		o->slowest.count = value;
		return 0;
	case OPTION_SLOWER_THAN:
		o->slowest.least = value;
		return 0;
	case OPTION_SLOWEST_OF:
		o->slowest.patterns = value;
		return 0;
	case OPTION_STATES:
		o->states = value;
		return 0;
	case OPTION_VERIFY_PATHS:
		o->verify_paths = value ? value : "1";
		return 0;
	case OPTION_EXACT_TICK:
		o->exact_tick = true;
		return 0;
	case OPTION_LIVE:
		o->live = true;
		return 0;
	case OPTION_UNTIL:
		return take_until(value, o);
	case OPTION_UNTIL_LEAST:
		return take_until_least(value, o);
	case OPTION_UNTIL_OF:
		o->until_of = value;
		return 0;
	case OPTION_DISPLACE:
		o->displace = true;
		return 0;
	default:
		return run_filters_take(&o->filters, code, value);
	}
}

static int take_any(void *to, int code, const char *value)
{
	struct texts *t = to;
	int taken = report_options_take(&t->options->shown, &run_options_usage, code, value);

	return taken <= 0 ? taken : take_option(to, code, value);
}

/* Where -o puts the report; NULL: nowhere, it names the profile. */
static const char *report_file(const struct run_options *o)
{
	enum report_format format;

	return o->output && !report_names_format_of(o->output, &format) ? o->output : NULL;
}

int run_options_parse(int argc, char **argv, struct run_options *o)
{
	const char *disable = options_variable("SCPROF_DISABLE");
	struct texts t = {.options = o};
	int status;

	*o = (struct run_options){
		.tick_ns = TICKER_DEFAULT_NS, .report = true, .shown = REPORT_CHOICE_DEFAULT};
	o->disabled = disable && strcmp(disable, "0") != 0;
	status = options_parse(&run_options_usage, argc, argv, take_any, &t);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	if (!*o->command) {
		say("which command? usage: scprof run [OPTION...] [--] COMMAND [ARG...]");
		return run_options_usage.bad_usage;
	}
	if (report_options_settle(&o->shown, &run_options_usage, report_file(o),
				  isatty(STDERR_FILENO)))
		return run_options_usage.bad_usage;
	return settle(o, t.clock, t.tick, t.groups) ? run_options_usage.bad_usage : OPTIONS_GO;
}

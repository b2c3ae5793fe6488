// SPDX-License-Identifier: GPL-3.0-or-later
/* Options end at the first word that is none: the rest is the command's. A
 * value is checked wherever it came from, before the command has started. */
#include "cli/run/run_options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "collector/clocks/clocks.h"
#include "cli/cmd.h"
#include "cli/complaint.h"
#include "collector/duration.h"
#include "collector/select/selection_groups.h"
#include "cli/quantity.h"
#include "cli/say.h"
#include "collector/clocks/ticker.h"

const char run_usage[] =
	"usage: scprof run [OPTION...] [--] COMMAND [ARG...]\n"
	"Run a command, write its profile, and print the report on standard error.\n"
	"\n"
	"  -o, --output PATH      the profile (default: scprof.NAME.PID.scp in SCPROF_OUT,\n"
	"                         else here)\n"
	"  -c, --clock CLOCK      tsc, coarse, monotonic, page, thread-cpu or dual\n"
	"                         (default: SCPROF_CLOCK, else what `scprof clocks` recommends)\n"
	"  -d, --tick TICK        mean tick of the page clock, 20us to 100ms (default: 1ms; for\n"
	"                         page and dual)\n"
	"  -g, --groups GROUPS    functions to time: socket, io, wait, resolve, region, "
	"functions,\n"
	"                         all; of libraries: ssl, alloc, thread, zlib, sqlite, libpq;\n"
	"                         separated by commas (default: socket,region)\n"
	"  -s, --symbols SYMBOLS  functions of libraries to time besides: names, globs,\n"
	"                         LIBRARY:NAME, !NAME takes out again, @FILE has one a line;\n"
	"                         separated by commas (-s 'libssl*:SSL_*,!SSL_get_*';\n"
	"                         `scprof symbols PROGRAM` lists them)\n"
	"  --slowest K            keep the K slowest calls one by one: when, how long, from where\n"
	"                         (up to 1000; SCPROF_SLOWEST)\n"
	"  --slower-than TIME     of those that take so long at least (SCPROF_SLOWER_THAN)\n"
	"  --slowest-of NAMES     of these functions, as -s writes them: 'send*,write', '!recv*'\n"
	"                         (default: all timed but poll, select, epoll_wait and accept;\n"
	"                         SCPROF_SLOWEST_OF)\n"
	"  --until P              stop the measurement, not the command, when the means of all\n"
	"                         sites with 5 % of the time or more are known to P: 5%, 0.01\n"
	"  --until-of NAMES       of these functions only: names, globs, separated by commas\n"
	"  --live                 watch on the terminal meanwhile, as by scprof top; what the\n"
	"                         command writes to the terminal goes to a file\n"
	"  --no-report            write the profile only\n"
	"  --displace             and measure what interrupts take for the command besides, with\n"
	"                         a fluid on each CPU (see scprof displace --help), and for a\n"
	"                         call at each site\n"
	"  --below FUNCTION       only calls below this function, local ones of the program too:\n"
	"                         names, globs, LIBRARY:NAME, !NAME, as for -s; may be given "
	"again\n"
	"  --thread N             only threads of this name: globs, separated by commas; may be\n"
	"                         given again\n"
	"  --depth N              keep the N innermost frames of a call path\n"
	"  --after T              begin so long after the start: 5s, 500ms\n"
	"  --for T                record for so long each time that recording begins\n"
	"  --signal USR1|USR2     sent to scprof, stops and starts recording\n"
	"  --stopped              begin stopped: the signal, or SCPROF_START in the program, "
	"starts\n"
	"  -h, --help             this text\n"
	"\n"
	"exit status: the command's own, 128+N after signal N; 125 scprof failed,\n"
	"             126 the command cannot be executed, 127 it was not found\n";

enum {
	OPTION_NO_REPORT = 256,
	OPTION_DISPLACE,
	OPTION_SLOWEST,
	OPTION_SLOWER_THAN,
	OPTION_SLOWEST_OF,
	OPTION_UNTIL,
	OPTION_UNTIL_OF,
	OPTION_LIVE
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

/* A group that the library has wrappers for. */
static bool is_built_in(const char *name, size_t length)
{
	static const char *const known[] = {
		"socket", "io",	       "wait", "resolve",
		"region", "functions", "all",  "none" /* an outer `scprof run` left it */};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == length && !strncmp(name, known[i], length))
			return true;
	return false;
}

/* Named again and again, there is no room: each is there by then. */
static void add_built_in(const char *name, size_t length, struct run_options *o)
{
	size_t at = o->only_ready_made ? 0 : strlen(o->built_in);

	if (at + length + 2 <= sizeof(o->built_in))
		sprintf(o->built_in + at, "%s%.*s", at ? "," : "", (int)length, name);
}

static int add_ready_made(const char *from, const char *name, size_t length, struct run_options *o)
{
	const char *patterns = selection_groups_find(name, length);
	size_t at = strlen(o->ready_made), room = sizeof(o->ready_made) - at;

	if (!patterns) {
		say_format("%s: no group is called '%.*s'.\nThere are: socket, io, wait, resolve, "
			   "region, functions, all; of libraries: %s",
			   from, (int)length, name, selection_groups_names);
		return -1;
	}
	if (strstr(o->ready_made, patterns)) /* named twice */
		return 0;
	if ((size_t)snprintf(o->ready_made + at, room, "%s%s", at ? "," : "", patterns) < room)
		return 0;
	say_format("%s: so many groups find no room; name each once", from);
	return -1;
}

static int parse_groups(const char *from, const char *list, struct run_options *o)
{
	o->groups = list;
	o->only_ready_made = true;
	strcpy(o->built_in, "none");
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");

		if (is_built_in(at, length)) {
			add_built_in(at, length, o);
			o->only_ready_made = false;
		} else if (add_ready_made(from, at, length, o))
			return -1;
		at += length;
		if (!*at)
			return 0;
	}
}

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

static bool has_empty_name(const char *list)
{
	return !*list || *list == ',' || list[strlen(list) - 1] == ',' || strstr(list, ",,");
}

static int check_until(const struct run_options *o)
{
	if (!o->until_of)
		return 0;
	if (!(o->until > 0))
		say("--until-of says of which functions --until speaks: how well, --until 5%?");
	else if (has_empty_name(o->until_of))
		say_format("--until-of: '%s' has an empty name in it", o->until_of);
	else
		return 0;
	return -1;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Options beat the environment; a tick without a clock that ticks is a mistake
 * on the command line, and no matter in the environment. */
static int settle(struct run_options *o, const char *clock, const char *tick, const char *groups)
{
	const char *set_clock = variable("SCPROF_CLOCK"), *set_tick = variable("SCPROF_TICK"),
		   *set_groups = variable("SCPROF_GROUPS");
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
	if (tick && !ticks) {
		say_format("-d sets the tick of the page clock, but the clock is %s.\n"
			   "Add -c page, or -c dual",
			   clocks_read_name(o->clock));
		return -1;
	}
	if (groups ? parse_groups("-g", groups, o)
		   : set_groups && parse_groups("SCPROF_GROUPS", set_groups, o))
		return -1;
	if (run_filters_check(&o->filters) || run_slowest_settle(&o->slowest) || check_until(o))
		return -1;
	if (!o->symbols)
		o->symbols = variable("SCPROF_SYMBOLS");
#ifndef __x86_64__ /* no trampoline */
	if (o->symbols || *o->ready_made) {
		say("-s (SCPROF_SYMBOLS: timing of chosen symbols) is not available on this "
		    "processor.\nLeave it out, and groups of functions of libraries too");
		return -1;
	}
#endif
	return 0;
}

struct texts {
	const char *clock, *tick, *groups;
};

/* 0, 1: help was asked for, -1: bad. */
static int take_option(char **argv, int option, struct run_options *o, struct texts *t)
{
	switch (option) {
	case 'o':
		o->output = optarg;
		return 0;
	case 'c':
		t->clock = optarg;
		return 0;
	case 'd':
		t->tick = optarg;
		return 0;
	case 'g':
		t->groups = optarg;
		return 0;
	case OPTION_NO_REPORT:
		o->report = false;
		return 0;
	case 'h':
		return 1;
	case 's':
		o->symbols = optarg;
		return 0;
	case OPTION_SLOWEST:
		o->slowest.count = optarg;
		return 0;
	case OPTION_SLOWER_THAN:
		o->slowest.least = optarg;
		return 0;
	case OPTION_SLOWEST_OF:
		o->slowest.patterns = optarg;
		return 0;
	case OPTION_LIVE:
		o->live = true;
		return 0;
	case OPTION_UNTIL:
		return take_until(optarg, o);
	case OPTION_UNTIL_OF:
		o->until_of = optarg;
		return 0;
	case OPTION_DISPLACE:
		o->displace = true;
		return 0;
	default:
		if (option >= RUN_OPTION_BELOW)
			return run_filters_take(&o->filters, option, optarg);
		complaint_option("scprof run", argv, option);
		return -1;
	}
}

enum run_parse run_options_parse(int argc, char **argv, struct run_options *o)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"clock", required_argument, NULL, 'c'},
		{"tick", required_argument, NULL, 'd'},
		{"groups", required_argument, NULL, 'g'},
		{"symbols", required_argument, NULL, 's'},
		{"slowest", required_argument, NULL, OPTION_SLOWEST},
		{"slower-than", required_argument, NULL, OPTION_SLOWER_THAN},
		{"slowest-of", required_argument, NULL, OPTION_SLOWEST_OF},
		{"until", required_argument, NULL, OPTION_UNTIL},
		{"until-of", required_argument, NULL, OPTION_UNTIL_OF},
		{"live", no_argument, NULL, OPTION_LIVE},
		{"no-report", no_argument, NULL, OPTION_NO_REPORT},
		{"displace", no_argument, NULL, OPTION_DISPLACE},
		RUN_FILTER_OPTIONS,
		{"help", no_argument, NULL, 'h'},
		{0}};
	const char *disable = variable("SCPROF_DISABLE");
	struct texts t = {0};
	int option, taken;

	*o = (struct run_options){.tick_ns = TICKER_DEFAULT_NS, .report = true};
	o->disabled = disable && strcmp(disable, "0") != 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:o:c:d:g:s:h", options, NULL)) != -1) {
		taken = take_option(argv, option, o, &t);
		if (taken)
			return taken > 0 ? RUN_HELP : RUN_BAD;
	}
	o->command = argv + optind;
	if (!*o->command) {
		say("which command? usage: scprof run [OPTION...] [--] COMMAND [ARG...]");
		return RUN_BAD;
	}
	return settle(o, t.clock, t.tick, t.groups) ? RUN_BAD : RUN_GO;
}

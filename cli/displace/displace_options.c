// SPDX-License-Identifier: GPL-3.0-or-later
/* All values are checked before anything starts. */
#include "cli/displace/displace_command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "collector/machine/cpus.h"
#include "collector/duration.h"
#include "cli/usage/options.h"

#define MOST_LOOPS	  1000000000000ull
#define MOST_REPLICATIONS 10000
#define LONGEST_REST_NS	  UINT64_C(600000000000)
#define SHORTEST_REST_NS  UINT64_C(100000000)

enum {
	OPT_LOOPS = USAGE_OWN,
	OPT_REPLICATIONS,
	OPT_CPUS,
	OPT_CONFIRM,
	OPT_REST,
	OPT_NO_TASK_CLOCK,
	OPT_IGNORE_QUOTA
};

static const struct usage_entry usage_options[] = {
	{"loops", OPT_LOOPS, "L", .text = "the command does L operations: print the cost of one",
	 .flags = USAGE_TYPED_ONLY},
	{"replications", OPT_REPLICATIONS, "R", .text = "run the command R times (default: 1)"},
	{"cpus", OPT_CPUS, "LIST",
	 .text = "measure and run the command on these CPUs, such as 0-3,8 (default: all that "
		 "scprof may use)"},
	{"confirm", OPT_CONFIRM, NULL,
	 .text = "run it again without the fluid, and hold what displacement and getrusage predict "
		 "against the time that it takes",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_CONFIDENCE,
	{"rest", OPT_REST, "T",
	 .text = "leave the fluid alone for so long before the first and after each run, 100ms to "
		 "600s (default: 1s)"},
	{"no-task-clock", OPT_NO_TASK_CLOCK, NULL,
	 .text = "leave perf's task-clock out of the first run, too: it makes the CPU time of a "
		 "program that switches often some hundredths longer"},
	{"ignore-quota", OPT_IGNORE_QUOTA, NULL,
	 .text = "measure even where a control group's quota is in the way"},
	{"json", USAGE_JSON, NULL,
	 .text = "one object, schema scprof-displace/1; what the command prints goes to standard "
		 "error then, unless -o is given"},
	USAGE_ENTRY_OUTPUT("FILE",
			   "write there (default: standard error; --json: standard output)"),
	{"quiet", 'q', NULL, .text = "no progress on the terminal"},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage displace_options_usage = {
	.command = "displace",
	.summary = "a command's CPU time, uncharged interrupt work included",
	.synopsis = {"[OPTION...] [--] COMMAND [ARG...]"},
	.text = "How much CPU time a command really takes, interrupt and softirq work included. "
		"Beside it: what getrusage, perf, taskstats and schedstat say, and where all time "
		"of the CPUs went.",
	.words = "COMMAND ARG",
	.mode = "+",
	.options = usage_options,
	.exit_status = "the command's own, 128+N after signal N; 125 scprof failed, 126 the "
		       "command cannot be executed, 127 it was not found",
	.bad_usage = 125,
	.failure = 125,
};

/* Notices of several lines (program.h) become one. */
void displace_complain(const char *format, ...)
{
	va_list arguments;
	char text[1536];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (char *at = text; (at = strchr(at, '\n')); at++)
		*at = ' ';
	complaint_print("scprof displace", text);
}

static int choose_cpus(const char *list, struct displace_wishes *o)
{
	struct profile_error err;

	if (!cpus_choose(list, &o->cpus, &err))
		return 0;
	displace_complain("%s", err.text);
	return -1;
}

#define MEMBER(option, kind, member, ...)                                                          \
	OPTIONS_MEMBER(option, kind, displace_wishes, member, ##__VA_ARGS__)
static const struct options_member members[] = {
	MEMBER(OPT_LOOPS, COUNT, loops, .least = 1, .most = MOST_LOOPS),
	MEMBER(OPT_REPLICATIONS, COUNT32, replications, .least = 1, .most = MOST_REPLICATIONS),
	MEMBER(USAGE_JSON, FLAG, json),
	MEMBER(OPT_CONFIRM, FLAG, confirm),
	MEMBER(USAGE_CONFIDENCE, CONFIDENCE, confidence),
	MEMBER(OPT_REST, SECONDS, rest_s, .least = SHORTEST_REST_NS, .most = LONGEST_REST_NS),
	MEMBER(OPT_NO_TASK_CLOCK, FLAG, no_task_clock),
	MEMBER(OPT_IGNORE_QUOTA, FLAG, any_quota),
	MEMBER('o', TEXT, output),
	MEMBER('q', FLAG, quiet),
	{0}};

static int take_option(void *to, int code, const char *value)
{
	return code == OPT_CPUS ? choose_cpus(value, to)
				: options_take(&displace_options_usage, members, to, code, value);
}

int displace_options_parse(int argc, char **argv, struct displace_wishes *o)
{
	int status;

	*o = (struct displace_wishes){.replications = 1, .confidence = 0.95, .rest_s = 1};
	status = options_parse(&displace_options_usage, argc, argv, take_option, o);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	if (!*o->command)
		displace_complain("which command? usage: scprof displace [OPTION...] [--] COMMAND "
				  "[ARG...]");
	else if (CPU_COUNT(&o->cpus) || !choose_cpus(NULL, o))
		return OPTIONS_GO;
	return displace_options_usage.bad_usage;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* All values are checked before anything starts. */
#include "cli/displace/displace_command.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "collector/displacement/displace.h"
#include "collector/machine/cpus.h"
#include "collector/duration.h"
#include "cli/usage/quantity.h"

#define MOST_LOOPS	    1000000000000ull
#define MOST_REPLICATIONS   10000
#define LONGEST_REST_NS	    UINT64_C(600000000000)
#define SHORTEST_REST_NS    UINT64_C(100000000)
#define SHORTEST_AT_MOST_NS UINT64_C(500000000)
#define LIMIT_S		    600
#define SHORTEST_LIMIT_NS   UINT64_C(1000000000)
#define LONGEST_LIMIT_NS    UINT64_C(86400000000000)

enum {
	OPT_LOOPS = USAGE_OWN,
	OPT_REPLICATIONS,
	OPT_CPUS,
	OPT_CONFIRM,
	OPT_METHOD,
	OPT_REST,
	OPT_TIME_LIMIT,
	OPT_AT_MOST,
	OPT_NO_TASK_CLOCK,
	OPT_SHARE,
	OPT_IGNORE_QUOTA
};

static const struct usage_entry usage_options[] = {
	{"loops", OPT_LOOPS, "L", .text = "the command does L operations: print the cost of one",
	 .flags = USAGE_TYPED_ONLY},
	{"replications", OPT_REPLICATIONS, "R",
	 .text = "run the command R times (default: 1; 5 with --method wall)"},
	{"cpus", OPT_CPUS, "LIST",
	 .text = "measure and run the command on these CPUs, such as 0-3,8 (default: all that "
		 "scprof may use)"},
	{"confirm", OPT_CONFIRM, NULL,
	 .text = "run it again without the fluid, and hold what displacement and getrusage predict "
		 "against the time that it takes",
	 .flags = USAGE_TYPED_ONLY},
	{"method", OPT_METHOD, "fluid|wall",
	 .text = "fluid (default): a SCHED_IDLE thread a CPU against its own CPU clock\nwall: as "
		 "published in 1997, against wall-clock time"},
	{"time-limit", OPT_TIME_LIMIT, "T",
	 .text = "with --method wall: end after so long with the replications that are complete "
		 "then, 1s to 86400s; 0: no limit (default: 600s)",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_CONFIDENCE,
	{"rest", OPT_REST, "T",
	 .text = "leave the fluid alone for so long before the first and after each run, 100ms to "
		 "600s (default: 1s)"},
	{"at-most", OPT_AT_MOST, "T",
	 .text = "take at most so long besides the command itself, 500ms to 86400s. Default: half "
		 "a second, --rest before the first and after each run, and 5 s more on a busy "
		 "machine"},
	{"no-task-clock", OPT_NO_TASK_CLOCK, NULL,
	 .text = "leave perf's task-clock out of the first run, too: it makes the CPU time of a "
		 "program that switches often some hundredths longer"},
	{"share", OPT_SHARE, NULL,
	 .text = "no control group of its own for the fluid: among other sessions' work it then "
		 "has a busy program's share instead of what they leave"},
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

struct texts {
	struct displace_wishes *wishes;
	const char *cpus;
	uint64_t replications;
	bool limited;
};

static int take_limit(const char *value, struct texts *t, struct displace_wishes *o)
{
	uint64_t ns = 0;

	t->limited = true;
	if (!strcmp(value, "0") ||
	    (!duration_parse(value, &ns) && ns >= SHORTEST_LIMIT_NS && ns <= LONGEST_LIMIT_NS)) {
		o->longest_s = (double)ns / 1e9;
		return 0;
	}
	displace_complain("--time-limit '%s' is neither 0 nor a time from 1s to 86400s", value);
	return -1;
}

static int take_option(void *to, int code, const char *value)
{
	struct texts *t = to;
	struct displace_wishes *o = t->wishes;
	const struct usage *u = &displace_options_usage;
	uint64_t ns;

	switch (code) {
	case OPT_LOOPS:
		return options_count(u, code, value, 1, MOST_LOOPS, &o->loops);
	case OPT_REPLICATIONS:
		return options_count(u, code, value, 1, MOST_REPLICATIONS, &t->replications);
	case OPT_CPUS:
		t->cpus = value;
		return 0;
	case USAGE_JSON:
		o->json = true;
		return 0;
	case OPT_CONFIRM:
		o->confirm = true;
		return 0;
	case OPT_METHOD:
		o->wall = !strcmp(value, "wall");
		return 0;
	case USAGE_CONFIDENCE:
		return options_confidence(u, value, &o->confidence);
	case OPT_REST:
		if (options_duration(u, code, value, SHORTEST_REST_NS, LONGEST_REST_NS, &ns))
			return -1;
		o->rest_s = (double)ns / 1e9;
		return 0;
	case OPT_AT_MOST:
		if (options_duration(u, code, value, SHORTEST_AT_MOST_NS, LONGEST_LIMIT_NS, &ns))
			return -1;
		o->at_most_s = (double)ns / 1e9;
		return 0;
	case OPT_SHARE:
		o->no_group = true;
		return 0;
	case OPT_NO_TASK_CLOCK:
		o->no_task_clock = true;
		return 0;
	case OPT_TIME_LIMIT:
		return take_limit(value, t, o);
	case OPT_IGNORE_QUOTA:
		o->any_quota = true;
		return 0;
	case 'o':
		o->output = value;
		return 0;
	default:
		o->quiet = true;
		return 0;
	}
}

double displace_options_takes(const struct displace_wishes *o)
{
	return fmin(DISPLACE_OPEN_S, o->rest_s / 2) + (o->replications + 1) * o->rest_s;
}

double displace_options_prolong(const struct displace_wishes *o)
{
	return o->at_most_s > 0 ? fmax(0, o->at_most_s - displace_options_takes(o))
				: DISPLACE_PROLONG_S;
}

/* Idle phases as long as --at-most lets them be. */
static int fit_rest(struct displace_wishes *o)
{
	const double least = SHORTEST_REST_NS / 1e9, runs = o->replications;

	if (!o->at_most_s || displace_options_takes(o) <= o->at_most_s)
		return 0;
	o->rest_s = o->at_most_s / (runs + 1.5);
	if (o->rest_s > 2 * DISPLACE_OPEN_S)
		o->rest_s = (o->at_most_s - DISPLACE_OPEN_S) / (runs + 1);
	if (o->rest_s >= least)
		return 0;
	displace_complain("--at-most %gs is too short for %u runs: %gs would do", o->at_most_s,
			  o->replications, least * (runs + 1.5));
	return -1;
}

static int settle(struct displace_wishes *o, const struct texts *t)
{
	struct profile_error err;

	o->replications = (uint32_t)(t->replications ? t->replications : o->wall ? 5 : 1);
	if (!*o->command) {
		displace_complain("which command? usage: scprof displace [OPTION...] [--] COMMAND "
				  "[ARG...]");
		return -1;
	}
	if (o->confirm && o->wall) {
		displace_complain("--confirm goes with --method fluid only; leave one of them out");
		return -1;
	}
	if (t->limited && !o->wall) {
		displace_complain("--time-limit goes with --method wall only");
		return -1;
	}
	if (o->at_most_s && o->wall) {
		displace_complain("--at-most goes with --method fluid only; --time-limit goes with "
				  "--method wall");
		return -1;
	}
	if (fit_rest(o))
		return -1;
	if (cpus_choose(t->cpus, &o->cpus, &err)) {
		displace_complain("%s", err.text);
		return -1;
	}
	return 0;
}

int displace_options_parse(int argc, char **argv, struct displace_wishes *o)
{
	struct texts t = {.wishes = o};
	int status;

	*o = (struct displace_wishes){.confidence = 0.95, .rest_s = 1, .longest_s = LIMIT_S};
	status = options_parse(&displace_options_usage, argc, argv, take_option, &t);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	return settle(o, &t) ? displace_options_usage.bad_usage : OPTIONS_GO;
}

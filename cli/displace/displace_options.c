// SPDX-License-Identifier: GPL-3.0-or-later
/* Options end at the first word that is none; all are checked before anything starts. */
#include "cli/displace/displace_options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/complaint.h"
#include "collector/machine/cpus.h"
#include "collector/duration.h"
#include "cli/quantity.h"

#define MOST_LOOPS	  1000000000000ull
#define MOST_REPLICATIONS 10000
#define LONGEST_REST_NS	  UINT64_C(600000000000)
#define SHORTEST_REST_NS  UINT64_C(100000000)
#define LIMIT_S		  600
#define SHORTEST_LIMIT_NS UINT64_C(1000000000)
#define LONGEST_LIMIT_NS  UINT64_C(86400000000000)

const char displace_usage[] =
	"usage: scprof displace [OPTION...] [--] COMMAND [ARG...]\n"
	"How much CPU time a command really takes, interrupt and softirq work included, beside\n"
	"what getrusage, perf, taskstats and schedstat say; and where all time of the CPUs went.\n"
	"\n"
	"  --loops L          the command does L operations: print the cost of one\n"
	"  --replications R   run the command R times (default: 1; 5 with --method wall)\n"
	"  --cpus LIST        measure and run the command on these CPUs, such as 0-3,8\n"
	"                     (default: all that scprof may use)\n"
	"  --confirm          run it again without the fluid, and hold what displacement and\n"
	"                     getrusage predict against the time that it takes\n"
	"  --method fluid|wall\n"
	"                     fluid (default): a SCHED_IDLE thread a CPU against its own CPU "
	"clock\n"
	"                     wall: as published in 1997, against wall-clock time\n"
	"  --time-limit T     with --method wall: end after so long with the replications that "
	"are\n"
	"                     complete then, 1s to 86400s; 0: no limit (default: 600s)\n"
	"  --confidence R     of the intervals, 0.95 or 95% (default: 0.95)\n"
	"  --rest T           leave the fluid alone for so long before the first and after each\n"
	"                     run, 100ms to 600s (default: 1s)\n"
	"  --no-task-clock    leave perf's task-clock out of the first run, too: it makes the CPU "
	"time\n"
	"                     of a program that switches often some hundredths longer\n"
	"  --share            no control group of its own for the fluid: among other sessions' "
	"work it\n"
	"                     then has a busy program's share instead of what they leave\n"
	"  --ignore-quota     measure even where a control group's quota is in the way\n"
	"  --json             one object, schema scprof-displace/1; what the command prints goes "
	"to\n"
	"                     standard error then, unless -o is given\n"
	"  -o, --output FILE  write there (default: standard error; --json: standard output)\n"
	"  -q, --quiet        no progress on the terminal\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: the command's own, 128+N after signal N; 125 scprof failed,\n"
	"             126 the command cannot be executed, 127 it was not found\n";

enum {
	OPT_LOOPS = 256,
	OPT_REPLICATIONS,
	OPT_CPUS,
	OPT_JSON,
	OPT_CONFIRM,
	OPT_METHOD,
	OPT_CONFIDENCE,
	OPT_REST,
	OPT_TIME_LIMIT,
	OPT_NO_TASK_CLOCK,
	OPT_SHARE,
	OPT_IGNORE_QUOTA
};

static const struct option long_options[] = {
	{"loops", required_argument, NULL, OPT_LOOPS},
	{"replications", required_argument, NULL, OPT_REPLICATIONS},
	{"cpus", required_argument, NULL, OPT_CPUS},
	{"json", no_argument, NULL, OPT_JSON},
	{"confirm", no_argument, NULL, OPT_CONFIRM},
	{"method", required_argument, NULL, OPT_METHOD},
	{"confidence", required_argument, NULL, OPT_CONFIDENCE},
	{"rest", required_argument, NULL, OPT_REST},
	{"share", no_argument, NULL, OPT_SHARE},
	{"no-task-clock", no_argument, NULL, OPT_NO_TASK_CLOCK},
	{"time-limit", required_argument, NULL, OPT_TIME_LIMIT},
	{"ignore-quota", no_argument, NULL, OPT_IGNORE_QUOTA},
	{"output", required_argument, NULL, 'o'},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
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
	const char *cpus;
	uint64_t replications;
	bool limited;
};

static int take_count(const char *name, const char *value, uint64_t most, uint64_t *to)
{
	if (!quantity_count(value, 1, most, to))
		return 0;
	displace_complain("--%s '%s' is not a count from 1 to %llu", name, value,
			  (unsigned long long)most);
	return -1;
}

static int take_method(const char *value, struct displace_wishes *o)
{
	o->wall = !strcmp(value, "wall");
	if (o->wall || !strcmp(value, "fluid"))
		return 0;
	displace_complain("--method '%s' is unknown; there are fluid and wall", value);
	return -1;
}

static int take_confidence(const char *value, struct displace_wishes *o)
{
	if (!quantity_confidence(value, &o->confidence))
		return 0;
	displace_complain("--confidence '%s' is not between 0 and 1, such as 0.95 or 95%%", value);
	return -1;
}

static int take_rest(const char *value, struct displace_wishes *o)
{
	uint64_t ns;

	if (!duration_parse(value, &ns) && ns >= SHORTEST_REST_NS && ns <= LONGEST_REST_NS) {
		o->rest_s = (double)ns / 1e9;
		return 0;
	}
	displace_complain("--rest '%s' is not a time from 100ms to 600s", value);
	return -1;
}

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

/* 0, 1: help was asked for, -1: bad. */
static int take_option(char **argv, int option, struct displace_wishes *o, struct texts *t)
{
	switch (option) {
	case OPT_LOOPS:
		return take_count("loops", optarg, MOST_LOOPS, &o->loops);
	case OPT_REPLICATIONS:
		return take_count("replications", optarg, MOST_REPLICATIONS, &t->replications);
	case OPT_CPUS:
		t->cpus = optarg;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_CONFIRM:
		o->confirm = true;
		return 0;
	case OPT_METHOD:
		return take_method(optarg, o);
	case OPT_CONFIDENCE:
		return take_confidence(optarg, o);
	case OPT_REST:
		return take_rest(optarg, o);
	case OPT_SHARE:
		o->no_group = true;
		return 0;
	case OPT_NO_TASK_CLOCK:
		o->no_task_clock = true;
		return 0;
	case OPT_TIME_LIMIT:
		return take_limit(optarg, t, o);
	case OPT_IGNORE_QUOTA:
		o->any_quota = true;
		return 0;
	case 'o':
		o->output = optarg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'h':
		return 1;
	default:
		complaint_option("scprof displace", argv, option);
		return -1;
	}
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
	if (cpus_choose(t->cpus, &o->cpus, &err)) {
		displace_complain("%s", err.text);
		return -1;
	}
	return 0;
}

enum displace_parse displace_options_parse(int argc, char **argv, struct displace_wishes *o)
{
	struct texts t = {0};
	int option, taken;

	*o = (struct displace_wishes){.confidence = 0.95, .rest_s = 1, .longest_s = LIMIT_S};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:o:qh", long_options, NULL)) != -1) {
		taken = take_option(argv, option, o, &t);
		if (taken)
			return taken > 0 ? DISPLACE_HELP : DISPLACE_BAD;
	}
	o->command = argv + optind;
	return settle(o, &t) ? DISPLACE_BAD : DISPLACE_GO;
}

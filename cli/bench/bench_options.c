// SPDX-License-Identifier: GPL-3.0-or-later
/* Every value is checked here, alone and against the others, before anything is
 * started; what is wrong gets one line that says what would be right. */
#include "cli/bench/bench_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/complaint.h"
#include "collector/duration.h"
#include "collector/launch/program_find.h"
#include "cli/quantity.h"

/* The lecture doubles until 50 000 cycles of a 550 MHz processor: 91 us. Loops much
 * longer are seldom left alone on a busy machine. */
#define MIN_TIME_NS	      UINT64_C(100000)
#define TIMEOUT_NS	      UINT64_C(10000000000)
#define FUNCTION_REPLICATIONS 100
#define COMMAND_REPLICATIONS  30

const char bench_usage[] =
	"usage: scprof bench [OPTION...] LIBRARY:FUNCTION [ARGUMENT...]\n"
	"       scprof bench [OPTION...] -- COMMAND [ARG...]\n"
	"How long a call of a function of a shared library takes, or a command, with its\n"
	"confidence interval. The function's arguments, up to 6 integers and pointers and 8 "
	"reals:\n"
	"  int:5  str:hello  buf:4k (a buffer, filled)  null  f64:1.5  f32:1.5\n"
	"\n"
	"  --confidence R     of the intervals, 0.95 or 95% (default: 0.95)\n"
	"  --replications N   loops that are timed (default: 100 of a function, 30 of a command)\n"
	"  --min-time T       a loop is doubled until it lasts so long (default: 100us)\n"
	"  --kbest K          fastest replications that must agree (default: 3)\n"
	"  --epsilon E        to this relative difference (default: 0.001)\n"
	"  --warmup N         calls before anything is timed, not counted (default: 1)\n"
	"  --timeout T        for one loop (default: 10s, or 10 times --min-time)\n"
	"  --clock tsc|monotonic  (default: tsc where it can be trusted)\n"
	"  --subtract-empty   from a command's time, what an empty command takes\n"
	"  --any-status       measure a command even though it fails\n"
	"  --json             one object, schema scprof-bench/1\n"
	"  -h, --help         this text\n"
	"\n"
	"exit status: 0 measured; 1 could not measure, or not print; 2 wrong usage, or no such\n"
	"             library, function or command; 3 the function crashed or ended its process, "
	"or\n"
	"             the command failed; 4 no return within --timeout\n";

enum {
	OPT_CONFIDENCE = 256,
	OPT_REPLICATIONS,
	OPT_MIN_TIME,
	OPT_KBEST,
	OPT_EPSILON,
	OPT_WARMUP,
	OPT_TIMEOUT,
	OPT_CLOCK,
	OPT_SUBTRACT,
	OPT_ANY_STATUS,
	OPT_JSON
};

static const struct option long_options[] = {
	{"confidence", required_argument, NULL, OPT_CONFIDENCE},
	{"replications", required_argument, NULL, OPT_REPLICATIONS},
	{"min-time", required_argument, NULL, OPT_MIN_TIME},
	{"kbest", required_argument, NULL, OPT_KBEST},
	{"epsilon", required_argument, NULL, OPT_EPSILON},
	{"warmup", required_argument, NULL, OPT_WARMUP},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"clock", required_argument, NULL, OPT_CLOCK},
	{"subtract-empty", no_argument, NULL, OPT_SUBTRACT},
	{"any-status", no_argument, NULL, OPT_ANY_STATUS},
	{"json", no_argument, NULL, OPT_JSON},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

void bench_complain(const char *format, ...)
{
	va_list arguments;
	char text[1536];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	complaint_print("scprof bench", text);
}

static int take_confidence(const char *value, double *to)
{
	if (!quantity_confidence(value, to))
		return 0;
	bench_complain("--confidence '%s' is not between 0 and 1, such as 0.95 or 95%%", value);
	return -1;
}

static int take_epsilon(const char *value, double *to)
{
	bool zero = !strcmp(value, "0") || !strcmp(value, "0%");
	double share = 0;

	if (!zero && (quantity_share(value, &share) || share >= 1)) {
		bench_complain("--epsilon '%s' is not from 0 to below 1, such as 0.001 or 0.1%%",
			       value);
		return -1;
	}
	*to = share;
	return 0;
}

static int take_count(const char *name, const char *value, uint32_t least, uint32_t most,
		      uint32_t *to)
{
	uint64_t number;

	if (quantity_count(value, least, most, &number)) {
		bench_complain("--%s '%s' is not a count from %u to %u", name, value, least, most);
		return -1;
	}
	*to = (uint32_t)number;
	return 0;
}

static int take_duration(const char *name, const char *value, uint64_t least, uint64_t most,
			 uint64_t *to)
{
	char low[32], high[32];
	uint64_t ns;

	if (!duration_parse(value, &ns) && ns >= least && ns <= most) {
		*to = ns;
		return 0;
	}
	duration_print_exact(least, low, sizeof(low));
	duration_print_exact(most, high, sizeof(high));
	bench_complain("--%s '%s' is not a time from %s to %s; write a number and its unit: 500us, "
		       "1ms, 0.5s",
		       name, value, low, high);
	return -1;
}

static int take_clock(const char *value, enum scp_clock_kind *to)
{
	*to = clocks_read_parse(value);
	if (*to == SCP_CLOCK_TSC || *to == SCP_CLOCK_MONOTONIC)
		return 0;
	bench_complain("--clock '%s': there are tsc and monotonic", value);
	return -1;
}

static int take_option(char **argv, int option, struct bench_options *o)
{
	switch (option) {
	case OPT_CONFIDENCE:
		return take_confidence(optarg, &o->wishes.confidence);
	case OPT_EPSILON:
		return take_epsilon(optarg, &o->wishes.epsilon);
	case OPT_REPLICATIONS:
		return take_count("replications", optarg, BENCH_REPLICATIONS_LEAST,
				  BENCH_REPLICATIONS_MOST, &o->plan.replications);
	case OPT_KBEST:
		return take_count("kbest", optarg, 1, BENCH_REPLICATIONS_MOST, &o->wishes.k);
	case OPT_WARMUP:
		return take_count("warmup", optarg, 1, BENCH_WARMUP_MOST, &o->plan.warmup);
	case OPT_MIN_TIME:
		return take_duration("min-time", optarg, BENCH_MIN_TIME_LEAST_NS,
				     BENCH_MIN_TIME_MOST_NS, &o->plan.min_time_ns);
	case OPT_TIMEOUT:
		return take_duration("timeout", optarg, BENCH_MIN_TIME_LEAST_NS,
				     BENCH_TIMEOUT_MOST_NS, &o->plan.timeout_ns);
	case OPT_CLOCK:
		return take_clock(optarg, &o->clock);
	case OPT_SUBTRACT:
		o->wishes.subtract = true;
		return 0;
	case OPT_ANY_STATUS:
		o->plan.any_status = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	default:
		complaint_option("scprof bench", argv, option);
		return -1;
	}
}

/* What is right alone may be impossible together. */
static int settle(struct bench_options *o, bool command)
{
	uint64_t by_loop_ns = 10 * o->plan.min_time_ns;
	char limit[32];

	if (!o->plan.replications)
		o->plan.replications = command ? COMMAND_REPLICATIONS : FUNCTION_REPLICATIONS;
	if (o->wishes.k > o->plan.replications) {
		bench_complain("--kbest %u of %u replications cannot be; ask for more "
			       "--replications, or fewer",
			       o->wishes.k, o->plan.replications);
		return -1;
	}
	if (!o->plan.timeout_ns)
		o->plan.timeout_ns = by_loop_ns > TIMEOUT_NS ? by_loop_ns : TIMEOUT_NS;
	if (o->plan.timeout_ns >= BENCH_TIMEOUT_LOOPS * o->plan.min_time_ns)
		return 0;
	duration_print_exact(BENCH_TIMEOUT_LOOPS * o->plan.min_time_ns, limit, sizeof(limit));
	bench_complain("--timeout is too short for loops of --min-time: at least %s", limit);
	return -1;
}

/* LIBRARY:FUNCTION, and the words after it. */
static int take_function(struct bench_options *o, char **words, int count)
{
	const char *colon = strrchr(words[0], ':');
	char why[512];

	if (!colon || colon == words[0] || !colon[1] ||
	    (size_t)(colon - words[0]) >= sizeof(o->library)) {
		bench_complain("'%s' is not LIBRARY:FUNCTION, such as libz.so.1:crc32; before a "
			       "command write --",
			       words[0]);
		return -1;
	}
	if (o->wishes.subtract || o->plan.any_status) {
		bench_complain("%s is for commands; a function's empty loop is always subtracted",
			       o->wishes.subtract ? "--subtract-empty" : "--any-status");
		return -1;
	}
	snprintf(o->library, sizeof(o->library), "%.*s", (int)(colon - words[0]), words[0]);
	if (bench_arguments_parse(&o->arguments, words + 1, count - 1, why, sizeof(why))) {
		bench_complain("%s", why);
		return -1;
	}
	o->plan.library = o->library;
	o->plan.function = colon + 1;
	o->plan.arguments = &o->arguments;
	o->words = words + 1;
	o->wishes.subtract = true;
	return 0;
}

static int take_command(struct bench_options *o, char **words)
{
	if (program_find(words[0], o->path, sizeof(o->path))) {
		bench_complain("cannot run '%s': %s", words[0], strerror(errno));
		return -1;
	}
	o->plan.path = o->path;
	o->plan.command = words;
	o->words = words;
	return 0;
}

enum bench_parse bench_options_parse(int argc, char **argv, struct bench_options *o)
{
	int option;
	bool command;

	*o = (struct bench_options){
		.plan = {.warmup = 1, .min_time_ns = MIN_TIME_NS},
		.wishes = {.confidence = 0.95, .k = 3, .epsilon = 0.001},
	};
	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, "+:h", long_options, NULL)) != -1) {
		if (option == 'h')
			return BENCH_HELP;
		if (take_option(argv, option, o))
			return BENCH_USAGE;
	}
	command = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (optind == argc) {
		bench_complain("what is to be measured? LIBRARY:FUNCTION [ARGUMENT...], or -- "
			       "COMMAND [ARG...]");
		return BENCH_USAGE;
	}
	if (settle(o, command))
		return BENCH_USAGE;
	if (command ? take_command(o, argv + optind)
		    : take_function(o, argv + optind, argc - optind))
		return BENCH_USAGE;
	return BENCH_GO;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* All values are checked before anything starts, each alone and then together; an error is one
 * line that says what would be right. */
#include "cli/bench/bench_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "collector/duration.h"
#include "collector/launch/program.h"

/* The lecture doubles the loop until it takes 50 000 cycles of a 550 MHz processor: 91 us. On a
 * busy machine much longer loops are nearly always interrupted. */
#define MIN_TIME_NS	      UINT64_C(100000)
#define TIMEOUT_NS	      UINT64_C(10000000000)
#define FUNCTION_REPLICATIONS 100
#define COMMAND_REPLICATIONS  30

enum {
	OPT_REPLICATIONS = USAGE_OWN,
	OPT_MIN_TIME,
	OPT_KBEST,
	OPT_EPSILON,
	OPT_WARMUP,
	OPT_TIMEOUT,
	OPT_CLOCK,
	OPT_SUBTRACT,
	OPT_ANY_STATUS
};

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_CONFIDENCE,
	{"replications", OPT_REPLICATIONS, "N",
	 .text = "loops that are timed (default: 100 of a function, 30 of a command)"},
	{"min-time", OPT_MIN_TIME, "T",
	 .text = "a loop is doubled until it lasts so long (default: 100us)"},
	{"kbest", OPT_KBEST, "K", .text = "fastest replications that must agree (default: 3)"},
	{"epsilon", OPT_EPSILON, "E", .text = "to this relative difference (default: 0.001)"},
	{"warmup", OPT_WARMUP, "N",
	 .text = "calls before anything is timed, not counted (default: 1)"},
	{"timeout", OPT_TIMEOUT, "T",
	 .text = "for one loop (default: 10s, or 10 times --min-time)"},
	{"clock", OPT_CLOCK, "tsc|monotonic", .text = "(default: tsc where it can be trusted)"},
	{"subtract-empty", OPT_SUBTRACT, NULL,
	 .text = "from a command's time, what an empty command takes", .flags = USAGE_TYPED_ONLY},
	{"any-status", OPT_ANY_STATUS, NULL, .text = "measure a command even though it fails",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_JSON("scprof-bench/1"),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage bench_options_usage = {
	.command = "bench",
	.summary = "how long a function of a library takes, or a command",
	.synopsis = {"[OPTION...] LIBRARY:FUNCTION [ARGUMENT...]",
		     "[OPTION...] -- COMMAND [ARG...]"},
	.text = "How long a call of a function of a shared library takes, or a command, with its "
		"confidence interval. The function's arguments, up to 6 integers and pointers and "
		"8 reals:\n  int:5  str:hello  buf:4k (a buffer, filled)  null  f64:1.5  f32:1.5",
	.words = "LIBRARY:FUNCTION ARGUMENT COMMAND ARG",
	.mode = "+",
	.options = usage_options,
	.exit_status = "0 measured; 1 could not measure; 2 wrong usage, or no such "
		       "library, function or command; 3 the function crashed or ended its process, "
		       "or the command failed; 4 no return within --timeout",
	.bad_usage = 2,
	.failure = 1,
};

static int take_epsilon(const char *value, double *to)
{
	bool zero = !strcmp(value, "0") || !strcmp(value, "0%");
	double share = 0;

	if (!zero && (quantity_share(value, &share) || share >= 1))
		return complaint_say(
			BENCH_COMMAND,
			"--epsilon '%s' is not from 0 to below 1, such as 0.001 or 0.1%%", value);
	*to = share;
	return 0;
}

#define MEMBER(option, kind, member, ...)                                                          \
	OPTIONS_MEMBER(option, kind, bench_options, member, ##__VA_ARGS__)
static const struct options_member members[] = {
	MEMBER(USAGE_CONFIDENCE, CONFIDENCE, wishes.confidence),
	MEMBER(OPT_REPLICATIONS, COUNT32, plan.replications, .least = BENCH_REPLICATIONS_LEAST,
	       .most = BENCH_REPLICATIONS_MOST),
	MEMBER(OPT_KBEST, COUNT32, wishes.k, .least = 1, .most = BENCH_REPLICATIONS_MOST),
	MEMBER(OPT_WARMUP, COUNT32, plan.warmup, .least = 1, .most = BENCH_WARMUP_MOST),
	MEMBER(OPT_MIN_TIME, DURATION, plan.min_time_ns, .least = BENCH_MIN_TIME_LEAST_NS,
	       .most = BENCH_MIN_TIME_MOST_NS),
	MEMBER(OPT_TIMEOUT, DURATION, plan.timeout_ns, .least = BENCH_MIN_TIME_LEAST_NS,
	       .most = BENCH_TIMEOUT_MOST_NS),
	MEMBER(OPT_SUBTRACT, FLAG, wishes.subtract),
	MEMBER(OPT_ANY_STATUS, FLAG, plan.any_status),
	MEMBER(USAGE_JSON, FLAG, json),
	{0}};

static int take_option(void *to, int code, const char *value)
{
	struct bench_options *o = to;

	if (code == OPT_EPSILON)
		return take_epsilon(value, &o->wishes.epsilon);
	if (code == OPT_CLOCK)
		o->clock = clocks_read_parse(value);
	return code == OPT_CLOCK ? 0 : options_take(&bench_options_usage, members, o, code, value);
}

/* Values that are valid alone may contradict one another. */
static int settle(struct bench_options *o, bool command)
{
	uint64_t by_loop_ns = 10 * o->plan.min_time_ns;
	char limit[32];

	if (!o->plan.replications)
		o->plan.replications = command ? COMMAND_REPLICATIONS : FUNCTION_REPLICATIONS;
	if (o->wishes.k > o->plan.replications)
		return complaint_say(BENCH_COMMAND,
				     "--kbest %u of %u replications cannot be; ask for more "
				     "--replications, or fewer",
				     o->wishes.k, o->plan.replications);
	if (!o->plan.timeout_ns)
		o->plan.timeout_ns = by_loop_ns > TIMEOUT_NS ? by_loop_ns : TIMEOUT_NS;
	if (o->plan.timeout_ns >= BENCH_TIMEOUT_LOOPS * o->plan.min_time_ns)
		return 0;
	duration_print_exact(BENCH_TIMEOUT_LOOPS * o->plan.min_time_ns, limit, sizeof(limit));
	return complaint_say(BENCH_COMMAND,
			     "--timeout is too short for loops of --min-time: at least %s", limit);
}

/* LIBRARY:FUNCTION, and the words after it. */
static int take_function(struct bench_options *o, char **words, int count)
{
	const char *colon = strrchr(words[0], ':');
	char why[512];

	if (!colon || colon == words[0] || !colon[1] ||
	    (size_t)(colon - words[0]) >= sizeof(o->library))
		return complaint_say(
			BENCH_COMMAND,
			"'%s' is not LIBRARY:FUNCTION, such as libz.so.1:crc32; before a "
			"command write --",
			words[0]);
	if (o->wishes.subtract || o->plan.any_status)
		return complaint_say(
			BENCH_COMMAND,
			"%s is for commands; a function's empty loop is always subtracted",
			o->wishes.subtract ? "--subtract-empty" : "--any-status");
	snprintf(o->library, sizeof(o->library), "%.*s", (int)(colon - words[0]), words[0]);
	if (bench_arguments_parse(&o->arguments, words + 1, count - 1, why, sizeof(why)))
		return complaint_say(BENCH_COMMAND, "%s", why);
	o->plan.library = o->library;
	o->plan.function = colon + 1;
	o->plan.arguments = &o->arguments;
	o->words = words + 1;
	o->wishes.subtract = true;
	return 0;
}

static int take_command(struct bench_options *o, char **words)
{
	if (program_find(words[0], o->path, sizeof(o->path)))
		return complaint_say(BENCH_COMMAND, "cannot run '%s': %s", words[0],
				     strerror(errno));
	o->plan.path = o->path;
	o->plan.command = words;
	o->words = words;
	return 0;
}

int bench_options_parse(int argc, char **argv, struct bench_options *o)
{
	int status;
	bool command;

	*o = (struct bench_options){
		.plan = {.warmup = 1, .min_time_ns = MIN_TIME_NS},
		.wishes = {.confidence = 0.95, .k = 3, .epsilon = 0.001},
	};
	status = options_parse(&bench_options_usage, argc, argv, take_option, o);
	if (status != OPTIONS_GO)
		return status;
	command = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (optind == argc) {
		complaint_say(BENCH_COMMAND,
			      "what is to be measured? LIBRARY:FUNCTION [ARGUMENT...], or -- "
			      "COMMAND [ARG...]");
		return bench_options_usage.bad_usage;
	}
	if (settle(o, command) || (command ? take_command(o, argv + optind)
					   : take_function(o, argv + optind, argc - optind)))
		return bench_options_usage.bad_usage;
	return OPTIONS_GO;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof bench: how long a function of a shared library takes, or a command. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/bench/bench_options.h"
#include "collector/launch/launch.h"
#include "cli/messages/progress.h"
#include "collector/duration.h"
#include "collector/launch/program.h"

/* All values are checked before anything starts, each alone and then together; an error is one
 * line that says what would be right. */

/* The lecture doubles the loop until it takes 50 000 cycles of a 550 MHz processor: 91 us. On a
 * busy machine much longer loops are nearly always interrupted. */
#define MIN_TIME_NS	      UINT64_C(100000)
#define TIMEOUT_NS	      UINT64_C(10000000000)
#define FUNCTION_REPLICATIONS 100
#define COMMAND_REPLICATIONS  30

enum { OPT_CLOCK = USAGE_OWN };

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, bench_options, member, ##__VA_ARGS__)
static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_CONFIDENCE(MEMBER(CONFIDENCE, wishes.confidence)),
	{"replications", 0, "N",
	 .text = "loops that are timed (default: 100 of a function, 30 of a command)",
	 MEMBER(COUNT32, plan.replications, .least = BENCH_REPLICATIONS_LEAST,
		.most = BENCH_REPLICATIONS_MOST)},
	{"min-time", 0, "T", .text = "a loop is doubled until it lasts so long (default: 100us)",
	 MEMBER(DURATION, plan.min_time_ns, .least = BENCH_MIN_TIME_LEAST_NS,
		.most = BENCH_MIN_TIME_MOST_NS)},
	{"kbest", 0, "K", .text = "fastest replications that must agree (default: 3)",
	 MEMBER(COUNT32, wishes.k, .least = 1, .most = BENCH_REPLICATIONS_MOST)},
	{"epsilon", 0, "E", .text = "to this relative difference (default: 0.001)",
	 MEMBER(SHARE, wishes.epsilon, .most = 999999)},
	{"warmup", 0, "N", .text = "calls before anything is timed, not counted (default: 1)",
	 MEMBER(COUNT32, plan.warmup, .least = 1, .most = BENCH_WARMUP_MOST)},
	{"timeout", 0, "T", .text = "for one loop (default: 10s, or 10 times --min-time)",
	 MEMBER(DURATION, plan.timeout_ns, .least = BENCH_MIN_TIME_LEAST_NS,
		.most = BENCH_TIMEOUT_MOST_NS)},
	{"clock", OPT_CLOCK, "tsc|monotonic", .text = "(default: tsc where it can be trusted)"},
	{"any-status", 0, NULL, .text = "measure a command even though it fails",
	 .flags = USAGE_TYPED_ONLY, MEMBER(FLAG, plan.any_status)},
	USAGE_ENTRY_JSON("scprof-bench/1", MEMBER(FLAG, json)),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage bench_options_usage = {
	.command = BENCH_COMMAND,
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
	USAGE_ENDS(2, 1),
};

static int take_option(void *to, int code, const char *value)
{
	struct bench_options *o = to;

	if (code == OPT_CLOCK)
		o->clock = clocks_read_parse(value);
	return 0;
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
	if (o->plan.any_status)
		return complaint_say(BENCH_COMMAND, "--any-status is for commands");
	snprintf(o->library, sizeof(o->library), "%.*s", (int)(colon - words[0]), words[0]);
	if (bench_arguments_parse(&o->arguments, words + 1, count - 1, why, sizeof(why)))
		return complaint_say(BENCH_COMMAND, "%s", why);
	o->plan.library = o->library;
	o->plan.function = colon + 1;
	o->plan.arguments = &o->arguments;
	o->words = words + 1;
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

/* OPTIONS_GO, or the exit status. `o` must stay where it is; after OPTIONS_GO its arguments are
 * the caller's to free. */
static int bench_options_parse(int argc, char **argv, struct bench_options *o)
{
	*o = (struct bench_options){
		.plan = {.warmup = 1, .min_time_ns = MIN_TIME_NS},
		.wishes = {.confidence = 0.95, .k = 3, .epsilon = 0.001},
	};
	int status = options_parse(&bench_options_usage, argc, argv, take_option, o);
	if (status != OPTIONS_GO)
		return status;
	bool command = optind > 1 && !strcmp(argv[optind - 1], "--");
	if (optind == argc)
		return options_refuse(
			&bench_options_usage,
			"what is to be measured? LIBRARY:FUNCTION [ARGUMENT...], or -- "
			"COMMAND [ARG...]");
	if (settle(o, command) || (command ? take_command(o, argv + optind)
					   : take_function(o, argv + optind, argc - optind)))
		return bench_options_usage.bad_usage;
	return OPTIONS_GO;
}

static int status_of(enum bench_end end, const struct bench_error *err)
{
	static const int status[] = {[BENCH_DONE] = 0, [BENCH_BAD] = 2,	    [BENCH_FAILED] = 1,
				     [BENCH_DIED] = 3, [BENCH_ENDLESS] = 4, [BENCH_STOPPED] = 1};

	complaint_say(BENCH_COMMAND, "%s", err->text);
	if (end == BENCH_STOPPED)
		signal_wait_raise(err->signal);
	return status[end];
}

static int print(const struct bench_options *o, const struct bench_record *record)
{
	struct bench_summary summary;
	int failed = bench_summary_make(&summary, &o->plan, record, &o->wishes);

	if (!failed) {
		failed = o->json ? bench_print_json(o, &summary) : bench_print_text(o, &summary);
		bench_summary_free(&summary);
	}
	if (!failed)
		return 0;
	return options_fail(&bench_options_usage, "no memory for the results");
}

static void tell(void *progress, double share)
{
	progress_show(progress, share, "replications");
}

static int measure(struct bench_options *o)
{
	struct bench_record *record;
	struct progress progress;
	struct bench_error err;
	char why[256];

	if (bench_set_clock(&o->plan, o->clock, why, sizeof(why)))
		return options_refuse(&bench_options_usage, "--clock tsc: %s", why);
	progress_begin(&progress, "scprof bench", true);
	o->plan.progress = progress.shown ? tell : NULL;
	o->plan.context = &progress;
	enum bench_end end = bench_run(&o->plan, &record, &err);
	progress_clear(&progress);
	if (end != BENCH_DONE)
		return status_of(end, &err);
	int status = print(o, record);
	bench_free_record(record, &o->plan);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	static struct bench_options options;
	int status = bench_options_parse(argc, argv, &options);

	if (status != OPTIONS_GO)
		return status;
	status = measure(&options);
	bench_arguments_free(&options.arguments);
	return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace`: a command's CPU time where interrupts count, too. Idle phase, run, idle phase,
 * run, idle phase: the two idle phases around a run are its baseline. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/displace/displace_command.h"
#include "cli/messages/progress.h"
#include "cli/usage/output.h"
#include "collector/launch/launch.h"
#include "collector/launch/program.h"
#include "collector/machine/cpus.h"

#define COMMAND "scprof displace"

/* All values are checked before anything starts. */

#define MOST_LOOPS	  1000000000000ull
#define MOST_REPLICATIONS 10000
#define LONGEST_REST_NS	  UINT64_C(600000000000)
#define SHORTEST_REST_NS  UINT64_C(100000000)

enum { OPT_CPUS = USAGE_OWN };

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, displace_wishes, member, ##__VA_ARGS__)
static const struct usage_entry usage_options[] = {
	{"loops", 0, "L", .text = "the command does L operations: print the cost of one",
	 .flags = USAGE_TYPED_ONLY, MEMBER(COUNT, loops, .least = 1, .most = MOST_LOOPS)},
	{"replications", 0, "R", .text = "run the command R times (default: 1)",
	 MEMBER(COUNT32, replications, .least = 1, .most = MOST_REPLICATIONS)},
	{"cpus", OPT_CPUS, "LIST",
	 .text = "measure and run the command on these CPUs, such as 0-3,8 (default: all that "
		 "scprof may use)"},
	{"confirm", 0, NULL,
	 .text = "run it again without the fluid, and hold what displacement and getrusage predict "
		 "against the time that it takes",
	 .flags = USAGE_TYPED_ONLY, MEMBER(FLAG, confirm)},
	USAGE_ENTRY_CONFIDENCE(MEMBER(CONFIDENCE, confidence)),
	{"rest", 0, "T",
	 .text = "leave the fluid alone for so long before the first and after each run, 100ms to "
		 "600s (default: 1s)",
	 MEMBER(SECONDS, rest_s, .least = SHORTEST_REST_NS, .most = LONGEST_REST_NS)},
	{"no-task-clock", 0, NULL,
	 .text = "leave perf's task-clock out of the first run, too: it makes the CPU time of a "
		 "program that switches often some hundredths longer",
	 MEMBER(FLAG, no_task_clock)},
	{"ignore-quota", 0, NULL,
	 .text = "measure even where a control group's quota is in the way",
	 MEMBER(FLAG, any_quota)},
	{"json", USAGE_JSON, NULL,
	 .text = "one object, schema scprof-displace/1; what the command prints goes to standard "
		 "error then, unless -o is given",
	 MEMBER(FLAG, json)},
	USAGE_ENTRY_OUTPUT("FILE", "write there (default: standard error; --json: standard output)",
			   MEMBER(TEXT, output)),
	{"quiet", 'q', NULL, .text = "no progress on the terminal", MEMBER(FLAG, quiet)},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage displace_options_usage = {
	.command = COMMAND,
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
	USAGE_ENDS(125, 125),
};

static int choose_cpus(const char *list, struct displace_wishes *o)
{
	struct profile_error err;

	return cpus_choose(list, &o->cpus, &err) ? complaint_print(COMMAND, err.text) : 0;
}

static int take_option(void *to, int code, const char *value)
{
	return code == OPT_CPUS ? choose_cpus(value, to) : 0;
}

/* OPTIONS_GO, or the exit status. */
static int displace_options_parse(int argc, char **argv, struct displace_wishes *o)
{
	*o = (struct displace_wishes){.replications = 1, .confidence = 0.95, .rest_s = 1};
	int status = options_parse(&displace_options_usage, argc, argv, take_option, o);
	if (status != OPTIONS_GO)
		return status;
	o->command = argv + optind;
	if (!*o->command)
		complaint_say(COMMAND,
			      "which command? usage: scprof displace [OPTION...] [--] COMMAND "
			      "[ARG...]");
	else if (CPU_COUNT(&o->cpus) || !choose_cpus(NULL, o))
		return OPTIONS_GO;
	return displace_options_usage.bad_usage;
}

struct measuring {
	struct displace_wishes wishes;
	struct program program;
	struct displacement *d;
	struct progress progress;
	struct displacement_run *run;
	size_t runs;
	struct displacement_confirm confirm;
	bool confirmed;
	int status;	/* of the command: the first that was not 0 */
	int stopped_by; /* a signal that ended the measuring; 0: none */
};

static int start(const struct measuring *g, struct launch *l, const struct launch_hold *hold)
{
	const struct program *p = &g->program;
	bool exec_failed;

	if (!launch_start_held(l, p->path, g->wishes.command, p->shell_fallback, 0, &exec_failed,
			       hold))
		return 0;
	int error = errno;
	complaint_say(COMMAND, "cannot %s %.300s: %s",
		      exec_failed ? "execute" : "start a process for", p->path,
		      exec_failed && *p->notice ? p->notice : strerror(error));
	if (!exec_failed)
		return FAILED;
	return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* Only at the beginning of a run: drawing while the program runs would disturb it. */
static void say_run(struct measuring *g)
{
	progress_show(&g->progress, (double)g->runs / g->wishes.replications, "run %zu of %u",
		      g->runs + 1, g->wishes.replications);
}

/* Makes one run and the idle phase after it. */
static int one_run(struct measuring *g)
{
	const struct launch_hold hold = {displacement_run_born, g->d};
	const struct launch_watch watch = {DISPLACEMENT_TICK_MS, displacement_run_tick,
					   displacement_run_ended, g->d};
	struct profile_error err;
	struct rusage usage;
	struct launch l;

	if (displacement_run_begin(g->d, !g->wishes.no_task_clock && !g->runs, &err))
		return options_fail(&displace_options_usage, "%s", err.text);
	say_run(g);
	int failed = start(g, &l, &hold);
	if (failed)
		return failed;
	int status = launch_exit_status(launch_wait_watched(&l, &watch, &usage));
	g->status = g->status ? g->status : status;
	g->stopped_by = l.ended_by;
	launch_close(&l);
	progress_clear(&g->progress);
	if (displacement_run_end(g->d, &usage, &err))
		return options_fail(&displace_options_usage, "%s", err.text);
	/* the user does not want to wait: print what there is */
	if (!g->stopped_by)
		g->stopped_by = displacement_idle_phase(g->d, g->wishes.rest_s);
	if (displacement_account_finish(g->d, &g->run[g->runs], &err))
		return options_fail(&displace_options_usage, "%s", err.text);
	g->run[g->runs++].interrupted = l.ended_by != 0;
	return 0;
}

static void say_how_long(const struct displace_wishes *o)
{
	double takes = fmin(DISPLACEMENT_OPEN_S, o->rest_s / 2) + (o->replications + 1) * o->rest_s;

	if (!o->quiet)
		complaint_say(COMMAND,
			      "%u run%s of the command, and %.3g s besides (idle phases, which "
			      "--rest sets; longer on a busy machine)",
			      o->replications, o->replications == 1 ? "" : "s", takes);
}

/* 0, perhaps after fewer runs than asked for, or an exit status, having said why. */
static int measure(struct measuring *g)
{
	const struct displace_wishes *o = &g->wishes;
	const struct displacement_options options = {
		.cpus = o->cpus, .rest_s = o->rest_s, .any_quota = o->any_quota};
	struct profile_error err;
	int failed = 0;

	g->run = calloc(o->replications, sizeof(*g->run));
	if (!g->run)
		return options_fail(&displace_options_usage, "no memory for %u runs",
				    o->replications);
	progress_begin(&g->progress, COMMAND, !o->quiet);
	g->progress.at_once = true;
	g->d = displacement_open(&options, &err);
	if (!g->d)
		return options_fail(&displace_options_usage, "%s", err.text);
	say_how_long(o);
	say_run(g);
	g->stopped_by = displacement_idle_phase(g->d, o->rest_s);
	while (!failed && !g->stopped_by && g->runs < o->replications)
		failed = one_run(g);
	progress_clear(&g->progress);
	displacement_close(g->d);
	return g->runs ? 0 : failed;
}

/* The command again, as often, without the fluid. */
static void confirm(struct measuring *g)
{
	struct displacement_confirm *c = &g->confirm;
	const struct launch_hold hold = {displacement_confirm_born, c};
	const struct launch_watch watch = {1000, NULL, displacement_confirm_ended, c};
	struct rusage usage;
	struct launch l;

	g->confirmed = !displacement_confirm_begin(c, &g->wishes.cpus, g->runs);
	for (size_t i = 0; i < g->runs && g->confirmed; i++) {
		displacement_confirm_run(c);
		if (start(g, &l, &hold))
			return;
		launch_wait_watched(&l, &watch, &usage);
		launch_close(&l);
		if (l.ended_by)
			return;
		displacement_confirm_add(c, &usage);
	}
}

/* With --json standard output has the JSON object alone: what the command prints goes to standard
 * error meanwhile. */
static int measure_apart(struct measuring *g)
{
	bool apart = g->wishes.json && !g->wishes.output;
	int kept = apart ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1, failed;

	if (apart && (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
		return options_fail(&displace_options_usage,
				    "cannot keep the command's output apart: %s", strerror(errno));
	failed = measure(g);
	if (!failed && g->wishes.confirm && !g->stopped_by && !g->status)
		confirm(g);
	if (apart) {
		dup2(kept, STDOUT_FILENO);
		close(kept);
	}
	return failed;
}

static int report(struct measuring *g)
{
	const struct displacement_confirm *c = g->confirmed ? &g->confirm : NULL;
	const struct displace_wishes *o = &g->wishes;
	struct displacement_summary s;
	struct output out;
	int failed;

	if (displacement_summary_make(&s, g->run, g->runs, o->confidence)) {
		complaint_say(COMMAND, "no memory for the results");
		return -1;
	}
	if (!o->output && !o->json)
		failed = displace_text_print(stderr, o, &s, c) || fflush(stderr);
	else
		failed = output_begin(&out, COMMAND, o->output) ||
			 output_end(&out, COMMAND,
				    o->json ? displace_json_print(out.stream, o, &s, c)
					    : displace_text_print(out.stream, o, &s, c));
	displacement_summary_free(&s);
	return failed;
}

static int measure_and_report(struct measuring *g)
{
	int status = measure_apart(g);

	if (status)
		return status;
	if (!g->runs) {
		complaint_say(COMMAND, "stopped before the command was started");
		signal_wait_raise(g->stopped_by);
		return FAILED;
	}
	if (g->runs < g->wishes.replications)
		complaint_say(COMMAND, "%zu of %u runs were made", g->runs, g->wishes.replications);
	if (report(g) && !g->status)
		return FAILED;
	/* a signal between two runs ended no command */
	return !g->status && g->stopped_by ? 128 + g->stopped_by : g->status;
}

/* 0, or the exit status that a shell would return. */
static int cannot_start(const struct program *p)
{
	bool missing = p->kind == PROGRAM_MISSING || p->kind == PROGRAM_NO_LOADER;

	if (!missing && p->kind != PROGRAM_DIRECTORY && p->kind != PROGRAM_NOT_EXECUTABLE)
		return 0;
	complaint_print(COMMAND, p->notice);
	return missing ? NOT_FOUND : NOT_EXECUTABLE;
}

int cmd_displace(int argc, char **argv)
{
	static struct measuring g; /* paths: too large for the stack */
	int status = displace_options_parse(argc, argv, &g.wishes);

	if (status != OPTIONS_GO)
		return status;
	program_examine(g.wishes.command[0], &g.program);
	for (char *at = g.program.notice; (at = strchr(at, '\n')); at++)
		*at = ' '; /* a message is one line */
	status = cannot_start(&g.program);
	if (!status)
		status = output_try(COMMAND, g.wishes.output) ? FAILED : measure_and_report(&g);
	for (size_t i = 0; i < g.runs; i++)
		displacement_account_free(&g.run[i]);
	free(g.run);
	free(g.confirm.elapsed);
	return status;
}

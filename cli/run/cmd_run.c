// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run`: starts a command with the library, gathers what its processes recorded, and prints
 * the report. Standard output is left to the command. After the start scprof waits for the
 * command's end, whatever happens. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/clocks/clocks.h"
#include "cli/cmd.h"
#include "collector/launch/environment.h"
#include "collector/launch/gather.h"
#include "collector/launch/launch.h"
#include "collector/launch/leftovers.h"
#include "collector/launch/library_path.h"
#include "collector/launch/program.h"
#include "cli/run/run_again.h"
#include "cli/run/run_filters.h"
#include "cli/run/run_live.h"
#include "cli/run/run_displace.h"
#include "cli/run/run_observer.h"
#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "cli/run/run_save.h"
#include "cli/run/run_symbols.h"
#include "cli/run/run_ticker.h"
#include "cli/run/run_watch.h"
#include "stats/mean/stopping.h"
#include "collector/launch/run_directory.h"
#include "cli/messages/say.h"
#include "collector/launch/survivors.h"

enum { FAILED = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

struct run {
	struct run_options options;
	struct program program;
	struct run_output output;
	struct run_directory directory;
	struct run_ticker ticker;
	struct launch launch;
	char library[PATH_MAX];
	struct selection chosen; /* -s */
	struct symbol_patterns patterns;
	char stubs[PATH_MAX];		   /* "" without -s */
	struct recording_control *windows; /* NULL: recording goes on all the time */
	struct environment_filters filters;
	struct run_displace displace;
	struct run_live live;
	struct run_watch *watch;	     /* NULL: nothing to watch for */
	const struct run_observer *observer; /* NULL: `scprof run` itself */
};

/* LD_PRELOAD cannot name a path that has a space or a colon. */
static int avoid_odd_library_path(struct run *r)
{
	char link[PATH_MAX];

	if (environment_can_preload(r->library))
		return 0;
	snprintf(link, sizeof(link), "%s/libscprof.so", r->directory.base);
	if (!environment_can_preload(link) || symlink(r->library, link)) {
		say_format("libscprof.so lies in a directory that LD_PRELOAD cannot name: %s.\n"
			   "Set SCPROF_LIB to a copy whose path has no space, colon or $ in it",
			   r->library);
		return -1;
	}
	snprintf(r->library, sizeof(r->library), "%s", link);
	return 0;
}

static int write_stubs(struct run *r)
{
	return r->chosen.count ? run_symbols_write(&r->chosen, r->directory.base,
						   r->output.directory, r->stubs, sizeof(r->stubs))
			       : 0;
}

static int set_environment(const struct run *r)
{
	struct environment e = {
		.library = r->library,
		.stubs = r->stubs,
		.before = r->program.asan,
		.profiles = r->directory.profiles,
		.page = r->ticker.ticker ? r->directory.page : NULL,
		.clock = r->options.clock,
		.tick_ns = r->options.tick_ns,
		.groups = r->options.groups ? r->options.built_in : NULL,
		.filters = r->filters,
		.slowest = r->options.slowest.count,
		.slower_than = r->options.slowest.least,
		.slowest_of = r->options.slowest.patterns,
		.states = r->options.states,
		.verify_paths = r->options.verify_paths,
		.causal = r->options.dither > 0 ? r->directory.causal : NULL,
	};

	if (r->observer && r->observer->prepare(r->observer->context, &r->directory, &e))
		return -1;
	if (!environment_set(&e))
		return 0;
	say("out of memory: the command was not started");
	return -1;
}

static void clean_up(struct run *r)
{
	char link[PATH_MAX];

	if (r->observer)
		r->observer->ended(r->observer->context);
	run_ticker_stop(&r->ticker);
	run_filters_end(&r->windows);
	unlink(r->directory.below);
	run_filters_free(&r->options.filters);
	snprintf(link, sizeof(link), "%s/libscprof.so", r->directory.base);
	unlink(link);
	if (*r->stubs)
		unlink(r->stubs);
	selection_close(&r->chosen);
	symbol_pattern_free(&r->patterns);
}

static int make_dither(struct run *r)
{
	return r->options.dither > 0
		       ? run_displace_dither(&r->displace, r->directory.causal, r->options.dither)
		       : 0;
}

/* Makes all that the command needs at its start. 0, or -1, having said why and removed all. */
static int prepare(struct run *r)
{
	struct profile_error err;

	if (run_output_check(r->options.output, &r->output))
		return -1;
	if (library_path_find(r->library, sizeof(r->library), &err)) {
		say(err.text);
		return -1;
	}
	if ((r->options.symbols || *r->options.ready_made) &&
	    run_symbols_resolve(&r->options, &r->program, r->library, &r->chosen, &r->patterns)) {
		selection_close(&r->chosen);
		symbol_pattern_free(&r->patterns);
		return -1;
	}
	leftovers_sweep(r->output.directory, say);
	if (run_directory_create(&r->directory, r->output.directory, &err)) {
		say(err.text);
		selection_close(&r->chosen);
		symbol_pattern_free(&r->patterns);
		return -1;
	}
	if (!avoid_odd_library_path(r) && !write_stubs(r) &&
	    !run_ticker_start(&r->ticker, &r->options, r->directory.page) &&
	    !run_filters_prepare(&r->options.filters, &r->program, &r->directory, &r->windows,
				 &r->filters) &&
	    !make_dither(r) && !set_environment(r))
		return 0;
	run_displace_abandon(&r->displace);
	clean_up(r);
	run_directory_remove(&r->directory);
	return -1;
}

/* The notice about the program says more than errno. */
static int exec_failed(const struct run *r, int error)
{
	if (!*r->program.notice)
		say_format("cannot execute %.300s: %s", r->program.path, strerror(error));
	else if (r->program.kind != PROGRAM_NO_LOADER)
		say_format("the kernel says: %s", strerror(error));
	return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* 0, or an exit status. */
static int start(struct run *r, const char *profiles)
{
	struct launch_hold hold;
	bool exec_failure;

	if (r->options.displace) {
		int failed = run_displace_open(&r->displace, profiles);

		if (failed)
			return failed;
		hold = run_displace_hold(&r->displace);
	}
	run_live_lend(&r->live);
	int not_started = launch_start_held(
		&r->launch, r->program.path, r->options.command, r->program.shell_fallback,
		r->options.filters.plan.signal, &exec_failure, r->options.displace ? &hold : NULL);
	int error = errno;
	run_live_take_back(&r->live);
	if (!not_started) {
		if (r->windows && recording_control_begin(r->windows))
			say_format("recording will not stop or start by itself: no thread for it: "
				   "%s",
				   strerror(errno));
		return 0;
	}
	run_displace_abandon(&r->displace);
	errno = error;
	if (exec_failure)
		return exec_failed(r, errno);
	say_format("cannot start a process: %s.\n"
		   "What limits their number: ulimit -u, a control group's pids.max",
		   strerror(errno));
	return FAILED;
}

/* Without LD_PRELOAD and files, as the command runs by itself. */
static int run_unobserved(struct run *r)
{
	int failed = start(r, NULL);

	if (failed)
		return failed;
	int status = launch_exit_status(run_displace_wait(&r->displace, &r->launch));
	launch_close(&r->launch);
	run_displace_settle(&r->displace, r->launch.ended_by != 0);
	run_displace_finish(&r->displace, r->options.command);
	say(r->options.disabled ? "no profile: SCPROF_DISABLE is set"
				: "no profile: the command ran unobserved");
	return status;
}

static void say_nothing_found(const struct run *r, const struct gathered *g)
{
	if (g->refusals)
		say_format("no profile: none of the files could be read; they are kept in %s.\n"
			   "scprof report FILE says of each why",
			   r->directory.profiles);
	else if (r->program.kind != PROGRAM_DYNAMIC && r->program.kind != PROGRAM_ASAN)
		say("no profile: no program with libscprof.so was started (see the notice above)");
	else if (g->count)
		say("no profile: the command was killed before its first record");
	else
		say("no profile: libscprof.so did not start in any process of the command.\n"
		    "Does the command clear its environment (env -i, sudo), close the way to\n"
		    "/dev/shm (a sandbox, chroot), or start only static or privileged programs?");
}

static int save(struct run *r, const struct gathered *g)
{
	if (r->observer)
		return r->observer->finish(r->observer->context, &r->directory, g);
	run_ticker_note(&r->ticker, g->profile);
	run_watch_tell(r->watch, g->profile);
	run_displace_sites(&r->displace, r->directory.profiles, g->profile);
	return run_save(&r->options, &r->output, &r->directory, g);
}

static int finish(struct run *r)
{
	struct profile_error err;
	struct gathered g;
	int failed = gather_profiles(&r->directory, &r->launch, &g, say, &err);

	if (failed)
		say_format("%s\nThe files of the run are kept in %s", err.text,
			   r->directory.profiles);
	else if (g.profile)
		failed = save(r, &g);
	else {
		say_nothing_found(r, &g);
		failed = g.refusals ? -1 : 0;
		gather_discard(&r->directory, &g);
	}
	gather_free(&g);
	return failed;
}

static int open_live(struct run *r)
{
	return r->options.live ? run_live_open(&r->live, r->output.directory, r->options.command[0])
			       : 0;
}

static void begin_watch(struct run *r)
{
	const struct run_filters *f = &r->options.filters;
	const struct run_watch_wishes wishes = {.command = "scprof run",
						.until = r->options.until,
						.least_s = r->options.until_least_s > 0
								   ? r->options.until_least_s
								   : STOPPING_LEAST_S,
						.of = r->options.until_of,
						.quiet = r->options.live,
						.for_ns = f->plan.for_ns,
						.by_the_clock = f->after || f->length};

	r->watch = run_watch_begin(&wishes, r->directory.profiles, r->windows);
}

static void look(void *context)
{
	struct run *r = context;

	r->observer->look(r->observer->context, r->launch.pid, r->launch.ended_by != 0);
}

/* Until the command has ended. Its exit status. */
static int wait_for(struct run *r)
{
	const struct launch_watch watch = {
		.period_ms = RUN_OBSERVER_LOOK_MS, .tick = look, .context = r};
	struct rusage usage;

	if (!r->observer)
		return launch_exit_status(run_displace_wait(&r->displace, &r->launch));
	r->observer->started(r->observer->context, r->directory.profiles);
	return launch_exit_status(launch_wait_watched(&r->launch, &watch, &usage));
}

static int run_observed(struct run *r)
{
	if (prepare(r))
		return FAILED;
	int failed = open_live(r) ? FAILED : start(r, r->directory.profiles);
	if (failed) {
		run_live_end(&r->live);
		run_displace_abandon(&r->displace);
		clean_up(r);
		run_directory_remove(&r->directory);
		return failed;
	}
	run_output_name(&r->output, r->options.command[0], r->launch.pid);
	run_directory_note_output(&r->directory, r->output.path);
	run_live_begin(&r->live, r->directory.profiles, r->options.command[0], r->launch.pid,
		       r->options.report);
	begin_watch(r);
	int status = wait_for(r);
	survivors_wait(r->directory.profiles, r->launch.signals, run_live_say);
	run_watch_end(r->watch);
	clean_up(r);
	run_live_end(&r->live);
	run_displace_settle(&r->displace, r->launch.ended_by != 0);
	failed = finish(r);
	run_directory_release(&r->directory);
	run_displace_finish(&r->displace, r->options.command);
	launch_close(&r->launch);
	run_watch_free(r->watch);
	if (r->observer && r->observer->status)
		status = r->observer->status(r->observer->context, status);
	/* the command's own failure says more */
	return failed && !status ? FAILED : status;
}

static int examine_and_run(struct run *r)
{
	program_examine(r->options.command[0], &r->program);
	if (*r->program.notice)
		say(r->program.notice);
	switch (r->program.kind) {
	case PROGRAM_MISSING:
		return NOT_FOUND;
	case PROGRAM_DIRECTORY:
	case PROGRAM_NOT_EXECUTABLE:
		return NOT_EXECUTABLE;
	default:
		return r->options.disabled || !r->program.preload ? run_unobserved(r)
								  : run_observed(r);
	}
}

int cmd_run(int argc, char **argv)
{
	static struct run r; /* paths: too large for the stack */
	int status = run_options_parse(argc, argv, &r.options);

	if (status != OPTIONS_GO)
		return status;
	return r.options.runs > 1 ? run_again("run", argc, argv, &r.options) : examine_and_run(&r);
}

int cmd_run_for(const struct run_options *o, const struct run_observer *observer)
{
	static struct run r;

	r = (struct run){.options = *o, .observer = observer};
	return examine_and_run(&r);
}

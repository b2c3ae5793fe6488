// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run`: starts a command with the library, gathers what its processes recorded, and prints
 * the report. Standard output is left to the command. After the start scprof waits for the
 * command's end, whatever happens. */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/run/recording.h"
#include "cli/run/run_again.h"
#include "collector/launch/survivors.h"

struct run {
	struct recording recording;
	struct program program;
	struct run_directory directory;
	struct launch launch;
	struct run_displace displace;
	struct run_live live;
};

static int make_dither(struct run *r)
{
	double share = r->recording.options.dither;

	return share > 0 ? run_displace_dither(&r->displace, r->directory.causal, share) : 0;
}

/* Nothing is started: removes all that was made. */
static void give_up(struct run *r)
{
	run_live_end(&r->live);
	run_displace_abandon(&r->displace);
	recording_clean_up(&r->recording);
	run_directory_remove(&r->directory);
}

/* Makes all that the command needs at its start. 0, or -1, having said why and removed all. */
static int prepare(struct run *r)
{
	struct recording *c = &r->recording;
	struct profile_error err;

	if (run_output_check(c->options.output, &c->output))
		return -1;
	if (environment_find_library(c->library, sizeof(c->library), &err))
		return say(err.text);
	if (!environment_can_preload(c->library))
		return say_format(
			"libscprof.so lies in a directory that LD_PRELOAD cannot name: %s.\n"
			"Set SCPROF_LIB to a copy whose path has no space, colon or $ in it",
			c->library);
	if (run_symbols_resolve(c, r->program.runner))
		return -1;
	if (run_directory_create(&r->directory, c->output.directory, &err))
		return say(err.text);
	if (!run_symbols_write(c, r->directory.base, c->output.directory) && !make_dither(r) &&
	    !recording_prepare(c, &r->directory, r->program.asan) &&
	    (!environment_set(&c->environment) ||
	     !say("out of memory: the command was not started")))
		return 0;
	give_up(r);
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

/* The process exists, and has not become the command yet. */
static void born(void *context, pid_t pid)
{
	struct run *r = context;

	if (*r->directory.profiles)
		recording_sample(&r->recording, &pid, 1, true);
	if (r->recording.options.displace)
		displacement_run_born(r->displace.d, pid);
}

/* 0, or an exit status. */
static int start(struct run *r, const char *profiles)
{
	const struct run_options *o = &r->recording.options;
	const struct launch_hold hold = {born, r};
	bool exec_failure;

	if (o->displace) {
		int failed = run_displace_open(&r->displace, profiles);

		if (failed)
			return failed;
	}
	run_live_lend(&r->live);
	int not_started = launch_start_held(
		&r->launch, r->program.path, o->command, r->program.shell_fallback,
		o->filters.plan.signal, &exec_failure, o->displace || o->sample_ns ? &hold : NULL);
	int error = errno;
	run_live_take_back(&r->live);
	if (!not_started) {
		recording_begin(&r->recording);
		return 0;
	}
	run_displace_abandon(&r->displace);
	if (exec_failure)
		return exec_failed(r, error);
	say_format("cannot start a process: %s.\nWhat limits their number: %s", strerror(error),
		   error == EMFILE ? "ulimit -n" : "ulimit -u, a control group's pids.max");
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
	run_displace_finish(&r->displace, r->recording.options.command);
	say(r->recording.options.disabled ? "no profile: SCPROF_DISABLE is set"
					  : "no profile: the command ran unobserved");
	return status;
}

static void say_nothing_found(const struct run *r, const struct gathered *g)
{
	if (r->program.kind != PROGRAM_DYNAMIC && r->program.kind != PROGRAM_ASAN)
		say("no profile: no program with libscprof.so was started (see the notice above)");
	else if (g->count)
		say("no profile: the command was killed before its first record");
	else
		say("no profile: libscprof.so did not start in any process of the command.\n"
		    "Does the command clear its environment (env -i, sudo), close the way to\n"
		    "/dev/shm (a sandbox, chroot), or start only static or privileged programs?");
}

static int finish(struct run *r)
{
	struct gathered g;
	int result = recording_gather(&r->directory, &r->launch, &g);

	if (result > 0) {
		say_nothing_found(r, &g);
		result = 0;
	} else if (!result) {
		run_displace_sites(&r->displace, r->directory.profiles, g.profile);
		result = recording_save(&r->recording, &r->directory, &g);
	}
	gather_free(&g);
	return result;
}

static void look(void *context)
{
	struct run *r = context;
	const struct run_observer *observer = r->recording.observer;

	observer->look(observer->context, r->launch.pid, r->launch.ended_by != 0);
}

/* The command has ended, and what it left runs on. */
static bool is_enough(const void *context)
{
	const struct run_observer *observer = context;

	return observer->look(observer->context, 0, false);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* Until the command has ended. Its exit status. */
static int wait_for(struct run *r)
{
	const struct run_observer *observer = r->recording.observer;
	const struct launch_watch watch = {
		.period_ms = RUN_OBSERVER_LOOK_MS, .tick = look, .context = r};
	struct rusage *u = &r->displace.usage;

	if (observer) {
		observer->started(observer->context, r->directory.profiles);
		return launch_exit_status(launch_wait_watched(&r->launch, &watch, u));
	}
	int status = launch_exit_status(run_displace_wait(&r->displace, &r->launch));
	r->recording.user_ns = ns_of(u->ru_utime);
	r->recording.cpu_ns = r->recording.user_ns + ns_of(u->ru_stime);
	return status;
}

static int run_observed(struct run *r)
{
	struct recording *c = &r->recording;
	const struct run_options *o = &c->options;
	const struct run_observer *observer = c->observer;

	if (prepare(r))
		return FAILED;
	int failed = o->live && run_live_open(&r->live, c->output.directory, o->command[0])
			     ? FAILED
			     : start(r, r->directory.profiles);
	if (failed) {
		give_up(r);
		return failed;
	}
	run_output_name(&c->output, o->command[0], r->launch.pid);
	run_live_begin(&r->live, r->directory.profiles, o->command[0], r->launch.pid, o->report);
	c->watch = run_watch_begin(c, r->directory.profiles, o->live);
	int status = wait_for(r);
	survivors_wait(r->directory.profiles, r->launch.signals, r->launch.newest, run_live_say,
		       observer ? is_enough : NULL, observer);
	run_watch_end(c->watch);
	recording_clean_up(&r->recording);
	run_live_end(&r->live);
	run_displace_settle(&r->displace, r->launch.ended_by != 0);
	failed = finish(r);
	run_directory_release(&r->directory);
	run_displace_finish(&r->displace, o->command);
	launch_close(&r->launch);
	if (observer && observer->status)
		status = observer->status(observer->context, status);
	/* the command's own failure says more */
	return failed && !status ? FAILED : status;
}

static int examine_and_run(struct run *r)
{
	const struct run_options *o = &r->recording.options;

	program_examine(o->command[0], &r->program);
	if (*r->program.notice)
		say(r->program.notice);
	if (r->program.kind == PROGRAM_MISSING)
		return NOT_FOUND;
	if (r->program.kind == PROGRAM_DIRECTORY || r->program.kind == PROGRAM_NOT_EXECUTABLE)
		return NOT_EXECUTABLE;
	return o->disabled || !r->program.preload ? run_unobserved(r) : run_observed(r);
}

int cmd_run_for(const struct run_options *o, const struct run_observer *observer)
{
	static struct run r; /* paths: too large for the stack */

	r.recording =
		(struct recording){.command = "scprof run", .options = *o, .observer = observer};
	int status = examine_and_run(&r);
	recording_free(&r.recording);
	return status;
}

int cmd_run(int argc, char **argv)
{
	static struct run_options o;
	int status = run_options_parse(&run_options_usage, argc, argv, &o);

	if (status != OPTIONS_GO)
		return status;
	return o.runs > 1 ? run_again("run", argc, argv, &o, recording_tick(&o, NULL))
			  : cmd_run_for(&o, NULL);
}

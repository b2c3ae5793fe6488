// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof attach`: records processes that run, leaves them as they were, and prints the report.
 * From the first change in a process on, signals are taken one by one here: whatever ends the
 * recording, the processes are left properly. */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/attach/attach_guard.h"
#include "cli/attach/attach_options.h"
#include "cli/attach/attach_place.h"
#include "cli/attach/attach_targets.h"
#include "cli/attach/attach_woken.h"
#include "cli/cmd.h"
#include "cli/messages/say.h"
#include "cli/run/run_again.h"
#include "cli/run/run_observer.h"
#include "cli/run/run_output.h"
#include "cli/run/run_save.h"
#include "cli/run/run_symbols.h"
#include "cli/run/run_ticker.h"
#include "cli/run/run_watch.h"
#include "cli/usage/quantity.h"
#include "collector/launch/environment.h"
#include "collector/launch/gather.h"
#include "collector/launch/leftovers.h"
#include "collector/launch/library_path.h"
#include "collector/launch/signal_wait.h"
#include "stats/mean/stopping.h"

enum { FAILED = 125, LOOK_MS = 50, STOP_MS = 1000 };

#define REPORT_BYTES  (UINT64_C(256) << 20) /* for another user; as serve takes */
#define ADDRESS_BYTES (UINT64_C(8) << 30)   /* as of who traces */

struct attach {
	struct attach_options options;
	struct attach_targets targets;
	struct run_output output;
	struct attach_place place;
	struct run_ticker ticker;
	struct recording_control *control;
	struct environment_filters filters;
	struct run_watch *watch;
	struct selection chosen; /* -s */
	struct symbol_patterns patterns;
	struct signal_wait signals;
	struct attach_guard guard;
	char library[PATH_MAX], stubs[PATH_MAX]; /* stubs "": none */
	char root[48];				 /* leads to the first process's files; "" */
	char **order;
	const struct run_observer *observer; /* NULL: `scprof attach` itself */
	int watched; /* a descriptor for `scprof top`: where the profiles are; -1: nobody watches */
	bool leaves_no_file;
};

static bool wants_stubs(const struct attach *a)
{
	return a->options.run.symbols || *a->options.run.ready_made;
}

static const struct refusal_facts *first(const struct attach *a)
{
	return &a->targets.one[0].facts;
}

/* Of the first process: of the others, functions that it has not are not timed. */
static int find_stubs(struct attach *a)
{
	const struct refusal_facts *f = first(a);
	char exe[64];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)f->target.pid);
	return run_symbols_resolve_mapped(&a->options.run, f->target.pid, f->uid, f->gid, exe,
					  a->library, &a->chosen, &a->patterns);
}

static int write_stubs(struct attach *a)
{
	if (!a->chosen.count)
		return 0;
	const char *beside = a->place.there ? NULL : a->output.directory;

	if (run_symbols_write(&a->chosen, a->place.directory.base, beside, a->stubs,
			      sizeof(a->stubs)))
		return -1;
	if (!a->place.there ||
	    !strncmp(a->stubs, a->place.directory.base, strlen(a->place.directory.base)))
		return 0;
	say_format("-s: %.300s, as the process sees it, is mounted noexec",
		   a->place.copy.inner_directory);
	unlink(a->stubs);
	return -1;
}

/* What the processes call a file of ours that they are to write. */
static const char *lend(const struct attach *a, const char *path, char name[PATH_MAX])
{
	if (!geteuid() && lchown(path, first(a)->uid, first(a)->gid))
		say_format("%s: cannot be given to the process's user: %s", path, strerror(errno));
	return attach_place_name(&a->place, path, name);
}

/* Files of the run are named as the processes see them. */
static int make_order(struct attach *a)
{
	const struct run_options *o = &a->options.run;
	const struct run_observer *observer = a->observer;
	char name[6][PATH_MAX];
	struct environment e = {
		.library = a->place.library,
		.stubs = attach_place_name(&a->place, a->stubs, name[0]),
		.before = "",
		.profiles = attach_place_name(&a->place, a->place.directory.profiles, name[1]),
		.clock = o->clock,
		.tick_ns = o->tick_ns,
		.groups = o->groups ? o->built_in : NULL,
		.filters = a->filters,
		.slowest = o->slowest.count,
		.slower_than = o->slowest.least,
		.slowest_of = o->slowest.patterns,
		.states = o->states,
		.verify_paths = o->verify_paths,
	};

	if (a->ticker.ticker)
		e.page = attach_place_name(&a->place, a->place.directory.page, name[2]);
	e.filters.control = attach_place_name(&a->place, a->filters.control, name[3]);
	if (a->filters.below_ranges)
		e.filters.below_ranges =
			attach_place_name(&a->place, a->filters.below_ranges, name[4]);
	if (observer && observer->prepare(observer->context, &a->place.directory, &e))
		return -1;
	if (e.causal)
		e.causal = lend(a, e.causal, name[5]);
	a->order = environment_order(&e);
	if (!a->order)
		say("out of memory");
	return a->order ? 0 : -1;
}

static void clean_up(struct attach *a)
{
	if (a->observer)
		a->observer->ended(a->observer->context);
	run_ticker_stop(&a->ticker);
	run_filters_end(&a->control);
	unlink(a->place.directory.below);
	if (*a->stubs)
		unlink(a->stubs);
	environment_order_free(a->order);
	a->order = NULL;
}

/* All that the processes need. 0, or -1 having said why and removed all. */
static int prepare(struct attach *a)
{
	struct program program = {.kind = PROGRAM_DYNAMIC, .preload = true};
	struct run_filters *filters = &a->options.run.filters;

	snprintf(program.path, sizeof(program.path), "%s", first(a)->exe);
	snprintf(program.runner, sizeof(program.runner), "%s", first(a)->exe);
	filters->process = first(a)->target.pid;
	filters->uid = first(a)->uid;
	filters->gid = first(a)->gid;
	if (first(a)->other_root)
		snprintf(a->root, sizeof(a->root), "/proc/%d/root", (int)filters->process);
	filters->root = a->root;
	if (wants_stubs(a) && find_stubs(a))
		return -1;
	if (!a->leaves_no_file)
		leftovers_sweep(a->output.directory, say);
	if (attach_place_make(&a->place, &a->targets, a->options.run.copy_to, a->library,
			      a->output.directory))
		return -1;
	if (!write_stubs(a) &&
	    !run_ticker_start(&a->ticker, &a->options.run, a->place.directory.page) &&
	    !run_filters_prepare(&a->options.run.filters, &program, &a->place.directory,
				 &a->control, &a->filters) &&
	    !make_order(a))
		return 0;
	clean_up(a);
	run_directory_remove(&a->place.directory);
	attach_place_leave(&a->place);
	return -1;
}

static void begin_watch(struct attach *a)
{
	const struct run_options *o = &a->options.run;
	const struct run_watch_wishes wishes = {
		.command = "scprof attach",
		.until = o->until,
		.least_s = o->until_least_s > 0 ? o->until_least_s : STOPPING_LEAST_S,
		.of = o->until_of,
		.quiet = a->watched >= 0,
		.for_ns = o->filters.plan.for_ns,
		.by_the_clock = o->filters.after || o->filters.length};

	if (recording_control_begin(a->control))
		say_format("recording will not stop or start by itself: no thread for it: %s",
			   strerror(errno));
	a->watch = run_watch_begin(&wishes, a->place.directory.profiles, a->control);
}

/* The library knows how it was started, and names the profile so: "scprof.NAME.PID.scp". What a
 * process says of itself goes to a terminal and into a file's name. */
static const char *program_of(const struct attach *a)
{
	static char name[NAME_MAX + 1];
	const char *exe = first(a)->exe, *slash = strrchr(exe, '/');
	const char *profile = strrchr(a->targets.one[0].begin.profile, '/'), *end;
	char mark[32];

	snprintf(mark, sizeof(mark), ".%d.", (int)first(a)->inner_pid);
	if (!profile || strncmp(profile, "/scprof.", 8) || !(end = strstr(profile + 8, mark)))
		snprintf(name, sizeof(name), "%.200s", slash ? slash + 1 : exe);
	else
		snprintf(name, sizeof(name), "%.*s", (int)(end - profile - 8), profile + 8);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	return name;
}

static void announce(const struct attach *a)
{
	const struct run_options *o = &a->options.run;
	char others[48] = "", length[64] = "until Ctrl-C";
	size_t begun = 0;

	for (size_t i = 0; i < a->targets.count; i++)
		begun += a->targets.one[i].begun;
	if (begun > 1)
		snprintf(others, sizeof(others), " and %zu more", begun - 1);
	if (o->filters.length)
		snprintf(length, sizeof(length), "for %.40s", o->filters.length);
	else if (o->until > 0)
		snprintf(length, sizeof(length), "until means are known to %.3g %%",
			 100 * o->until);
	if (a->watched < 0)
		say_format("recording process %d (%.200s)%s %s%s", (int)first(a)->target.pid,
			   program_of(a), others, length,
			   o->filters.length || o->until > 0 ? "; Ctrl-C ends it earlier" : "");
}

/* Until the clock, the precision, a signal, or the end of all processes says that it is enough. */
static void record(struct attach *a)
{
	bool ends = a->options.run.filters.length || a->options.run.until > 0, on = true;

	for (;;) {
		if (signal_wait_next(&a->signals, a->observer ? RUN_OBSERVER_LOOK_MS : LOOK_MS))
			break;
		if (a->observer && a->observer->look(a->observer->context, 0, false))
			break;
		if (!attach_targets_alive(&a->targets)) {
			say(a->targets.count == 1 ? "the process has ended"
						  : "the processes have ended");
			break;
		}
		if (ends && recording_control_due(a->control, &on) == UINT64_MAX && !on)
			break;
	}
}

/* By the page, which all of them look at with each call. */
static void stop_recording(struct attach *a)
{
	bool on = true;

	recording_control_finish(a->control);
	for (int ms = 0; ms < STOP_MS; ms++) {
		recording_control_due(a->control, &on);
		if (!on)
			return;
		usleep(1000);
	}
}

static void say_nothing_found(const struct attach *a, const struct gathered *g)
{
	if (g->refusals)
		say_format("no profile: none of the files could be read; they are kept in %s.\n"
			   "scprof report FILE says of each why",
			   a->place.directory.profiles);
	else
		say("no profile: the process called nothing that is recorded meanwhile.\n"
		    "See -g and -s of scprof attach --help");
}

static int save(struct attach *a, struct gathered *g)
{
	if (a->observer)
		return a->observer->finish(a->observer->context, &a->place.directory, g);
	attach_targets_note(&a->targets, g->profile);
	run_ticker_note(&a->ticker, g->profile);
	run_watch_tell(a->watch, g->profile);
	if (a->watched >= 0 && !a->options.run.output) {
		gather_discard(&a->place.directory, g);
		return 0;
	}
	return run_save(&a->options.run, &a->output, &a->place.directory, g);
}

static int finish(struct attach *a)
{
	struct profile_error err;
	struct gathered g;
	int failed = gather_profiles(&a->place.directory, NULL, &g, say, &err);

	if (failed)
		say_format("%s\nThe files are kept in %s", err.text, a->place.directory.profiles);
	else if (g.profile)
		failed = save(a, &g);
	else {
		say_nothing_found(a, &g);
		failed = g.refusals ? -1 : 0;
		gather_discard(&a->place.directory, &g);
	}
	gather_free(&g);
	return failed;
}

/* Who watches reads a line: the directory; and then nothing until the end. */
static void tell_watcher(const struct attach *a)
{
	if (a->watched >= 0 && dprintf(a->watched, "%s\n", a->place.directory.profiles) < 0)
		say_format("cannot say where the profiles are: %s", strerror(errno));
}

static void begin_guard(struct attach *a)
{
	attach_guard_begin(&a->guard);
	for (size_t i = 0; i < a->targets.count; i++)
		attach_guard_note(&a->guard, a->targets.one[i].facts.target.pid);
}

static int go_and_record(struct attach *a)
{
	char name[PATH_MAX];
	size_t begun;
	int failed;

	signal_wait_begin(&a->signals);
	signal(SIGPIPE, SIG_IGN);
	begin_guard(a);
	if (prepare(a)) {
		attach_guard_end(&a->guard);
		return FAILED;
	}
	begun = attach_targets_begin(&a->targets, a->place.library, a->order);
	if (begun) {
		if (!a->leaves_no_file)
			run_output_name(&a->output, program_of(a), first(a)->target.pid);
		run_directory_note_output(&a->place.directory, a->output.path);
		begin_watch(a);
		tell_watcher(a);
		if (a->observer)
			a->observer->started(a->observer->context, a->place.directory.profiles);
		else
			announce(a);
		record(a);
		if (a->observer)
			a->observer->look(a->observer->context, 0, true);
		stop_recording(a);
		run_watch_end(a->watch);
		attach_targets_end(&a->targets,
				   attach_place_name(&a->place, a->place.directory.control, name));
		attach_woken_await(&a->targets, a->place.directory.profiles);
		attach_woken_say_silent(&a->targets, a->place.directory.profiles);
	}
	attach_guard_end(&a->guard);
	clean_up(a);
	failed = begun ? finish(a) : -1;
	if (!begun)
		run_directory_remove(&a->place.directory);
	attach_place_leave(&a->place);
	run_watch_free(a->watch);
	return failed || a->targets.failed ? FAILED : 0;
}

static int attach_all(struct attach *a)
{
	struct profile_error err;
	int status = FAILED;

	if (!a->leaves_no_file && run_output_check(a->options.run.output, &a->output))
		return FAILED;
	if (library_path_find(a->library, sizeof(a->library), &err))
		say(err.text);
	else if (!attach_targets_find(&a->targets, &a->options,
				      a->options.run.copy_to ? NULL : a->library, wants_stubs(a)))
		status = go_and_record(a);
	attach_targets_free(&a->targets);
	run_filters_free(&a->options.run.filters);
	selection_close(&a->chosen);
	symbol_pattern_free(&a->patterns);
	return status;
}

int cmd_attach(int argc, char **argv)
{
	static struct attach a; /* paths: too large for the stack */
	int status = attach_options_parse(argc, argv, &a.options);

	a.watched = -1;
	if (status != OPTIONS_GO)
		return status;
	return a.options.run.runs > 1 ? run_again("attach", argc, argv, &a.options.run)
				      : attach_all(&a);
}

int cmd_attach_for(const struct attach_options *o, const struct run_observer *observer)
{
	static struct attach a;

	a = (struct attach){.options = *o, .observer = observer, .watched = -1};
	return attach_all(&a);
}

/* "=UID:GID". A process that was root's is not dumpable afterwards: that user cannot look into it.
 */
static int become(const char *who)
{
	unsigned uid, gid;
	int end = 0;

	if (sscanf(who, "=%u:%u%n", &uid, &gid, &end) == 2 && !who[end] && !setgroups(0, NULL) &&
	    !setresgid(gid, gid, gid) && !setresuid(uid, uid, uid))
		return 0;
	say_format("cannot take the rights of user %s: %s", who + 1, strerror(errno));
	return -1;
}

/* What the processes of another user say decides how large the report is. Without root's rights no
 * limit is raised. */
static void limit_report(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){REPORT_BYTES, REPORT_BYTES});
#ifndef __SANITIZE_ADDRESS__ /* its shadow memory exceeds any limit */
	setrlimit(RLIMIT_AS, &(struct rlimit){ADDRESS_BYTES, ADDRESS_BYTES});
#endif
}

/* What `scprof top --attach` and `scprof serve` start, and which ends with them:
 * attach-watched DESCRIPTOR [OPTION...] PID...
 * With a descriptor no report, and a profile only where -o names it; with "-" both; with "=UID:GID"
 * only the report, of what that user may attach to. */
int cmd_attach_watched(int argc, char **argv)
{
	static struct attach a;
	uint64_t descriptor = 0;
	const char *what = argc > 1 ? argv[1] : "";
	bool watched = strcmp(what, "-") != 0 && *what != '=';

	if (*what == '=' && become(what))
		return FAILED;
	if (*what == '=')
		limit_report();
	a.leaves_no_file = *what == '=';
	signal(SIGTERM, SIG_DFL); /* who started us ends us by it */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (argc < 3 || (watched && quantity_count(what, 0, INT_MAX, &descriptor)))
		return FAILED;
	int status = attach_options_parse(argc - 1, argv + 1, &a.options);

	a.watched = watched ? (int)descriptor : -1;
	a.options.run.report &= !watched;
	return status == OPTIONS_GO ? attach_all(&a) : status;
}

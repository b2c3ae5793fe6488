// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof attach`: records processes that run, leaves them as they were, and prints the report.
 * From the first change in a process on, signals are taken one by one here: whatever ends the
 * recording, the processes are left properly. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/attach/attach_targets.h"
#include "cli/attach/dump_text.h"
#include "cli/cmd.h"
#include "cli/run/recording.h"
#include "cli/run/run_again.h"
#include "collector/clocks/clocks_read.h"
#include "collector/launch/environment.h"
#include "collector/launch/launch.h"
#include "report/wording/utf8.h"

enum { LOOK_MS = 50, STOP_MS = 1000 };

#define REPORT_BYTES  (UINT64_C(256) << 20) /* for another user; as serve takes */
#define ADDRESS_BYTES (UINT64_C(8) << 30)   /* as of who traces */

struct attach {
	struct recording recording; /* `library`: as we see it */
	struct attach_targets targets;
	struct attach_place place;
	struct signal_wait signals;
	struct attach_guard guard;
	char **order;
	int watched; /* a descriptor for `scprof top`: where the profiles are; -1: nobody watches */
	bool leaves_no_file;
	/* Of the first process: for how long it was recorded, its threads' times before, and what
	 * it did at the end; NULL: not known. */
	double recorded_s;
	struct dump_times times;
	struct dump *dump;
};

static const struct refusal_facts *first(const struct attach *a)
{
	return &a->targets.one[0].facts;
}

/* For the user: that which it has itself, where it has none here. */
static pid_t number_of(const struct attach *a)
{
	return first(a)->target.pid ? first(a)->target.pid : first(a)->inner_pid;
}

static int write_stubs(struct attach *a)
{
	struct recording *r = &a->recording;
	const char *base = a->place.directory.base;

	if (run_symbols_write(r, base, a->place.there ? NULL : r->output.directory))
		return -1;
	if (!*r->stubs || !a->place.there || !strncmp(r->stubs, base, strlen(base)))
		return 0;
	return say_format("-s: %.300s, as the process sees it, is mounted noexec",
			  a->place.copy.inner_directory);
}

/* Files of the run are named as the processes see them. */
static int make_order(struct attach *a)
{
	struct environment e = a->recording.environment;
	const char **const paths[] = {&e.stubs, &e.profiles, &e.page, &e.control, &e.causal};
	char name[sizeof(paths) / sizeof(*paths)][PATH_MAX];

	/* the processes write to the page of delays */
	if (e.causal && !geteuid() && lchown(e.causal, first(a)->uid, first(a)->gid))
		say_format("%s: cannot be given to the process's user: %s", e.causal,
			   strerror(errno));
	e.library = a->place.library;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (*paths[i])
			*paths[i] = attach_place_name(&a->place, *paths[i], name[i]);
	a->order = environment_order(&e);
	if (!a->order)
		say("out of memory");
	return a->order ? 0 : -1;
}

static void clean_up(struct attach *a)
{
	recording_clean_up(&a->recording);
	environment_order_free(a->order);
	a->order = NULL;
}

/* All that the processes need. 0, or -1 having said why and removed all. */
static int prepare(struct attach *a)
{
	struct recording *r = &a->recording;

	r->options.filters.process = first(a)->target.pid;
	r->options.filters.uid = first(a)->uid;
	r->options.filters.gid = first(a)->gid;
	/* of the first process: functions that only other processes have are not timed */
	if (run_symbols_resolve(r, NULL))
		return -1;
	if (attach_place_make(&a->place, &a->targets, r->options.copy_to, r->library,
			      r->output.directory))
		return -1;
	if (!write_stubs(a) && !recording_prepare(r, &a->place.directory, NULL) && !make_order(a))
		return 0;
	clean_up(a);
	run_directory_remove(&a->place.directory);
	attach_place_leave(&a->place);
	return -1;
}

/* The library knows how it was started, and names the profile so: "scprof.NAME.PID.scp". What a
 * process says of itself goes to a terminal and into a file's name. */
static const char *program_of(const struct attach *a)
{
	static char name[NAME_MAX + 1];
	const char *profile = strrchr(a->targets.one[0].begin.profile, '/'), *end;
	char mark[32];

	snprintf(mark, sizeof(mark), ".%d.", (int)first(a)->inner_pid);
	if (!profile || strncmp(profile, "/scprof.", 8) || !(end = strstr(profile + 8, mark)))
		snprintf(name, sizeof(name), "%.200s", base_name(first(a)->exe));
	else
		snprintf(name, sizeof(name), "%.*s", (int)(end - profile - 8), profile + 8);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	return name;
}

static void announce(const struct attach *a)
{
	const struct run_options *o = &a->recording.options;
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
		say_format("recording process %d (%.200s)%s %s%s", (int)number_of(a), program_of(a),
			   others, length,
			   o->filters.length || o->until > 0 ? "; Ctrl-C ends it earlier" : "");
}

/* Until the clock, the precision, a signal, or the end of all processes says that it is enough. */
static void record(struct attach *a)
{
	const struct run_options *o = &a->recording.options;
	const struct run_observer *observer = a->recording.observer;
	bool ends = o->filters.length || o->until > 0, on = true;

	for (;;) {
		if (signal_wait_next(&a->signals, observer ? RUN_OBSERVER_LOOK_MS : LOOK_MS))
			break;
		if (observer && observer->look(observer->context, 0, false))
			break;
		if (!attach_targets_alive(&a->targets)) {
			say(a->targets.count == 1 ? "the process has ended"
						  : "the processes have ended");
			break;
		}
		if (ends && recording_control_due(a->recording.control, &on) == UINT64_MAX && !on)
			break;
	}
}

/* Stops through the page, which all processes check at each call. */
static void stop_recording(struct attach *a)
{
	bool on = true;

	recording_control_finish(a->recording.control);
	for (int ms = 0; ms < STOP_MS; ms++) {
		recording_control_due(a->recording.control, &on);
		if (!on)
			return;
		usleep(1000);
	}
}

static int finish(struct attach *a)
{
	struct run_directory *d = &a->place.directory;
	struct gathered g;
	int result = recording_gather(d, NULL, &g);
	bool calls = !result && g.profile->entries;

	if (result > 0) {
		say("no profile: the process called nothing that is recorded meanwhile.\n"
		    "See -g and -s of scprof attach --help");
		result = 0;
	} else if (!result) {
		attach_targets_note(&a->targets, g.profile);
		result = recording_save(&a->recording, d, &g);
	}
	gather_free(&g);
	if (a->dump && a->recording.options.report && !result &&
	    a->recording.options.shown.options.format == REPORT_TEXT)
		dump_text_after(a->dump, &a->times, a->recorded_s, calls, stdout);
	dump_free(a->dump);
	return result;
}

/* A watching command reads one line, the directory, and then nothing until the end. */
static void tell_watcher(const struct attach *a)
{
	const char *at = a->place.directory.profiles;
	char own[32] = "";

	if (a->place.there) { /* /proc/self is another process to who watches */
		snprintf(own, sizeof(own), "/proc/%d", (int)getpid());
		at += strlen("/proc/self");
	}
	if (a->watched >= 0 && dprintf(a->watched, "%s%s\n", own, at) < 0)
		say_format("cannot say where the profiles are: %s", strerror(errno));
}

static void sample(struct attach *a)
{
	pid_t *pid = calloc(a->targets.count + 1, sizeof(*pid));
	size_t count = 0;

	for (size_t i = 0; pid && i < a->targets.count; i++)
		if (a->targets.one[i].begun && a->targets.one[i].facts.target.pid)
			pid[count++] = a->targets.one[i].facts.target.pid;
	recording_sample(&a->recording, pid, count, false);
	free(pid);
}

/* The processes are recorded: until it is enough, and all are left. */
static void record_and_leave(struct attach *a)
{
	struct recording *r = &a->recording;
	const struct run_observer *observer = r->observer;
	struct run_directory *d = &a->place.directory;
	struct profile_error err;
	char name[PATH_MAX];

	if (!a->leaves_no_file)
		run_output_name(&r->output, program_of(a), number_of(a));
	if (first(a)->target.pid)
		a->times = dump_times(first(a)->target.pid);
	uint64_t begun_ns = clocks_read_ns(CLOCK_MONOTONIC);
	recording_begin(r);
	sample(a);
	r->watch = run_watch_begin(r, d->profiles, a->watched >= 0);
	tell_watcher(a);
	if (observer)
		observer->started(observer->context, d->profiles);
	else
		announce(a);
	record(a);
	if (observer)
		observer->look(observer->context, 0, true);
	if (r->sampler)
		sampler_stop(r->sampler);
	stop_recording(a);
	a->recorded_s = (double)(clocks_read_ns(CLOCK_MONOTONIC) - begun_ns) / 1e9;
	if (r->options.report && !observer && first(a)->target.pid && !a->targets.one[0].woken)
		a->dump = dump_take(first(a)->target.pid, false, &err);
	run_watch_end(r->watch);
	attach_targets_end(&a->targets, attach_place_name(&a->place, d->control, name));
	attach_woken_await(&a->targets, d->profiles);
	attach_woken_say_silent(&a->targets, d->profiles);
}

static int go_and_record(struct attach *a)
{
	signal_wait_begin(&a->signals);
	signal(SIGPIPE, SIG_IGN);
	attach_guard_begin(&a->guard, &a->targets);
	if (prepare(a)) {
		attach_guard_end(&a->guard);
		return FAILED;
	}
	size_t begun = attach_targets_begin(&a->targets, a->place.library, a->order);
	if (begun)
		record_and_leave(a);
	attach_guard_end(&a->guard);
	clean_up(a);
	int failed = begun ? finish(a) : -1;
	if (!begun)
		run_directory_discard(&a->place.directory);
	attach_place_leave(&a->place);
	return failed || a->targets.failed ? FAILED : 0;
}

static int attach_all(struct attach *a, const struct attach_options *o)
{
	struct recording *r = &a->recording;
	struct profile_error err;
	int status = FAILED;

	r->command = "scprof attach";
	r->options = o->run;
	if (!a->leaves_no_file && run_output_check(r->options.output, &r->output))
		return FAILED;
	if (environment_find_library(r->library, sizeof(r->library), &err))
		say(err.text);
	else if (!attach_targets_find(&a->targets, o, o->run.copy_to ? NULL : r->library,
				      recording_wants_stubs(r)))
		status = go_and_record(a);
	attach_targets_free(&a->targets);
	recording_free(r);
	return status;
}

int cmd_attach(int argc, char **argv)
{
	static struct attach a = {.watched = -1}; /* paths: too large for the stack */
	static struct attach_options o;
	int status = attach_options_parse(argc, argv, &o);

	if (status != OPTIONS_GO)
		return status;
	return o.run.runs > 1
		       ? run_again("attach", argc, argv, &o.run, recording_tick(&o.run, NULL))
		       : attach_all(&a, &o);
}

int cmd_attach_for(const struct attach_options *o, const struct run_observer *observer)
{
	static struct attach a;

	a = (struct attach){.recording.observer = observer, .watched = -1};
	return attach_all(&a, o);
}

/* Processes of another user determine how large the report is. Without root's rights no limit is
 * raised. */
static void limit_report(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){REPORT_BYTES, REPORT_BYTES});
#ifndef __SANITIZE_ADDRESS__ /* its shadow memory exceeds any limit */
	setrlimit(RLIMIT_AS, &(struct rlimit){ADDRESS_BYTES, ADDRESS_BYTES});
#endif
}

/* What `scprof top --attach` and `scprof serve` start, and which ends with them: attach-watched
 * DESCRIPTOR [OPTION...] PID... With a descriptor no report, and a profile only where -o names it;
 * with "-" both; with "=UID:GID" only the report, of what that user may attach to. */
int cmd_attach_watched(int argc, char **argv)
{
	static struct attach a;
	static struct attach_options o;
	uint64_t descriptor = 0;
	const char *what = argc > 1 ? argv[1] : "";
	bool watched = strcmp(what, "-") != 0 && *what != '=';

	if (*what == '=' && attach_options_become(what))
		return FAILED;
	if (*what == '=')
		limit_report();
	a.leaves_no_file = *what == '=';
	signal(SIGTERM, SIG_DFL); /* who started us ends us by it */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (argc < 3 || (watched && quantity_count(what, 0, INT_MAX, &descriptor)))
		return FAILED;
	int status = attach_options_parse(argc - 1, argv + 1, &o);

	a.watched = watched ? (int)descriptor : -1;
	a.recording.discards = watched && !o.run.output;
	o.run.report &= !watched;
	return status == OPTIONS_GO ? attach_all(&a, &o) : status;
}

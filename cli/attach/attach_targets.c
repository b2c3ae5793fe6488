// SPDX-License-Identifier: GPL-3.0-or-later
/* A process is known by its number and its start: another one may have the number by now. */
#include "cli/attach/attach_targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "collector/attach/target/relatives.h"
#include "collector/clocks/clocks_read.h"
#include "collector/launch/recording_control.h"
#include "profile/base/kernel_file.h"
#include "profile/live/run_files.h"
#include "report/wording/utf8.h"
#include "profile/base/array.h"

#define TRACER_ENDS_MS	    6000
#define TRACER_ENDS_STEP_MS 50
#define ROUNDS		    4 /* of looking for processes that were forked meanwhile */
#define MOST_S		    60 /* for all of them; a single one that resists may take as long again */

static struct attach_one *add(struct attach_targets *t, pid_t pid)
{
	struct attach_one *one = ARRAY_APPEND(t->one, t->count);

	if (one)
		*one = (struct attach_one){.facts.target.pid = pid, .wake.fd = -1};
	else
		say("out of memory");
	return one;
}

static bool is_known(const struct attach_targets *t, pid_t pid)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->one[i].facts.target.pid == pid)
			return true;
	return false;
}

/* When it began; 0: it has ended. */
static uint64_t start_of(pid_t pid)
{
	char state = 0;
	uint64_t start = run_files_process_start(pid, &state);

	return state == 'Z' || state == 'X' ? 0 : start;
}

/* Prefers the process's page, if it has one: then no thread is stopped. But a page loads no object
 * with stubs. `library` NULL: it will be copied in. Of one that nobody `named` by its number, and
 * that has ended meanwhile, nothing is said. */
static int check(struct attach_one *one, const char *library, bool stubs, bool named)
{
	pid_t pid = one->facts.target.pid;
	struct profile_error err;

	if (!refusal_check(pid, library, !stubs, &one->facts, &err)) {
		one->woken = !stubs && *one->facts.wake;
		return 0;
	}
	one->facts.target.pid = pid;
	if (named || start_of(pid))
		say(err.text);
	if (stubs && *one->facts.wake)
		say("It is dormant, and would be woken without that but for -s, and groups of "
		    "libraries: they go in by ptrace only");
	return -1;
}

static void say_children(pid_t pid, size_t count)
{
	say_format("%zu child%s of process %d run%s the same program and %s not recorded: "
		   "--children adds %s",
		   count, count == 1 ? "" : "ren", (int)pid, count == 1 ? "s" : "",
		   count == 1 ? "is" : "are", count == 1 ? "it" : "them");
}

/* A child that is refused is left out. */
static void add_children(struct attach_targets *t, pid_t of, const char *library, bool stubs,
			 bool wanted)
{
	static pid_t pids[RELATIVES_MOST];
	size_t count = relatives_children(of, pids, RELATIVES_MOST), others = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_known(t, pids[i]))
			continue;
		others++;
		if (!wanted || !add(t, pids[i]))
			continue;
		if (check(&t->one[t->count - 1], library, stubs, false))
			t->count--;
	}
	if (others && !wanted)
		say_children(of, others);
}

/* May a process that only its name led to be recorded with the others? If not, it was said. */
static bool fits(const struct attach_targets *t, struct attach_one *one, const char *library,
		 bool stubs)
{
	pid_t first = t->one[0].facts.target.pid, pid = one->facts.target.pid;

	if (check(one, library, stubs, false))
		return false;
	if (first == pid || relatives_same_root(first, pid))
		return true;
	say_format("process %d is left out: process %d sees other files (another container or root "
		   "directory)",
		   (int)pid, (int)first);
	return false;
}

int attach_targets_find(struct attach_targets *t, const struct attach_options *o,
			const char *library, bool stubs)
{
	*t = (struct attach_targets){0};
	if (o->page && stubs)
		say("-s, and groups of libraries, go in by ptrace only: name the process by its "
		    "number");
	if (o->page && (stubs || !add(t, 0) || attach_woken_take_page(t->one, o->page)))
		return -1;
	for (size_t i = 0; i < o->pids; i++) {
		bool named = i >= o->pids - o->named;
		struct attach_one *one = add(t, o->pid[i]);

		if (!named)
			t->asked = t->count;
		if (one &&
		    (named ? !fits(t, one, library, stubs) : check(one, library, stubs, true))) {
			t->count--;
			one = NULL;
		}
		if (!one && !named)
			return -1;
	}
	if (!t->count)
		return say_format("no process that is called %.40s can be recorded", o->run.name);
	/* what runs the program that a name led to is called so, mostly: it is there already */
	for (size_t i = 0; i < (o->run.children ? o->pids : o->pids - o->named); i++)
		add_children(t, o->pid[i], library, stubs, o->run.children);
	attach_woken_find_pages(t);
	return 0;
}

int attach_targets_check_tool(const char *command, pid_t pid, char control[PATH_MAX])
{
	char there[PATH_MAX]; /* as we see it */

	if (relatives_mapped(pid, "/" RUN_DIRECTORY_NAME, "/control", control) &&
	    relatives_mapped(pid, "/." RUN_DIRECTORY_NAME, "/control", control))
		*control = '\0';
	if (!*control)
		return 0;
	if (relatives_same_root(pid, getpid()) ||
	    snprintf(there, sizeof(there), "/proc/%d/root%.*s", (int)pid, PATH_MAX - 32, control) <
		    0)
		snprintf(there, sizeof(there), "%s", control);
	/* of a tool that was killed the tracer goes on for a while, to let go of its thread */
	for (int i = 0; i < TRACER_ENDS_MS / TRACER_ENDS_STEP_MS; i++) {
		if (!recording_control_tool_lives(there))
			return 0;
		nanosleep(&(struct timespec){0, TRACER_ENDS_STEP_MS * 1000000}, NULL);
	}
	return complaint_say(command, "another scprof records process %d: end that one, by Ctrl-C",
			     (int)pid);
}

void attach_targets_tell_anew(pid_t pid, const struct attach_result *r)
{
	if (r->began_anew)
		say_format("process %d: thread %d was in a system call with a time limit, and no "
			   "other thread could be borrowed: its limit counts from now again (at "
			   "most once an hour)",
			   (int)pid, (int)r->began_anew);
}

/* First repairs what a killed tool left in the process. */
static void begin_one(struct attach_one *one, const char *library, char **order, bool named)
{
	static char control[PATH_MAX];
	const struct attach_order o = {.target = one->facts.target,
				       .library = library,
				       .variables = (const char *const *)order};
	struct profile_error err;
	bool was;

	if (attach_targets_check_tool("scprof attach", o.target.pid, control) < 0)
		return;
	/* recording that no page stops, or a removed one, is of a tool that is gone, too */
	one->begun = !attach_end(&o.target, &one->end, &was, &err) &&
		     !attach_begin(&o, &one->begin, &err);
	attach_targets_tell_anew(o.target.pid, &one->end);
	attach_targets_tell_anew(o.target.pid, &one->begin);
	if (!one->begun && (named || attach_targets_lives(&o.target)))
		say(err.text);
}

bool attach_targets_lives(const struct attach_target *t)
{
	uint64_t start = start_of(t->pid);

	return start && start == t->process_start;
}

static bool is_alive(const struct attach_one *one)
{
	return one->facts.target.pid ? attach_targets_lives(&one->facts.target)
				     : !wake_is_gone(&one->wake);
}

bool attach_targets_child_ended(const struct attach_targets *t, size_t i)
{
	return i >= t->asked && !is_alive(&t->one[i]);
}

size_t attach_targets_begin(struct attach_targets *t, const char *library, char **order)
{
	double last = clocks_read_seconds() + MOST_S;
	size_t begun = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct attach_one *one = &t->one[i];

		if (!one->woken && clocks_read_seconds() > last)
			say_format("process %d: no time was left for it",
				   (int)one->facts.target.pid);
		else if (!one->woken)
			begin_one(one, library, order, i < t->asked);
		else if (!one->begun && !one->left)
			attach_woken_begin(t, one, order);
		one->end = (struct attach_result){0};
		begun += one->begun;
		t->failed += !one->begun && !attach_targets_child_ended(t, i);
	}
	return begun;
}

size_t attach_targets_alive(struct attach_targets *t)
{
	size_t alive = 0;

	for (size_t i = 0; i < t->count; i++) {
		t->one[i].gone |= t->one[i].begun && !is_alive(&t->one[i]);
		alive += t->one[i].begun && !t->one[i].gone;
	}
	return alive;
}

static bool leave(struct attach_targets *t, struct attach_one *one)
{
	struct profile_error err;
	pid_t pid = one->facts.target.pid;
	bool was, left;

	if (one->woken) {
		attach_woken_end(t, one);
		return one->left || one->wake.fd < 0;
	}
	one->end.began_anew = 0;
	left = is_alive(one) && !attach_end(&one->facts.target, &one->end, &was, &err);
	attach_targets_tell_anew(pid, &one->end);
	if (left) {
		one->left = true;
		one->gone = !was; /* another program by now, which has nothing of ours */
		return true;
	}
	one->gone = !is_alive(one);
	one->left = one->gone;
	if (!one->left)
		say_format("%s\nIt records nothing any more, but calls still go by way of "
			   "scprof: scprof detach %d puts that right",
			   err.text, (int)pid);
	return one->left;
}

/* Forked from one that was recorded. */
static void add_forked(struct attach_targets *t, pid_t pid)
{
	struct attach_one *one = add(t, pid);

	if (!one)
		return;
	one->facts.target.process_start = run_files_process_start(pid, NULL);
	one->facts.inner_pid = proc_inner_pid(pid);
	one->begun = one->forked = true;
	one->page = t->count - 1;
	for (size_t i = 0; i + 1 < t->count; i++)
		if (t->one[i].woken) {
			one->woken = true; /* by the page that it was born with */
			one->left = true;
		}
}

size_t attach_targets_end(struct attach_targets *t, const char *control)
{
	static pid_t pids[RELATIVES_MOST];
	double last = clocks_read_seconds() + MOST_S;
	size_t remain = 0, done = 0;

	for (int round = 0; round < ROUNDS && done < RELATIVES_MOST; round++) {
		for (; done < t->count && clocks_read_seconds() <= last; done++)
			if (t->one[done].begun)
				remain += !leave(t, &t->one[done]);
		if (done < t->count) {
			say_format("%zu processes were not left, for want of time: scprof detach "
				   "%d puts them right",
				   t->count - done, (int)t->one[done].facts.target.pid);
			return remain + t->count - done;
		}
		size_t count = relatives_mapping(control, pids, RELATIVES_MOST);
		for (size_t i = 0; i < count; i++)
			if (!is_known(t, pids[i]))
				add_forked(t, pids[i]);
		if (done == t->count)
			break;
	}
	return remain;
}

/* Whose profile is it? By the file's name, where the library said it; else by the number. */
static bool is_of(const struct prof_process *p, const struct attach_one *one)
{
	const char *file = *one->end.profile ? one->end.profile : one->begin.profile;

	return *file && p->file ? !strcmp(base_name(p->file), base_name(file))
				: p->pid == (uint32_t)one->facts.inner_pid;
}

static uint64_t ns_of(double ms)
{
	return ms > 0 && ms < 1e12 ? (uint64_t)(ms * 1e6) : 0;
}

/* Run time of the process when recording began. */
static uint64_t ran_ns(const struct attach_one *one, uint64_t began_real_ns)
{
	uint64_t real = clocks_read_ns(CLOCK_REALTIME), up = clocks_read_ns(CLOCK_BOOTTIME);
	double born = (double)one->facts.target.process_start * 1e9 / (double)sysconf(_SC_CLK_TCK),
	       ago = real > began_real_ns ? (double)(real - began_real_ns) : 0,
	       ran = (double)up - born - ago;

	return began_real_ns && born > 0 && ran > 0 ? (uint64_t)ran : 0;
}

static struct prof_attached describe(const struct attach_one *one, uint64_t began_real_ns)
{
	const struct attach_result *b = &one->begin, *e = &one->end;
	bool ended = one->left && !one->gone && !one->woken;
	uint64_t longest = ns_of(fmax(b->stopped_ms, e->stopped_ms)),
		 total = ns_of(b->stopped_total_ms) + ns_of(e->stopped_total_ms);

	return (struct prof_attached){
		.known = true,
		.flags = (one->left && !one->gone ? SCP_ATTACHED_DETACHED : 0) |
			 (one->woken ? SCP_ATTACHED_WOKEN : 0),
		.stopped_ns = longest,
		.stopped_total_ns = total > longest ? total : longest,
		.ran_ns = ran_ns(one, began_real_ns),
		.pid = (uint32_t)(one->facts.target.pid ? one->facts.target.pid
							: one->facts.inner_pid),
		.threads = b->threads,
		.in_calls = b->in_calls < b->threads ? b->in_calls : b->threads,
		.slots = ended ? e->slots : b->slots};
}

void attach_targets_note(const struct attach_targets *t, struct profile *p)
{
	for (uint32_t k = 0; k < p->processes; k++)
		for (size_t i = 0; i < t->count; i++)
			if (t->one[i].begun && is_of(&p->process[k], &t->one[i])) {
				p->process[k].attached =
					describe(&t->one[i], p->process[k].start_real_ns);
				break;
			}
}

void attach_targets_free(struct attach_targets *t)
{
	free(t->one);
	*t = (struct attach_targets){0};
}

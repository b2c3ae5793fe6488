// SPDX-License-Identifier: GPL-3.0-or-later
/* The tracer may be late, stopped or killed at any instant: the borrowed thread does what it would
 * have done, and each signal arrives once, as it was sent. A controller traces the tracer and halts
 * it before one of its steps (a ptrace call, or a word that it writes into the process): before
 * each of them in turn. Nothing here is a matter of time: a late tracer goes on when the thread has
 * come as far as it comes without it.
 *
 * SCPROF_TEST_ALL=1: every step with every set of signals, in every kind of program. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <linux/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/remote/remote.h"
#include "tests/unit/collector/borrowing.h"

#define OPTIONS                                                                                    \
	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD |  \
	 PTRACE_O_EXITKILL)
#define WAIT_S 900 /* a limit for hangs */

enum what { GOES_ON, IS_LATE, IS_KILLED, WHATS };
static const char *const what_texts[] = {"goes on", "is late", "is killed"};

/* Ended by 0. SIGCHLD: of a child. A signal in two places is sent twice. Those of faults are not
 * blocked in a call, and stop it, and so does SIGCONT; all others wait until the thread is home. */
static const int sets[][8] = {
	{SIGALRM, SIGCHLD, 40, 40, SIGTERM, 63}, {SIGUSR2}, {SIGCHLD},
	{SIGSEGV, SIGTRAP, SIGBUS, 40, SIGCONT}, {SIGSTOP},
};
#define SETS	(sizeof(sets) / sizeof(sets[0]))
#define SEVERAL 0

struct trial {
	struct borrowing *p;
	bool begin;
	long step; /* of the tracer's, from 0 on */
	enum what what;
	const int *set;
};

/* Of the tool's process, shared with it. */
struct told {
	int status;
	struct profile_error err;
};

static struct told *told;
static unsigned long sent[65];

static void nap(void)
{
	usleep(200);
}

static char state_of(pid_t pid)
{
	char path[64], text[512], *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
	end = strrchr(text, ')');
	return end ? end[2] : 'X';
}

static bool all_came(const struct borrowing *p)
{
	for (int s = 1; s < 65; s++)
		if (p->says->got[s] != sent[s])
			return false;
	return true;
}

static void send(const struct trial *t)
{
	struct borrowing *p = t->p;

	for (const int *s = t->set; *s; s++) {
		union sigval value = {.sival_int = BORROWED_VALUE(*s)};

		sent[*s] += *s != SIGSTOP;
		if (*s == SIGCHLD)
			kill(p->says->child, SIGKILL);
		else if (*s == SIGSTOP || *s == SIGCONT)
			kill(p->pid, *s);
		else
			sigqueue(p->pid, *s, value);
	}
}

/* As far as it comes while nobody goes on with it: it is stopped, or has got all. */
static void await_settled(const struct borrowing *p)
{
	for (long i = 0; i < WAIT_S * 5000L && !p->says->failures; i++) {
		if (strchr("tTXZ", state_of(p->pid)) || all_came(p))
			return;
		nap();
	}
	fail_msg("it neither stops nor goes on: %c", state_of(p->pid));
}

static void await_all(const struct borrowing *p, const char *when)
{
	for (long i = 0; i < WAIT_S * 5000L && !p->says->failures; i++) {
		if (all_came(p) || waitpid(p->pid, NULL, WNOHANG) != 0)
			return;
		nap();
	}
	for (int s = 1; s < 65; s++)
		if (p->says->got[s] != sent[s])
			print_error("%s: signal %d: %lu of %lu\n", when, s, p->says->got[s],
				    sent[s]);
}

/* Is it at the entry of a system call that is a step? */
static bool is_step(pid_t pid)
{
	struct ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY &&
	       (info.entry.nr == SYS_ptrace || info.entry.nr == SYS_pwrite64);
}

static void do_what(const struct trial *t, pid_t tracer)
{
	send(t);
	if (t->what == IS_LATE)
		await_settled(t->p);
	if (t->what == IS_KILLED)
		kill(tracer, SIGKILL);
}

static bool is_birth(int event)
{
	return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	       event == PTRACE_EVENT_CLONE;
}

/* Let the tool and what it starts run, with an event at one step, until all of them have ended: on
 * a busy machine the tool does not wait for a tracer that is late. The number of steps. */
static long control(const struct trial *t)
{
	long steps = 0, live = 1;
	int status;
	pid_t pid;

	while (live > 0 && (pid = waitpid(-1, &status, __WALL | __WNOTHREAD)) > 0) {
		int signal = 0;

		if (pid == t->p->pid)
			fail_msg("the program ended by signal %d",
				 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		if (!WIFSTOPPED(status)) {
			live--;
			continue;
		}
		live += is_birth(status >> 16);
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			if (is_step(pid) && steps++ == t->step)
				do_what(t, pid);
		} else if (!REMOTE_EVENT(status)) {
			signal = WSTOPSIG(status);
		}
		ptrace(PTRACE_SYSCALL, pid, NULL, signal);
	}
	return steps;
}

static long run_tool(const struct trial *t)
{
	struct attach_result r;
	bool was;
	int ends[2];
	char go = 0;
	pid_t tool;

	assert_int_equal(pipe(ends), 0);
	told->status = -2;
	tool = fork();
	if (tool == 0) {
		if (read(ends[0], &go, 1) != 1)
			_exit(1);
		told->status = t->begin ? attach_begin(&t->p->order, &r, &told->err)
					: attach_end(&t->p->order.target, &r, &was, &told->err);
		_exit(0);
	}
	assert_int_equal(ptrace(PTRACE_SEIZE, tool, NULL, OPTIONS), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, tool, NULL, NULL), 0);
	assert_int_equal(write(ends[1], &go, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return control(t);
}

/* To the state that trials begin in: attached, or not. */
static void settle(struct borrowing *p, bool attached)
{
	struct attach_result r;
	struct profile_error err = {""};
	bool was;

	/* a thread that makes its call alone is not there yet */
	for (long i = 0; attach_end(&p->order.target, &r, &was, &err) != 0; i++) {
		if (p->says->failures || i > WAIT_S * 10)
			fail_msg("cannot be left: %s; %s", err.text, p->says->text);
		usleep(i < 10 ? 1000 : 100000);
	}
	/* one that was late may have begun all the same */
	while (attached && attach_begin(&p->order, &r, &err) != 0 &&
	       !strstr(err.text, "is recorded already"))
		if (!borrowing_late(-1, &err))
			fail_msg("cannot be attached again: %s", err.text);
}

static long try(struct trial *t, const char *kind)
{
	unsigned long rounds;
	long steps = run_tool(t);
	char when[200];

	if (getenv("SCPROF_TEST_TELL"))
		print_message("%s %s %s step %ld of %ld: %d %s\n", kind, t->begin ? "begin" : "end",
			      what_texts[t->what], t->step, steps, told->status,
			      told->status ? told->err.text : "");

	snprintf(when, sizeof(when), "%s, %s: the tracer %s at step %ld of %ld, signal %d%s", kind,
		 t->begin ? "begin" : "end", what_texts[t->what], t->step, steps, t->set[0],
		 t->set[0] && t->set[1] ? "..." : "");
	if (t->set[0] == SIGSTOP) {
		sent[SIGCONT]++; /* handled whether it was stopped or not */
		kill(t->p->pid, SIGCONT);
	}
	await_all(t->p, when);
	if (t->p->says->failures || !all_came(t->p))
		print_error("%s\n", when);
	borrowing_check(t->p, kind);
	assert_true(all_came(t->p));
	rounds = t->p->says->rounds;
	while (strcmp(kind, "handlers_spin") == 0 && t->p->says->rounds == rounds &&
	       waitpid(t->p->pid, NULL, WNOHANG) == 0)
		nap();
	return steps;
}

static void start(struct borrowing *p, const char *kind)
{
	memset(sent, 0, sizeof(sent));
	borrowing_start(p, kind);
	while (!p->says->child)
		nap();
}

/* All steps of one set, `stride` apart. `anew`: in a program into which the library did not come
 * yet. */
static void all_steps(const char *kind, bool begin, bool anew, enum what what, const int *set,
		      long stride)
{
	struct borrowing p;
	struct trial t = {.p = &p, .begin = begin, .what = what, .set = set};
	long steps;

	start(&p, kind);
	do {
		if (anew && t.step > 0) {
			borrowing_stop(&p);
			start(&p, kind);
		} else if (!anew) {
			settle(&p, !begin);
		}
		steps = try(&t, kind);
		t.step += stride;
	} while (steps > t.step - stride);
	borrowing_stop(&p);
}

static bool all_wanted(void)
{
	return getenv("SCPROF_TEST_ALL") != NULL;
}

static const char *const kinds[] = {"handlers_suspend", "handlers_read", "handlers_spin",
				    "handlers_epoll"};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Killed before it has made the kernel restart epoll_wait, it leaves EINTR: not so the others. */
static bool is_told_apart(const char *kind, enum what what)
{
	return what == IS_KILLED && strcmp(kind, "handlers_epoll") == 0;
}

static void several_signals(bool begin)
{
	for (size_t k = 0; k < (begin || all_wanted() ? KINDS : 2); k++)
		for (enum what w = IS_LATE; w < WHATS; w++)
			if (!is_told_apart(kinds[k], w))
				all_steps(kinds[k], begin, false, w, sets[SEVERAL], 1);
}

static void a_tracer_may_be_late_or_killed_when_it_begins(void **state)
{
	(void)state;
	several_signals(true);
}

static void a_tracer_may_be_late_or_killed_when_it_ends(void **state)
{
	(void)state;
	several_signals(false);
}

static void each_signal_comes_once_as_it_was_sent(void **state)
{
	(void)state;
	for (size_t k = 0; k < (all_wanted() ? KINDS : 1); k++)
		for (size_t s = all_wanted() ? 0 : 1; s < SETS; s++)
			for (enum what w = GOES_ON; w < (all_wanted() ? WHATS : IS_KILLED); w++)
				if (!is_told_apart(kinds[k], w))
					all_steps(kinds[k], true, false, w, sets[s], 1);
}

static void a_first_tracer_may_be_late_or_killed(void **state)
{
	(void)state;
	for (size_t k = 0; k < (all_wanted() ? KINDS : 1); k++)
		for (enum what w = all_wanted() ? GOES_ON : IS_LATE; w < WHATS; w++)
			if (!is_told_apart(kinds[k], w))
				all_steps(kinds[k], true, true, w, sets[SEVERAL],
					  all_wanted() ? 1 : 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tracer_may_be_late_or_killed_when_it_begins),
		cmocka_unit_test(a_tracer_may_be_late_or_killed_when_it_ends),
		cmocka_unit_test(each_signal_comes_once_as_it_was_sent),
		cmocka_unit_test(a_first_tracer_may_be_late_or_killed),
	};

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 1;
#ifdef __x86_64__
	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	return 0;
#endif
}

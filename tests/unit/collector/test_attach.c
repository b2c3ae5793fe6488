// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread that was borrowed goes on as if nothing had been: its registers, its system call, its
 * signals. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/attach.h"
#include "collector/attach/attach_work.h"
#include "collector/attach/safe_point/threads.h"
#include "collector/attach/target/seccomp_filter.h"
#include "tests/unit/collector/borrowing.h"

/* Each begins and ends anew what the one before did: `make check-long` has more of them. */
#define CYCLES (getenv("LONG") ? 40 : 16)
#define KILLS  (getenv("LONG") ? 40 : 16)

static bool cycles(const struct borrowing *p, const char *kind)
{
	struct attach_result r;
	bool was;

	(void)kind;
	for (int i = 1; i <= CYCLES; i++) {
		if (!borrowing_begins(p, &r))
			return false;
		assert_int_equal(r.threads, 1);
		assert_true(r.stopped_ms > 0 && r.stopped_ms <= r.stopped_total_ms);
		if (!borrowing_ends(p, &r, &was))
			return false;
		assert_true(was);
		assert_int_equal(r.slots.put_back, i);
	}
	return true;
}

static void a_waiting_thread_is_not_woken(void **state)
{
	static const char *const kinds[] = {"epoll_ever",  "accept_ever", "read_ever",
					    "futex_ever",  "signal_ever", "semaphore_ever",
					    "select_ever", "ppoll_ever",  "constant_ever"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		borrowing_repeat(kinds[i], cycles);
}

/* The fourth argument of the system call that it waits in, as the kernel has it: awaited. */
static int wait_in(const struct borrowing *p, unsigned long call)
{
	unsigned long number = 0, argument = 0;
	bool waits = false;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)p->pid);
	while (!waits) {
		f = fopen(path, "r");
		assert_non_null(f);
		waits = fscanf(f, "%lu %*x %*x %*x %lx", &number, &argument) == 2 && number == call;
		fclose(f);
	}
	return (int)argument;
}

static bool begins_anew_once(const struct borrowing *p, const char *kind)
{
	struct attach_result r;
	struct profile_error err = {""};
	bool was;

	(void)kind;
	wait_in(p, SYS_recvfrom);
	if (!borrowing_begins(p, &r))
		return false;
	assert_int_equal(r.began_anew, p->pid);
	assert_int_equal(attach_end(&p->order.target, &r, &was, &err), -1);
	return strstr(err.text, "it waits with a time limit");
}

/* The kernel would begin the limit anew: once an hour at most, and it is told. */
static void a_limit_that_would_begin_anew_does_so_once(void **state)
{
	(void)state;
	borrowing_repeat("receive_ever", begins_anew_once);
}

static bool keeps_the_rest(const struct borrowing *p, const char *kind)
{
	struct attach_result r;
	int told = 0, limit, before = wait_in(p, SYS_epoll_wait);
	bool was;

	(void)kind;
	assert_int_equal(before, 3600000);
	for (int i = 0; i < 4; i++) {
		if (!borrowing_begins(p, &r))
			return false;
		told += r.began_anew != 0;
		usleep(5000);
		if (!borrowing_ends(p, &r, &was))
			return false;
		told += r.began_anew != 0;
		limit = wait_in(p, SYS_epoll_wait);
		assert_true(limit > 0 && limit < before);
		before = limit;
	}
	assert_int_equal(told, 1);
	return true;
}

/* Since when it waits is known from then on: it gets the rest. */
static void the_rest_of_a_limit_is_kept(void **state)
{
	(void)state;
	borrowing_repeat("epoll_long", keeps_the_rest);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* It is taken when it has begun to wait. On a machine that is so busy that nobody knows when it
 * began, it is told. */
static void a_limit_that_just_began_may(void **state)
{
	struct attach_result r;
	struct profile_error err = {""};
	struct borrowing p;
	int told = 0;
	bool was;

	(void)state;
	borrowing_start(&p, "epoll_timed");
	for (int i = 0; i < 40; i++) {
		int64_t began = now_ms();
		int status = i % 2 ? attach_end(&p.order.target, &r, &was, &err)
				   : attach_begin(&p.order, &r, &err);

		told += status == 0 && r.began_anew && now_ms() - began < 100;
	}
	assert_true(told <= 1);
	borrowing_check(&p, "epoll_timed");
	borrowing_stop(&p);
}

static void a_time_limit_stays(void **state)
{
	static const char *const kinds[] = {"sleep_short", "poll_timed", "futex_timed"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		borrowing_repeat(kinds[i], cycles);
}

static void registers_errno_and_signals_are_kept(void **state)
{
	static const char *const kinds[] = {"registers", "vectors", "matrices",
					    "errno",	 "signals", "traps"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		borrowing_repeat(kinds[i], cycles);
}

static bool ends_its_sleep(const struct borrowing *p, const char *kind)
{
	struct attach_result r;
	bool was;

	(void)kind;
	while (p->says->rounds < 2 && !p->says->failures)
		if (!borrowing_begins(p, &r) || !borrowing_ends(p, &r, &was))
			return false;
	return true;
}

/* Were it begun anew each time it would never end. */
static void a_sleep_goes_on_with_the_time_that_is_left(void **state)
{
	(void)state;
	borrowing_repeat("sleep_long", ends_its_sleep);
}

/* One attempt, whose tracer is killed after `us` microseconds. */
static void attempt_and_kill(const struct borrowing *p, bool begin, unsigned int us)
{
	struct attach_result r;
	struct profile_error err;
	char path[64];
	int tracer = 0;
	bool was;
	FILE *f;
	pid_t tool = fork();

	if (tool == 0) {
		if (begin)
			attach_begin(&p->order, &r, &err);
		else
			attach_end(&p->order.target, &r, &was, &err);
		_exit(0);
	}
	usleep(us);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)tool, (int)tool);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &tracer) == 1)
		kill(tracer, SIGKILL);
	if (f)
		fclose(f);
	waitpid(tool, NULL, 0);
}

static bool survives_tracers(const struct borrowing *p, const char *kind)
{
	struct attach_result r;
	struct profile_error err;
	unsigned long rounds;
	bool was;
	int status;

	for (int i = 0; i < KILLS && !p->says->failures; i++)
		attempt_and_kill(p, i % 2 == 0, (unsigned int)(random() % 3000));
	/* a thread that makes its call alone is not there yet */
	do {
		usleep(1000);
		status = attach_end(&p->order.target, &r, &was, &err);
	} while (status != 0 && strstr(err.text, "another scprof"));
	if (borrowing_late(status, &err) || !borrowing_begins(p, &r) ||
	    !borrowing_ends(p, &r, &was))
		return false;
	rounds = p->says->rounds;
	while (!strstr(kind, "_ever") && p->says->rounds == rounds && !p->says->failures)
		usleep(1000);
	return true;
}

/* Of calls that the kernel restarts: where it does not, a tracer that is killed within the few
 * microseconds before it has made it do so leaves EINTR. */
static void a_killed_tracer_leaves_all_as_it_was(void **state)
{
	static const char *const kinds[] = {"read_ever",  "futex_ever", "ppoll_ever", "sleep_short",
					    "poll_timed", "registers",	"vectors",    "matrices",
					    "errno",	  "signals"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		borrowing_repeat(kinds[i], survives_tracers);
}

/* Begin, or end, by a tool that is not late. */
static bool until_in_time(const struct borrowing *p, bool begin, bool *was)
{
	struct attach_result r;
	bool done = false;

	for (int i = 0; i < 8 && !done; i++)
		done = begin ? borrowing_begins(p, &r) : borrowing_ends(p, &r, was);
	return done;
}

static void expect_failure(const struct attach_order *o, const char *text)
{
	struct attach_result r;
	struct profile_error err = {""};

	do /* one that was late has not found it */
		assert_int_equal(attach_begin(o, &r, &err), -1);
	while (!strstr(err.text, text) && borrowing_late(-1, &err));
	if (!strstr(err.text, text))
		fail_msg("\"%s\" instead of \"%s\"", err.text, text);
}

static void what_fails_is_said_and_leaves_nothing(void **state)
{
	static const char *const refuse[] = {"REFUSE=1", NULL}, *const fault[] = {"FAULT=1", NULL};
	struct borrowing p;
	struct attach_order o;
	struct attach_result r;
	struct profile_error err;
	bool was = true;

	(void)state;
	borrowing_start(&p, "registers");
	assert_true(until_in_time(&p, false, &was));
	assert_false(was);
	o = p.order;
	o.library = "/nowhere/libscprof.so";
	expect_failure(&o, "/nowhere/libscprof.so: cannot open shared object file");
	o = p.order;
	o.variables = refuse;
	expect_failure(&o, "did not understand the order");
	o.variables = fault;
	expect_failure(&o, "signal 11");
	o = p.order;
	o.target.process_start++;
	expect_failure(&o, "has ended");
	assert_true(until_in_time(&p, true, &was));
	expect_failure(&p.order, "is recorded already");
	borrowing_check(&p, "registers");
	kill(p.pid, SIGSTOP);
	assert_int_equal(waitpid(p.pid, NULL, WUNTRACED), p.pid);
	assert_int_equal(attach_end(&p.order.target, &r, &was, &err), -1);
	assert_non_null(strstr(err.text, "kill -CONT"));
	kill(p.pid, SIGCONT);
	assert_true(until_in_time(&p, false, &was));
	borrowing_check(&p, "registers");
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	expect_failure(&p.order, "has ended");
	munmap(p.says, sizeof(struct borrowed));
}

/* Root's tracer has become the program's user by then, who may not read filters. */
static void filters_are_judged_before_a_call(void **state)
{
	bool readable = seccomp_filter_readable();
	struct borrowing p;
	bool was;

	(void)state;
	borrowing_start_as(&p, "filter_fine", geteuid() ? geteuid() : 65534);
	while (p.says->rounds < 1 && !p.says->failures)
		usleep(1000);
	if (!readable)
		expect_failure(&p.order, "seccomp filter cannot be read");
	else
		assert_true(until_in_time(&p, true, &was) && until_in_time(&p, false, &was));
	borrowing_check(&p, "filter_fine");
	borrowing_stop(&p);
	borrowing_start_as(&p, "filter_kills", geteuid() ? geteuid() : 65534);
	while (p.says->rounds < 1 && !p.says->failures)
		usleep(1000);
	expect_failure(&p.order, readable ? "its seccomp filter kills for openat"
					  : "seccomp filter cannot be read");
	borrowing_check(&p, "filter_kills");
	borrowing_stop(&p);
}

#define TRIES 20

static bool is_read_of_the_other(const struct borrowing *p)
{
	struct attach_filters f;
	struct profile_error err;
	unsigned long sleeps;

	while (!(sleeps = threads_epoll(p->pid, p->pid)))
		usleep(1000);
	int status = attach_filters_begin(&f, &p->order.target, &err);
	close(f.child);
	return status == 0 && f.seens == 1 && threads_epoll(p->pid, p->pid) == sleeps;
}

/* A time limit would begin anew, at each attach. Where the other thread is late to wait, or to
 * stop, this one is stopped: another time it is not. */
static void a_filter_is_read_where_a_stop_takes_nothing(void **state)
{
	struct borrowing p;
	int tries = 0;

	(void)state;
	if (!seccomp_filter_readable())
		skip();
	borrowing_start(&p, "filter_limit");
	while (!is_read_of_the_other(&p))
		assert_int_not_equal(++tries, TRIES);
	borrowing_check(&p, "filter_limit");
	borrowing_stop(&p);
}

/* The borrowed thread would wait for ever. What it was given for its call is gone, and it waits on
 * in its own. */
static void a_call_that_waits_for_the_loader_is_given_up(void **state)
{
	struct borrowing p;

	(void)state;
	setenv("CONSTRUCTOR", CONSTRUCTOR_WAITS, 1);
	borrowing_start(&p, "constructor");
	while (p.says->rounds < 1 && !p.says->failures)
		usleep(1000);
	expect_failure(&p.order, "another thread is inside dlopen");
	borrowing_check(&p, "constructor");
	borrowing_stop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waiting_thread_is_not_woken),
		cmocka_unit_test(a_limit_that_would_begin_anew_does_so_once),
		cmocka_unit_test(the_rest_of_a_limit_is_kept),
		cmocka_unit_test(a_limit_that_just_began_may),
		cmocka_unit_test(a_time_limit_stays),
		cmocka_unit_test(registers_errno_and_signals_are_kept),
		cmocka_unit_test(a_sleep_goes_on_with_the_time_that_is_left),
		cmocka_unit_test(a_killed_tracer_leaves_all_as_it_was),
		cmocka_unit_test(what_fails_is_said_and_leaves_nothing),
		cmocka_unit_test(filters_are_judged_before_a_call),
		cmocka_unit_test(a_filter_is_read_where_a_stop_takes_nothing),
		cmocka_unit_test(a_call_that_waits_for_the_loader_is_given_up),
	};

#ifdef __x86_64__
	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	(void)tests;
	return 0;
#endif
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Whatever becomes of the process that stops a thread, the thread goes on. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/attach/attach.h"

static struct shared {
	volatile unsigned long turns, before, after;
	volatile int looked;
	double held_ms;
} * shared;

static pid_t target(void)
{
	pid_t pid = fork();

	while (!pid)
		shared->turns++;
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void goes_on(void)
{
	unsigned long turns = shared->turns;

	while (shared->turns == turns) /* for ever: the suite's limit says so */
		usleep(1000);
}

static void look(void *context)
{
	(void)context;
	shared->before = shared->turns;
	usleep(20000);
	shared->after = shared->turns;
	shared->looked++;
}

static void be_killed(void *context)
{
	look(context);
	kill(getpid(), SIGKILL);
}

/* A busy machine may need several attempts to stop it in time. */
static void sample(pid_t pid, void (*how)(void *))
{
	shared->looked = 0;
	while (!shared->looked)
		attach_sample(pid, how, NULL, &shared->held_ms);
}

static void test_it_stands_still_and_goes_on(void **state)
{
	pid_t pid = target();

	(void)state;
	goes_on();
	shared->held_ms = 0;
	sample(pid, look);
	assert_int_equal(shared->before, shared->after);
	assert_true(shared->held_ms >= 20);
	goes_on();
	end(pid);
}

static void test_it_goes_on_where_the_tracer_is_killed(void **state)
{
	pid_t pid = target();

	(void)state;
	goes_on();
	sample(pid, be_killed);
	assert_int_equal(shared->before, shared->after);
	goes_on();
	end(pid);
}

static void test_nobody_is_no_failure(void **state)
{
	pid_t pid = target();

	(void)state;
	end(pid);
	shared->looked = 0;
	attach_sample(pid, look, NULL, &shared->held_ms);
	assert_int_equal(shared->looked, 0);
}

static void never_ends(void *context)
{
	look(context);
	for (;;)
		pause();
}

/* Its memory may be such that reading it never ends. */
static void test_it_goes_on_where_the_tool_is_killed(void **state)
{
	pid_t pid = target(), tool = -1;

	(void)state;
	shared->looked = 0;
	while (!shared->looked) { /* it may have had no CPU to stop on */
		tool = fork();
		if (!tool) {
			attach_sample(pid, never_ends, NULL, &shared->held_ms);
			_exit(0);
		}
		while (!shared->looked && !waitpid(tool, NULL, WNOHANG))
			usleep(1000);
	}
	end(tool);
	goes_on();
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_stands_still_and_goes_on),
		cmocka_unit_test(test_it_goes_on_where_the_tracer_is_killed),
		cmocka_unit_test(test_it_goes_on_where_the_tool_is_killed),
		cmocka_unit_test(test_nobody_is_no_failure),
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return shared == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}

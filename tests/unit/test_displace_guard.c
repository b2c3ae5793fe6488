// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid's control group when a signal ends its maker. Skipped where this process may make no
 * control group of v1. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fluid_group.h"

static void *join_and_stay(void *group)
{
	fluid_group_join(group, gettid());
	for (;;)
		pause();
	return NULL;
}

/* Of a process whose thread is in its group; a child of it, in between, must not touch that. The
 * status tells what went wrong; 77: no group can be had here. */
static void be_ended_with_a_group(int signal_number, int told)
{
	struct fluid_group g;
	pthread_t thread;
	char tasks[300];
	struct stat st;
	int status;

	signal(signal_number, SIG_DFL);
	if (fluid_group_make(&g))
		_exit(77);
	if (write(told, g.path, sizeof(g.path)) < 0 ||
	    pthread_create(&thread, NULL, join_and_stay, &g))
		_exit(1);
	pid_t child = fork();
	if (!child) {
		raise(signal_number);
		_exit(2);
	}
	waitpid(child, &status, 0);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != signal_number || stat(g.path, &st))
		_exit(3);
	snprintf(tasks, sizeof(tasks), "%s/tasks", g.path);
	for (int i = 0; i < 2000; i++) {
		char text[32];
		int file = open(tasks, O_RDONLY);
		ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text));

		close(file);
		if (length > 0)
			break; /* the thread has joined */
		usleep(1000);
	}
	raise(signal_number);
	_exit(4);
}

static void test_a_signal_that_ends_us_leaves_no_group(void **state)
{
	static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		char path[256] = "";
		int told[2], status;

		assert_int_equal(pipe(told), 0);
		pid_t pid = fork();
		if (!pid)
			be_ended_with_a_group(ending[i], told[1]);
		close(told[1]);
		assert_true(read(told[0], path, sizeof(path)) >= 0);
		close(told[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skip();
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), ending[i]);
		assert_int_equal(access(path, F_OK), -1);
	}
}

/* Afterwards a signal is again what it was, and one that was ignored always is. */
static void test_signals_are_guarded_for_as_long_as_there_is_a_group(void **state)
{
	struct sigaction before, now;
	struct fluid_group g;

	(void)state;
	signal(SIGHUP, SIG_IGN);
	sigaction(SIGTERM, NULL, &before);
	if (fluid_group_make(&g))
		skip();
	sigaction(SIGTERM, NULL, &now);
	assert_true(now.sa_handler != before.sa_handler);
	sigaction(SIGHUP, NULL, &now);
	assert_true(now.sa_handler == SIG_IGN);
	fluid_group_remove(&g);
	sigaction(SIGTERM, NULL, &now);
	assert_true(now.sa_handler == before.sa_handler);
	sigaction(SIGHUP, NULL, &now);
	assert_true(now.sa_handler == SIG_IGN);
	signal(SIGHUP, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_signal_that_ends_us_leaves_no_group),
		cmocka_unit_test(test_signals_are_guarded_for_as_long_as_there_is_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

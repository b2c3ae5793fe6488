// SPDX-License-Identifier: GPL-3.0-or-later
/* The fluid's control group when a signal ends its maker, SIGKILL too. Skipped where this process
 * may make no control group of v1. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/displacement/fluid/fluid_group.h"

static void *join_and_stay(void *group)
{
	fluid_group_join(group, gettid());
	for (;;)
		pause();
	return NULL;
}

/* Of a process whose thread is in its group; a child of it, in between, must not touch that. The
 * status says what went wrong; 77: no group can be made here. */
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

/* Such a process, ended. The pipe ends with it: nobody it leaves behind has it. */
static void end_one_with_a_group(int signal_number, char *path, size_t size)
{
	int told[2], status;
	char more;

	assert_int_equal(pipe(told), 0);
	pid_t pid = fork();
	if (!pid)
		be_ended_with_a_group(signal_number, told[1]);
	close(told[1]);
	assert_true(read(told[0], path, size) >= 0);
	assert_int_equal(read(told[0], &more, 1), 0);
	close(told[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal_number);
}

/* By a child, which learns of it a little later: for a minute at most. */
static void test_a_signal_that_ends_us_leaves_no_group(void **state)
{
	static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGKILL};

	(void)state;
	for (size_t s = 0; s < sizeof(ending) / sizeof(*ending); s++) {
		char path[256] = "";

		end_one_with_a_group(ending[s], path, sizeof(path));
		for (int i = 0; i < 60000 && !access(path, F_OK); i++)
			usleep(1000);
		assert_int_equal(access(path, F_OK), -1);
	}
}

static bool has_child(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
}

static void test_the_child_that_waits_for_it_ends_with_the_group(void **state)
{
	struct fluid_group g;

	(void)state;
	assert_false(has_child());
	if (fluid_group_make(&g))
		skip();
	assert_true(has_child());
	fluid_group_remove(&g);
	assert_false(has_child());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_signal_that_ends_us_leaves_no_group),
		cmocka_unit_test(test_the_child_that_waits_for_it_ends_with_the_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread may end, and its number become another process's, before it is traced. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

#ifdef __x86_64__

static int looks; /* at the thread: at the first one it is still there */

static const char *look(pid_t pid, pid_t tid, char text[PROC_STAT_BYTES])
{
	return looks++ ? proc_stat_read(pid, tid, text) : strcpy(text, "S 1");
}

#define proc_stat_read look
#include "collector/attach/remote/remote_stop.c"

static void wake_up(int signal)
{
	(void)signal;
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	for (; !pid; pause())
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static struct remote *opened(void)
{
	struct attach_target target = {.pid = sleeper()};
	struct remote *r = calloc(1, sizeof(*r));
	struct profile_error err;

	assert_true(target.pid > 0 && r);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = wake_up}, NULL);
	target.process_start = run_files_process_start(target.pid, NULL);
	assert_int_equal(remote_open(r, &target, &err), 0);
	return r;
}

/* The process has others that may be had. */
static void expect_passed(struct remote *r, pid_t tid)
{
	struct profile_error err;
	const char *why;

	looks = 0;
	assert_int_equal(remote_stop(r, tid, 1000, &why, &err), REMOTE_PASSED);
	assert_int_equal(r->tid, 0);
	remote_close(r, 60000);
	assert_int_equal(proc_status_number(tid, "TracerPid", 10, 1), 0);
	kill(r->target.pid, SIGKILL);
	kill(tid, SIGKILL);
	while (wait(NULL) > 0)
		;
	free(r);
}

static void another_process_s_thread_is_let_go(void **state)
{
	struct remote *r = opened();

	(void)state;
	expect_passed(r, sleeper());
}

static void one_that_has_ended_is_passed(void **state)
{
	struct remote *r = opened();
	siginfo_t info;

	(void)state;
	kill(r->target.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)r->target.pid, &info, WEXITED | WNOWAIT), 0);
	expect_passed(r, r->target.pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(another_process_s_thread_is_let_go),
					   cmocka_unit_test(one_that_has_ended_is_passed)};

	return cmocka_run_group_tests_name("stops of a thread", tests, NULL, NULL);
}

#else
int main(void)
{
	return 0;
}
#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* A process whose exec no record told of, because records were lost: its samples count all the
 * same. One that is still a fork of ours is not the program. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/sample/sample_private.h"

/* It has said that it runs when this returns: as itself, or as a shell. */
static pid_t start(bool shell)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDOUT_FILENO);
		if (shell)
			execlp("sh", "sh", "-c", "echo; kill -STOP $$", NULL);
		while (write(STDOUT_FILENO, "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_a_lost_exec_is_seen(void **state)
{
	struct sample_spaces s = {0};
	pid_t pid = start(true);

	(void)state;
	assert_true(space_add(&s, pid, false, 1000));
	assert_false(s.life[space_find(&s, pid)].counts);
	space_catch_up(&s);
	const struct sample_life *l = &s.life[space_find(&s, pid)];

	assert_true(l->counts);
	assert_true(l->maps > 0);
	assert_int_equal(l->from_ns, 1000);
	space_catch_up(&s); /* nothing is new */
	assert_int_equal(s.lives, 2);
	end(pid);
	space_free(&s);
}

static void test_a_fork_of_ours_is_not_the_program(void **state)
{
	struct sample_spaces s = {0};
	pid_t pid = start(false);

	(void)state;
	assert_true(space_add(&s, pid, false, 1000));
	space_catch_up(&s);
	assert_false(s.life[space_find(&s, pid)].counts);
	end(pid);
	space_catch_up(&s); /* what has gone harms nobody */
	assert_int_equal(s.lives, 1);
	space_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lost_exec_is_seen),
		cmocka_unit_test(test_a_fork_of_ours_is_not_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

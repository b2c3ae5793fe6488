// SPDX-License-Identifier: GPL-3.0-or-later
/* A process whose exec no record told of, because records were lost: its samples count all the
 * same. One that is still a fork of ours is not the program. A number is a process's for as long as
 * that is there, and is another one in its own namespace. What the kernel charged them is theirs
 * and their children's. */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

/* The kernel tells of its end where its first thread ends. */
static void test_a_process_stays_while_it_is_there(void **state)
{
	const uint64_t second = 1000000000;
	struct sample_spaces s = {0};
	pid_t pid = start(false);

	(void)state;
	assert_true(space_add(&s, pid, true, 1000));
	space_end(&s, pid, 2000);
	space_purge(&s, 5 * second);
	space_purge(&s, 10 * second);
	assert_int_not_equal(space_find(&s, pid), SAMPLE_NONE);
	end(pid);
	space_purge(&s, 10 * second + 1); /* its last samples may be on their way */
	assert_int_not_equal(space_find(&s, pid), SAMPLE_NONE);
	space_purge(&s, 15 * second);
	assert_int_equal(space_find(&s, pid), SAMPLE_NONE);
	space_free(&s);
}

static void test_a_number_that_a_stranger_has_now_is_forgotten(void **state)
{
	const pid_t stranger = 77, number = 78;
	struct sample_spaces s = {0};

	(void)state;
	assert_true(space_add(&s, number, false, 1000));
	space_fork(&s, stranger, number, 2000);
	assert_int_equal(space_find(&s, number), SAMPLE_NONE);
	assert_int_equal(s.life[0].to_ns, 2000);
	space_free(&s);
}

static uint64_t used_ns(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return UINT64_C(1000000000) * (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       UINT64_C(1000) * (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void test_what_was_charged_is_of_processes_and_their_children(void **state)
{
	const uint64_t much_ns = 100000000, tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	struct sample_spaces s = {0};
	pid_t child = fork();

	(void)state;
	while (used_ns(RUSAGE_SELF) < much_ns) /* each uses as much */
		;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	assert_true(space_add(&s, getpid(), true, 1000));
	uint64_t least_ns = used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN);
	uint64_t all_ns = space_charged_ns(&s, false);
	uint64_t user_ns = space_charged_ns(&s, true);
	uint64_t most_ns = used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN);

	assert_true(least_ns >= 2 * much_ns);
	assert_in_range(all_ns, least_ns - 4 * tick_ns, most_ns);
	assert_true(user_ns > 0 && user_ns <= most_ns);
	s.life[space_find(&s, getpid())].counts = false;
	assert_int_equal(space_charged_ns(&s, false), 0);
	space_free(&s);
}

/* Its file names it by the number 1. */
static void test_a_process_is_known_by_its_number_in_its_namespace(void **state)
{
	static struct sample_path path = {.kind = SCP_SAMPLE_COMPUTING};
	const struct prof_sampling how = {.period_ns = 1000};
	pid_t inside = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	struct sample_spaces s = {0};
	struct sample_counts c = {0};
	struct profile *p = profile_new();

	(void)state;
	if (!inside)
		for (;;)
			pause();
	if (inside < 0)
		skip();
	assert_true(space_add(&s, inside, true, 2000)); /* attached to before that */
	assert_non_null(space_read(&s, 0));
	uint32_t found = space_find_inner(&s, 1);

	end(inside);
	assert_int_equal(found, 0);
	assert_true(counts_add(&c, 0, &path));
	assert_int_equal(samples_process(p, (uint32_t)getpid(), 1000), 0);
	assert_int_equal(samples_process(p, 1, 1000), 0);
	assert_int_equal(samples_process(p, 1, 1000), 0);
	p->process[2].attached.pid = (uint32_t)getpid(); /* in another namespace */
	assert_int_equal(save_into(&s, &c, &how, p), 0);
	assert_int_equal(p->samples, 1);
	assert_int_equal(p->sample[0].process, 1);
	profile_free(p);
	counts_free(&c);
	space_free(&s);
}

/* Its maps have the name that the file has here. */
static void test_a_file_is_called_as_below_the_root_of_the_process(void **state)
{
	struct sample_spaces s = {0};
	bool below = true;
	int status = 0;

	(void)state;
	if (geteuid())
		skip();
	pid_t pid = fork();

	if (!pid)
		_exit(chroot("/usr") || raise(SIGSTOP));
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	assert_true(space_add(&s, pid, true, 1000));
	end(pid);
	for (uint32_t i = 0; i < s.images.count; i++)
		below = below && strncmp(s.images.image[i].path, "/usr/", 5);
	assert_true(s.images.count > 1 && below);
	space_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lost_exec_is_seen),
		cmocka_unit_test(test_a_fork_of_ours_is_not_the_program),
		cmocka_unit_test(test_a_process_stays_while_it_is_there),
		cmocka_unit_test(test_a_number_that_a_stranger_has_now_is_forgotten),
		cmocka_unit_test(test_a_process_is_known_by_its_number_in_its_namespace),
		cmocka_unit_test(test_a_file_is_called_as_below_the_root_of_the_process),
		cmocka_unit_test(test_what_was_charged_is_of_processes_and_their_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

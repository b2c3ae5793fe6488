// SPDX-License-Identifier: GPL-3.0-or-later
/* Children may end at any time after they were found. */
#include <setjmp.h>
#include <stdarg.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/attach/attach_targets.h"
#include "profile/live/run_files.h"

static void know(struct attach_one *one, pid_t pid)
{
	one->facts.target = (struct attach_target){
		.pid = pid, .process_start = run_files_process_start(pid, NULL)};
	one->facts.uid = getuid();
	one->facts.gid = getgid();
	assert_true(one->facts.target.process_start > 0);
}

static void ended_child(struct attach_one *one)
{
	int held[2];
	char none;

	assert_int_equal(pipe(held), 0);
	pid_t child = fork();

	if (!child) {
		close(held[1]);
		_exit(read(held[0], &none, 1) != 0);
	}
	assert_true(child > 0);
	close(held[0]);
	know(one, child);
	close(held[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static int make(struct attach_targets *t)
{
	struct attach_place place;
	int failed = attach_place_make(&place, t, NULL, "libscprof.so", ".");

	if (!failed) {
		run_directory_remove(&place.directory);
		attach_place_leave(&place);
	}
	return failed;
}

static void a_child_that_has_ended_is_passed_over(void **state)
{
	struct attach_one one[2] = {0};
	struct attach_targets t = {.one = one, .count = 2, .asked = 1};

	(void)state;
	know(&one[0], getpid());
	ended_child(&one[1]);
	assert_true(attach_targets_child_ended(&t, 1));
	assert_false(attach_targets_child_ended(&t, 0));
	assert_int_equal(make(&t), 0);
}

static void one_that_was_asked_for_is_not(void **state)
{
	struct attach_one one[2] = {0};
	struct attach_targets t = {.one = one, .count = 2, .asked = 2};

	(void)state;
	know(&one[0], getpid());
	ended_child(&one[1]);
	assert_int_equal(make(&t), -1);
}

/* Its parent may wait for it later. */
static void a_zombie_is_said_to_have_ended(void **state)
{
	struct attach_one one = {0};
	struct attach_targets t = {.one = &one, .count = 1, .asked = 1};
	int before = dup(STDERR_FILENO), said = memfd_create("said", 0);
	pid_t child = fork();
	char text[512] = "";

	(void)state;
	assert_true(before >= 0 && said >= 0);
	for (; !child; pause())
		;
	know(&one, child);
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	dup2(said, STDERR_FILENO);
	int made = make(&t);
	dup2(before, STDERR_FILENO);
	assert_int_equal(made, -1);
	assert_true(pread(said, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, "has ended"));
	waitpid(child, NULL, 0);
	close(before);
	close(said);
}

/* As one that is ending has, a moment before it is a zombie; threads of the kernel never had any.
 */
static void one_without_memory_has_ended(void **state)
{
	char letter = 0;
	FILE *comm = fopen("/proc/2/comm", "re");
	char name[16] = "";

	(void)state;
	assert_true(run_files_process_start(getpid(), &letter) > 0);
	assert_int_equal(letter, 'R');
	if (comm && !fgets(name, sizeof(name), comm))
		*name = '\0';
	if (comm)
		fclose(comm);
	if (strcmp(name, "kthreadd\n") != 0)
		skip(); /* other processes' namespace */
	assert_true(run_files_process_start(2, &letter) > 0);
	assert_int_equal(letter, 'X');
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_child_that_has_ended_is_passed_over),
					   cmocka_unit_test(one_that_was_asked_for_is_not),
					   cmocka_unit_test(a_zombie_is_said_to_have_ended),
					   cmocka_unit_test(one_without_memory_has_ended)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

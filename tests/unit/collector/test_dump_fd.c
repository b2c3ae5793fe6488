// SPDX-License-Identifier: GPL-3.0-or-later
/* What other processes have open is theirs to choose, and costs the same whatever they choose. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/syscall.h>

#include "profile/base/kernel_file.h"

static const char *each_link = "pipe:[7]"; /* what each descriptor is */
static size_t compared, looked, opened;
static int processes, descriptors; /* of each process, all of one pipe */
static int at_process, at_descriptor;

static int compare(const char *a, const char *b)
{
	compared++;
	return strcmp(a, b);
}

static DIR *open_folder(const char *path, ...)
{
	int *at = strcmp(path, "/proc") ? &at_descriptor : &at_process;

	*at = 0;
	return (DIR *)(void *)at;
}

static int next_in(DIR **folder)
{
	int *at = (int *)(void *)*folder;

	if (++*at <= (at == &at_process ? processes : descriptors))
		return *at;
	*folder = NULL;
	return -1;
}

static void leave(DIR **folder)
{
	*folder = NULL;
}

static int read_link(char *to, size_t size, const char *path, ...)
{
	(void)path;
	looked++;
	return snprintf(to, size, "%s", each_link) < 0;
}

static FILE *open_file(const char *path, ...)
{
	static char text[] = "pos:\t0\ntfd: 5\ntfd: 6\n";

	(void)path;
	opened++;
	return fmemopen(text, strlen(text), "r");
}

#define strcmp		   compare
#define kernel_file_folder open_folder
#define kernel_file_next   next_in
#define kernel_file_leave  leave
#define kernel_file_link   read_link
#define kernel_file_open   open_file
#include "collector/dump/dump_fd.c"

#define THREADS 1024u

/* Threads that wait for one pipe, and that is not the other processes'. */
static const char *name_those_of(const char *link)
{
	static struct dump_thread thread[THREADS];
	struct dump d = {.thread = thread, .threads = THREADS};

	compared = looked = 0;
	for (size_t i = 0; i < THREADS; i++)
		strcpy(thread[i].fd.what, link);
	dump_fd_name(&d);
	for (size_t i = 0; i < THREADS; i++)
		assert_string_equal(thread[i].fd.what, thread[0].fd.what);
	assert_null(strstr(thread[0].fd.what, link));
	return thread[0].fd.what;
}

static void a_descriptor_costs_the_same_however_many_threads_wait_for_it(void **state)
{
	(void)state;
	processes = 1;
	descriptors = 10000;
	name_those_of("pipe:[7]");
	assert_int_equal(looked, 10000);
	assert_true(compared < 12 * (THREADS + looked));
}

static void of_all_processes_a_million_descriptors_are_looked_at(void **state)
{
	(void)state;
	processes = 100;
	descriptors = 1000000;
	assert_string_equal(name_those_of("pipe:[8]"),
			    "a pipe that none of the processes looked at has");
	assert_true(looked <= 1u << 20);
	processes = descriptors = 1;
	assert_string_equal(name_those_of("pipe:[8]"),
			    "a pipe that no other process that can be seen has");
}

static void what_an_epoll_watches_is_counted_once(void **state)
{
	static struct dump_thread thread[THREADS];
	struct dump d = {.thread = thread, .threads = THREADS};

	(void)state;
	each_link = "anon_inode:[eventpoll]";
	for (size_t i = 0; i < THREADS; i++) {
		thread[i] = (struct dump_thread){.call = SYS_epoll_pwait, .argument = {i % 2}};
		dump_fd_find(&d, &thread[i]);
	}
	dump_fd_name(&d);
	assert_int_equal(opened, 2);
	for (size_t i = 0; i < THREADS; i++)
		assert_string_equal(thread[i].fd.what, "2 descriptors");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_descriptor_costs_the_same_however_many_threads_wait_for_it),
		cmocka_unit_test(of_all_processes_a_million_descriptors_are_looked_at),
		cmocka_unit_test(what_an_epoll_watches_is_counted_once),
	};

	return cmocka_run_group_tests_name("descriptors of a dump", tests, NULL, NULL);
}

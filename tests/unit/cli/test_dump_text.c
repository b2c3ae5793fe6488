// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the threads' time went, behind a report of calls that did not end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profile/profile.h"

static size_t compared;

static int compare(const char *a, const char *b)
{
	compared++;
	return strcmp(a, b);
}

#define strcmp compare
#include "cli/attach/dump_text.c"

/* This process's time since `before` as that of a recording of a millisecond. */
static char *after(const struct dump_times *before)
{
	struct dump_thread thread = {.tid = getpid(), .state = 'S', .for_s = 1};
	struct dump d = {.pid = getpid(), .thread = &thread, .threads = 1, .names = profile_new()};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_true(d.names && out);
	dump_text_after(&d, before, 0.001, false, out);
	fclose(out);
	profile_free(d.names);
	return text;
}

static void burn(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

/* Attaching and reporting take time besides, in which threads run, too. */
static void shares_are_of_the_time_between_the_counts(void **state)
{
	struct dump_times before = dump_times(getpid());
	char *text;

	(void)state;
	assert_int_equal(before.threads, 1);
	burn(0.05);
	usleep(100000);
	text = after(&before);
	assert_non_null(strstr(text, "of the threads' time on CPU"));
	if (strstr(text, "  100.0 % of the threads' time on CPU") || strstr(text, " 0.0 % asleep"))
		fail_msg("it slept for most of the time: %s", text);
	free(text);
}

/* So many threads that read from a socket each, and one from a pipe. */
static char *verdict_on(size_t sockets)
{
	struct dump_thread thread[10] = {0};
	struct dump d = {.thread = thread, .threads = sockets + 1, .names = profile_new()};
	struct dump_text text;
	char *verdict;

	assert_true(d.names && sockets < 10);
	for (size_t i = 0; i <= sockets; i++) {
		struct dump_thread *t = &thread[i];

		*t = (struct dump_thread){
			.tid = (pid_t)i + 1, .state = 'S', .fd = {.number = (int)i}};
		snprintf(t->fd.kind, sizeof(t->fd.kind), i < sockets ? "socket" : "pipe");
		snprintf(t->fd.what, sizeof(t->fd.what), "end %zu", i);
	}
	assert_true(dump_text_begin(&text, &d, 0));
	verdict = strdup(text.verdict);
	dump_text_end(&text);
	profile_free(d.names);
	return verdict;
}

static void many_threads_with_a_socket_each_are_told_of_together(void **state)
{
	char *few = verdict_on(3), *many = verdict_on(8);

	(void)state;
	assert_string_equal(few, "4 threads: 1 waits in read on end 0, 1 in read on end 1, "
				 "1 in read on end 2, 1 in read on end 3");
	assert_string_equal(many, "9 threads: 8 wait in read on end 0 and others, "
				  "1 in read on end 8");
	free(few);
	free(many);
}

/* The thread that attach borrowed waits since a moment later, and one for half of the time. */
static void a_thread_that_was_borrowed_waits_all_the_while(void **state)
{
	struct dump_thread thread[] = {
		{.tid = 1, .state = 'S', .for_s = 9.2, .fd.number = -1},
		{.tid = 2, .state = 'S', .for_s = 12, .fd.number = -1},
		{.tid = 3, .state = 'S', .for_s = 5, .fd.number = -1},
	};
	struct dump d = {.thread = thread, .threads = 3, .names = profile_new()};
	struct dump_text text;

	(void)state;
	assert_non_null(d.names);
	assert_true(dump_text_begin(&text, &d, 10));
	assert_memory_equal(text.verdict, "2 threads: ", 11);
	dump_text_end(&text);
	profile_free(d.names);
}

/* Each thread is compared with one of its like, not with all of them. */
static void threads_of_one_descriptor_take_time_in_proportion(void **state)
{
	enum { THREADS = 1000 };
	static struct dump_thread thread[THREADS];
	struct dump d = {.thread = thread, .threads = THREADS, .names = profile_new()};
	struct dump_text text;

	(void)state;
	assert_non_null(d.names);
	for (size_t i = 0; i < THREADS; i++)
		thread[i] = (struct dump_thread){
			.tid = (pid_t)i + 1, .state = 'S', .fd = {.kind = "pipe", .what = "it"}};
	compared = 0;
	assert_true(dump_text_begin(&text, &d, 0));
	assert_true(compared < 8 * THREADS);
	dump_text_end(&text);
	profile_free(d.names);
}

/* Each waits for the lock that the next one holds, and the last one for the first one's. */
static void a_deadlock_of_many_threads_is_told_of_each(void **state)
{
	enum { THREADS = 5000 };
	static struct dump_thread thread[THREADS];
	struct dump d = {.thread = thread, .threads = THREADS, .names = profile_new()};
	struct dump_text text;

	(void)state;
	assert_non_null(d.names);
	for (size_t i = 0; i < THREADS; i++)
		thread[i] = (struct dump_thread){.tid = (pid_t)i + 1,
						 .state = 'S',
						 .futex = 8 * (i + 1),
						 .owner = &thread[(i + 1) % THREADS],
						 .fd = {.number = -1}};
	assert_true(dump_text_begin(&text, &d, 0));
	for (size_t i = 0; i < THREADS; i++)
		assert_non_null(strstr(text.doing[i], " holds: a deadlock"));
	dump_text_end(&text);
	profile_free(d.names);
}

/* Of what a thread does whose innermost frame has no name, and which has called that. */
static char *doing(struct prof_frame entered)
{
	struct prof_frame nameless = {.offset = 8, .module = PROF_NO_MODULE};
	struct dump_thread thread = {.tid = 1,
				     .state = 'S',
				     .futex = 8,
				     .waiters = 1,
				     .frame = &nameless,
				     .frames = 1,
				     .entered = entered};
	struct dump d = {.thread = &thread, .threads = 1, .names = profile_new()};
	struct dump_text text;
	Dl_info info;

	assert_true(d.names && dladdr((void *)sem_wait, &info));
	assert_int_equal(intern_module(d.names, info.dli_fname, NULL, 0), 0);
	assert_true(dump_text_begin(&text, &d, 0));
	char *words = strdup(text.doing[0]);

	dump_text_end(&text);
	profile_free(d.names);
	return words;
}

static void a_libc_without_names_tells_by_what_was_called(void **state)
{
	Dl_info info;

	(void)state;
	assert_true(dladdr((void *)sem_wait, &info));
	struct prof_frame entered = {
		.offset = (uint64_t)((uintptr_t)sem_wait - (uintptr_t)info.dli_fbase),
		.exact = true};
	char *known = doing(entered);

	entered.module = PROF_NO_MODULE;
	char *unknown = doing(entered);

	assert_string_equal(known, "waits for a semaphore");
	assert_string_equal(unknown, "waits for a futex");
	free(known);
	free(unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_of_the_time_between_the_counts),
		cmocka_unit_test(many_threads_with_a_socket_each_are_told_of_together),
		cmocka_unit_test(a_thread_that_was_borrowed_waits_all_the_while),
		cmocka_unit_test(threads_of_one_descriptor_take_time_in_proportion),
		cmocka_unit_test(a_deadlock_of_many_threads_is_told_of_each),
		cmocka_unit_test(a_libc_without_names_tells_by_what_was_called),
	};

	return cmocka_run_group_tests_name("dump in words", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The slowest calls of tables, files and merged files as one list; and while a writer is
 * at it: every call there moves a third of its units in bytes, so that a record which is
 * of two calls shows.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

/* One table with an entry, and a call of each of `units`. */
static const char *file_of(const char *name, struct scp_slowest_asked asked, const uint64_t *units,
			   uint32_t count)
{
	const char *path = scp_build_name(name);
	const uint64_t frame = SCP_FRAME(0, 0, 0x1000);
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_header(&b)->slowest = asked;
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "worker");
	scp_build_path(&b, 1, &frame, 1);
	scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED);
	scp_build_close_chunk(&b);
	for (uint32_t i = 0; i < count; i++) {
		if (i % 31 == 0)
			scp_build_open_optional(&b, SCP_OPTIONAL_SLOWEST, 1);
		scp_build_slowest(&b, i + 1, 1, units[i]);
		if (i % 31 == 30 || i == count - 1)
			scp_build_close_chunk(&b);
	}
	scp_build_finish(&b);
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

static void expect_units(const struct profile *p, const uint64_t *units, uint32_t count)
{
	assert_int_equal(p->slowests, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(p->slowest[i].units, units[i]);
}

static void test_the_longest_of_all_tables_come_first(void **state)
{
	const char *path = scp_build_name("sample.scp");
	static const uint64_t expected[] = {101, 100};
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	/* 500 was being written over, 89 is the one too many and below the threshold */
	expect_units(p, expected, 2);
	assert_int_equal(p->slowest[0].tid, 4712);
	assert_int_equal(p->entry[p->slowest[0].entry].table, 1);
	assert_int_equal(p->entry[p->slowest[1].entry].table, 0);
	assert_int_equal(p->slowest[1].pid, 4711);
	assert_string_equal(p->slowest[1].name, "reader");
	profile_free(p);
}

static void test_more_than_asked_are_cut_at_the_short_end(void **state)
{
	static const uint64_t units[] = {7, 9, 8, 3}, expected[] = {9, 8, 7};
	const char *path = file_of("cut.scp", (struct scp_slowest_asked){.count = 3}, units, 4);
	struct profile *p = model_open(&path, 1);

	(void)state;
	expect_units(p, expected, 3);
	profile_free(p);
}

static void test_below_the_threshold_none_are_kept(void **state)
{
	static const uint64_t units[] = {7, 9, 8, 3}, expected[] = {9, 8};
	struct scp_slowest_asked asked = {.count = 10, .least_ns = 8};
	const char *path = file_of("least.scp", asked, units, 4);
	struct profile *p = model_open(&path, 1);

	(void)state;
	expect_units(p, expected, 2);
	profile_free(p);
}

static void test_files_are_joined(void **state)
{
	static const uint64_t one[] = {7, 90, 8, 3}, two[] = {80, 5, 4}, expected[] = {90, 80, 8};
	const char *paths[2];
	struct profile *p;

	(void)state;
	paths[0] = file_of("one.scp", (struct scp_slowest_asked){.count = 3}, one, 4);
	paths[1] = file_of("two.scp", (struct scp_slowest_asked){.count = 3, .lost = 2}, two, 3);
	p = model_open(paths, 2);
	expect_units(p, expected, 3);
	assert_int_equal(p->slowest_asked.flags, 0);
	assert_int_equal(p->slowest_asked.lost, 2);
	profile_free(p);
}

static void test_files_recorded_differently_are_marked(void **state)
{
	static const uint64_t units[] = {7, 9};
	const struct scp_slowest_asked asked[] = {{.count = 3}, {.count = 2}, {0}, {3, 0, 1, 0}};
	const char *paths[2];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct profile *p;

		paths[0] = file_of("mixed-0.scp", asked[0], units, 2);
		paths[1] = file_of("mixed-1.scp", asked[i], units, 2);
		p = model_open(paths, 2);
		assert_int_equal(p->slowest_asked.flags, i ? SCP_SLOWEST_MIXED : 0);
		assert_int_equal(p->slowest_asked.count, 3);
		profile_free(p);
	}
}

/* 100 calls need four chunks. */
static void test_a_merged_file_has_the_same_list(void **state)
{
	const char *merged = scp_build_name("merged.scp"), *paths[2];
	struct profile *p, *again;
	struct profile_error err;
	uint64_t units[100];

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		units[i] = 1000 + i * 37 % 100;
	paths[0] = file_of("a.scp", (struct scp_slowest_asked){.count = 150}, units, 100);
	paths[1] = file_of("b.scp", (struct scp_slowest_asked){.count = 150}, units, 100);
	p = model_open(paths, 2);
	assert_int_equal(p->slowests, 150);
	if (write_profile(p, merged, &err))
		fail_msg("%s", err.text);
	again = model_open(&merged, 1);
	if (model_difference(p, again))
		fail_msg("%s", model_difference(p, again));
	profile_free(again);
	profile_free(p);
}

static void test_folded_processes_keep_their_calls_and_pids(void **state)
{
	static const uint64_t one[] = {7, 90}, two[] = {80, 5}, expected[] = {90, 80, 7};
	const char *paths[2];
	struct profile *p;

	(void)state;
	paths[0] = file_of("one.scp", (struct scp_slowest_asked){.count = 3}, one, 2);
	paths[1] = file_of("two.scp", (struct scp_slowest_asked){.count = 3}, two, 2);
	p = model_open(paths, 2);
	p->slowest[1].pid = 4712;
	fold_model(p, 1);
	assert_int_equal(p->entries, 1);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	expect_units(p, expected, 3);
	assert_int_equal(p->slowest[0].pid, 4711);
	assert_int_equal(p->slowest[1].pid, 4712);
	profile_free(p);
}

/* A call a microsecond or so, by the writer's protocol; entry 2 is unknown to the reader. */
static void write_for_ever(struct scp_slowest *slot)
{
	for (uint64_t i = 1;; i++) {
		__atomic_store_n(&slot->seq, slot->seq + 1, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		slot->entry = i % 64 ? 1 : 2;
		slot->units = 3 * i;
		for (volatile int k = 0; k < 100; k++)
			;
		slot->bytes = i;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&slot->seq, slot->seq + 1, __ATOMIC_RELEASE);
		for (volatile int k = 0; k < 2000; k++)
			;
	}
}

static void *map_file(const char *path, struct scp_slowest **slot)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t *map = mmap(NULL, SCP_BUILD_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const struct scp_header *h = (const struct scp_header *)(const void *)map;

	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	((struct scp_header *)(void *)map)->end_state = SCP_END_RUNNING;
	*slot = (struct scp_slowest *)(void *)(map + h->regions[0].offset + h->regions[0].used -
					       SCP_GRANULE + sizeof(struct scp_chunk));
	return map;
}

static void test_a_list_that_is_being_written_is_whole(void **state)
{
	static const uint64_t units[] = {3};
	const char *path = file_of("live.scp", (struct scp_slowest_asked){.count = 3}, units, 1);
	struct scp_slowest *slot;
	void *map = map_file(path, &slot);
	uint32_t seen = 0, moved = 0;
	uint64_t last = 0;
	pid_t child;

	(void)state;
	slot->bytes = 1;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_for_ever(slot);
	}
	while (moved < 300) {
		struct profile *p = model_open(&path, 1);

		if (p->slowests && p->slowest[0].units != 3 * p->slowest[0].bytes) {
			kill(child, SIGKILL);
			fail_msg("%llu units of %llu bytes",
				 (unsigned long long)p->slowest[0].units,
				 (unsigned long long)p->slowest[0].bytes);
		}
		seen += p->slowests;
		moved += p->slowests && p->slowest[0].units != last;
		last = p->slowests ? p->slowest[0].units : last;
		profile_free(p);
		sched_yield();
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(map, SCP_BUILD_ROOM);
	print_message("seen %u times, moved %u times\n", seen, moved);
	assert_true(moved >= 300); /* else the test has tested nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_longest_of_all_tables_come_first),
		cmocka_unit_test(test_more_than_asked_are_cut_at_the_short_end),
		cmocka_unit_test(test_below_the_threshold_none_are_kept),
		cmocka_unit_test(test_files_are_joined),
		cmocka_unit_test(test_files_recorded_differently_are_marked),
		cmocka_unit_test(test_a_merged_file_has_the_same_list),
		cmocka_unit_test(test_folded_processes_keep_their_calls_and_pids),
		cmocka_unit_test(test_a_list_that_is_being_written_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* What processes used: differences, summed over files of which they are known, through merged files
 * and folds; what contradicts itself is not known, and spoils nothing else. */
#include <string.h>

#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

#define ALL (SCP_USAGE_CPU | SCP_USAGE_IO)

static const struct scp_usage first = {ALL, 5, 100, 10, 20, 30, 40};
static const struct scp_usage last = {ALL, 9, 1100, 15, 26, 37, 48};

static const char *file_of(const char *name, struct scp_usage from, struct scp_usage to)
{
	const char *path = scp_build_name(name);
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->usage_first = from;
	scp_build_header(&b)->usage_last = to;
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

static void expect(const struct profile *p, uint64_t times, uint32_t cpu_of, uint32_t io_of)
{
	assert_int_equal(p->usage_cpu_of, cpu_of);
	assert_int_equal(p->usage_io_of, io_of);
	assert_int_equal(p->usage.known, (cpu_of ? SCP_USAGE_CPU : 0) | (io_of ? SCP_USAGE_IO : 0));
	assert_int_equal(p->usage.cpu_ns, cpu_of ? 1000 * times : 0);
	assert_int_equal(p->usage.voluntary, cpu_of ? 5 * times : 0);
	assert_int_equal(p->usage.involuntary, cpu_of ? 6 * times : 0);
	assert_int_equal(p->usage.reads, io_of ? 7 * times : 0);
	assert_int_equal(p->usage.writes, io_of ? 8 * times : 0);
}

static void expect_of_file(struct scp_usage from, struct scp_usage to, uint32_t cpu_of,
			   uint32_t io_of)
{
	const char *path = file_of("one.scp", from, to);
	struct profile *p = model_open(&path, 1);

	expect(p, 1, cpu_of, io_of);
	profile_free(p);
}

static void test_a_file_has_the_difference_of_its_readings(void **state)
{
	(void)state;
	expect_of_file(first, last, 1, 1);
}

static void test_only_what_both_readings_know_is_known(void **state)
{
	struct scp_usage a = first, b = last;

	(void)state;
	a.known = SCP_USAGE_CPU;
	expect_of_file(a, b, 1, 0);
	a.known = ALL;
	b.known = SCP_USAGE_IO;
	expect_of_file(a, b, 0, 1);
	a.known = 0;
	b.known = ~UINT64_C(0);
	expect_of_file(a, b, 0, 0);
	a.known = ~UINT64_C(0); /* bits of the future */
	expect_of_file(a, b, 1, 1);
}

static void test_a_reading_that_goes_back_is_not_known(void **state)
{
	struct scp_usage b = last;

	(void)state;
	b.cpu_ns = 99;
	expect_of_file(first, b, 0, 1);
	b = last;
	b.voluntary = 9;
	expect_of_file(first, b, 0, 1);
	b = last;
	b.involuntary = 0;
	expect_of_file(first, b, 0, 1);
	b = last;
	b.reads = 29;
	expect_of_file(first, b, 1, 0);
	b = last;
	b.writes = 39;
	expect_of_file(first, b, 1, 0);
}

static void test_what_a_sum_has_no_room_for_is_left_out(void **state)
{
	struct scp_usage most = {ALL, 0, 1000, UINT64_MAX, 6, 7, UINT64_MAX};
	const char *paths[] = {file_of("one.scp", first, last),
			       file_of("most.scp", (struct scp_usage){.known = ALL}, most)};
	struct profile *p = model_open(paths, 2);

	(void)state;
	expect(p, 1, 1, 1);
	profile_free(p);
}

static void test_a_sandbox_ends_the_totals_and_not_the_calls(void **state)
{
	const char *path = scp_build_name("sandbox.scp");
	struct scp_build b;
	struct profile *p;

	(void)state;
	scp_build_begin(&b);
	scp_build_header(&b)->usage_first = first;
	scp_build_header(&b)->usage_last = last;
	scp_build_header(&b)->losses.sandboxed = 1;
	scp_build_finish(&b);
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	expect(p, 1, 0, 0);
	profile_free(p);
}

static void test_a_first_moment_is_no_total_of_a_process_that_did_not_end(void **state)
{
	struct scp_usage later = last;
	struct profile *p;

	(void)state;
	for (int known = 0; known < 2; known++) {
		const char *path = scp_build_name("killed.scp");
		struct scp_build b;

		scp_build_begin(&b);
		scp_build_finish(&b);
		later.mono_ns = first.mono_ns + SCP_USAGE_EVERY_NS - !known;
		scp_build_header(&b)->end_state = SCP_END_RUNNING;
		scp_build_header(&b)->usage_first = first;
		scp_build_header(&b)->usage_last = later;
		scp_build_save(&b, path);
		scp_build_free(&b);
		p = model_open(&path, 1);
		expect(p, 1, (uint32_t)known, (uint32_t)known);
		profile_free(p);
	}
}

/* Three processes, of which one says nothing of its reads. */
static struct profile *merge_of_three(bool fold)
{
	const char *merged = scp_build_name("merged.scp");
	struct scp_usage no_io = first;
	const char *paths[3];
	struct profile_error err;
	struct profile *p;

	no_io.known = SCP_USAGE_CPU;
	paths[0] = file_of("one.scp", first, last);
	paths[1] = file_of("two.scp", no_io, last);
	paths[2] = file_of("three.scp", first, last);
	p = model_open(paths, 3);
	assert_int_equal(p->usage.cpu_ns, 3000);
	if (fold)
		fold_model(p, 1);
	assert_int_equal(write_profile(p, merged, &err), 0);
	profile_free(p);
	return model_open(&merged, 1);
}

static void test_merged_files_hold_the_sum_and_of_how_many(void **state)
{
	(void)state;
	for (int fold = 0; fold < 2; fold++) {
		struct profile *p = merge_of_three(fold);

		assert_int_equal(p->usage_cpu_of, 3);
		assert_int_equal(p->usage_io_of, 2);
		assert_int_equal(p->usage.cpu_ns, 3000);
		assert_int_equal(p->usage.voluntary, 15);
		assert_int_equal(p->usage.reads, 14);
		assert_int_equal(p->usage.writes, 16);
		profile_free(p);
	}
}

static void test_a_merged_file_cannot_know_of_more_processes_than_it_has(void **state)
{
	const char *path = scp_build_name("many.scp");
	struct scp_build b;
	struct profile *p;

	(void)state;
	scp_build_begin(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->flags |= SCP_FILE_MERGED;
	scp_build_header(&b)->processes = 2;
	scp_build_header(&b)->usage_first = (struct scp_usage){.known = ALL};
	scp_build_header(&b)->usage_last = last;
	scp_build_header(&b)->usage_cpu_of = 2;
	scp_build_header(&b)->usage_io_of = 3;
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = model_open(&path, 1);
	assert_int_equal(p->usage_cpu_of, 2);
	assert_int_equal(p->usage_io_of, 0);
	assert_int_equal(p->usage.known, SCP_USAGE_CPU);
	profile_free(p);
}

/* Totals of whole lives are none of the time between two readings. */
static void test_what_lies_between_two_readings_has_no_totals(void **state)
{
	const char *path = file_of("one.scp", first, last);
	struct profile *p = model_open(&path, 1);
	struct profile_error err;
	struct model_mark mark;

	(void)state;
	assert_int_equal(model_difference_mark(p, &mark), 0);
	assert_int_equal(profile_add(p, path, &err), 0);
	expect(p, 2, 2, 2);
	assert_int_equal(model_difference_make(p, &mark), 0);
	expect(p, 0, 0, 0);
	model_difference_mark_free(&mark);
	profile_free(p);
}

static int clean_up(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_has_the_difference_of_its_readings),
		cmocka_unit_test(test_only_what_both_readings_know_is_known),
		cmocka_unit_test(test_a_reading_that_goes_back_is_not_known),
		cmocka_unit_test(test_what_a_sum_has_no_room_for_is_left_out),
		cmocka_unit_test(test_a_sandbox_ends_the_totals_and_not_the_calls),
		cmocka_unit_test(test_a_first_moment_is_no_total_of_a_process_that_did_not_end),
		cmocka_unit_test(test_merged_files_hold_the_sum_and_of_how_many),
		cmocka_unit_test(test_a_merged_file_cannot_know_of_more_processes_than_it_has),
		cmocka_unit_test(test_what_lies_between_two_readings_has_no_totals),
	};

	return cmocka_run_group_tests_name("profile usage", tests, NULL, clean_up);
}

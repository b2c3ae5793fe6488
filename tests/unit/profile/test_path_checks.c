// SPDX-License-Identifier: GPL-3.0-or-later
/* What came of walking paths twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/support/path_file.h"

#define F(offset) SCP_FRAME(1, 0, offset)

static const char *save_checks(const char *name, uint32_t one_in, uint32_t differences)
{
	uint64_t frame = F(1);
	struct scp_build b;

	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 1, &frame);
	path_file_entry(&b, 1, 1, 100);
	scp_build_close_chunk(&b);
	scp_build_header(&b)->path_checks = (struct scp_path_checks){one_in, 1, 20, 10, 3, 4, 0};
	for (uint32_t id = 1; id <= differences; id++) {
		struct scp_path_difference *d;

		scp_build_open_optional(&b, SCP_OPTIONAL_CHECKS, 0);
		d = scp_build_record(&b, SCP_REC_PATH_DIFFERENCE, sizeof *d + 3 * 8);
		d->id = id;
		d->at = 2;
		d->ours = 1;
		d->theirs = 2;
		d->frame[0] = 0x7f0000000000 + id;
		d->frame[2] = 0x7fffffffffff;
		scp_build_close_chunk(&b);
	}
	return path_file_finish(&b, name);
}

static void test_checks_of_paths_add_up(void **state)
{
	const char *files[] = {save_checks("first.scp", 0, 10), save_checks("second.scp", 64, 10),
			       save_checks("third.scp", 16, 0)};
	struct profile *p = path_file_read(files, 3), *q = path_file_read_again(p);

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct profile *r = i ? q : p;

		assert_int_equal(r->path_checks.one_in, 16);
		assert_int_equal(r->path_checks.unwinder, 1);
		assert_int_equal(r->path_checks.verified, 60);
		assert_int_equal(r->path_checks.differ, 30);
		assert_int_equal(r->path_checks.undecided, 9);
		assert_int_equal(r->path_checks.heuristic, 12);
		assert_int_equal(r->path_differences, SCP_PATH_DIFFERENCES_MAX);
		assert_int_equal(r->path_difference[0].frame[0], 0x7f0000000001);
		assert_int_equal(r->path_difference[15].frame[0], 0x7f0000000006);
		assert_int_equal(r->path_difference[15].frame[2], 0x7fffffffffff);
		assert_int_equal(r->path_difference[15].at, 2);
		assert_int_equal(r->path_difference[15].ours, 1);
		assert_int_equal(r->path_difference[15].theirs, 2);
	}
	profile_free(p);
	profile_free(q);
}

static void test_a_path_difference_beyond_its_record_is_refused(void **state)
{
	static const uint32_t frames[][2] = {{5, 5}, {0, 193}, {UINT32_MAX, 1}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct scp_path_difference *d;
		struct scp_build b;

		path_file_begin(&b);
		scp_build_close_chunk(&b);
		scp_build_open_optional(&b, SCP_OPTIONAL_CHECKS, 0);
		d = scp_build_record(&b, SCP_REC_PATH_DIFFERENCE, sizeof *d + 4 * 8);
		d->id = 1;
		d->ours = frames[i][0];
		d->theirs = frames[i][1];
		path_file_expect_refusal(
			&b, "of its path differences, number 1 (table 0) claims more frames");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checks_of_paths_add_up),
		cmocka_unit_test(test_a_path_difference_beyond_its_record_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

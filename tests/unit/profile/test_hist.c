// SPDX-License-Identifier: GPL-3.0-or-later
/* Histograms of one call, which no record has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profile/model/addition.h"
#include "tests/unit/support/model_check.h"
#include "tests/unit/support/path_file.h"

#define F(offset) SCP_FRAME(1, 0, offset)

static void test_one_call_needs_no_histogram(void **state)
{
	struct prof_hist room;
	struct scp_build b;
	struct profile *p, *q;
	uint64_t frame = F(1);

	(void)state;
	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 1, &frame);
	path_file_entry(&b, 1, 1, 100);
	p = path_file_read_one(path_file_finish(&b, "one.scp"));
	assert_true(hist_is_known(&p->entry[0].sums));
	assert_int_equal(hist_find(&p->entry[0].sums, &room)->count[(6 - 2) * 8 + 4], 1);
	q = path_file_read_again(p);
	assert_null(model_difference(p, q));
	assert_int_equal(sums_add(&q->entry[0].sums, &p->entry[0].sums), 0);
	assert_int_equal(hist_find(&q->entry[0].sums, &room)->count[(6 - 2) * 8 + 4], 2);
	profile_free(p);
	profile_free(q);
}

/* The records of a slow clock have none, and several calls none of which is known. */
static void test_other_entries_without_a_histogram_have_none(void **state)
{
	uint64_t frame = F(1);

	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		struct scp_build b;
		struct profile *p;

		path_file_begin(&b);
		if (slow)
			scp_build_header(&b)->flags = 0;
		path_file_path(&b, 1, 0, 0, 1, &frame);
		path_file_entry(&b, 1, 1, 100)->calls = slow ? 1 : 2;
		p = path_file_read_one(path_file_finish(&b, "none.scp"));
		assert_false(hist_is_known(&p->entry[0].sums));
		assert_null(hist_find(&p->entry[0].sums, &(struct prof_hist){0}));
		profile_free(p);
	}
}

static void test_histograms_of_single_calls_add_up(void **state)
{
	uint64_t count[SCP_HIST_BUCKETS] = {[3] = 2};
	struct prof_blocks two = {.block[0] = count};
	struct prof_hist room;
	struct prof_sums one = {.calls = 1, .units = 5, .hist_of_one = true}, sum = {0};
	struct prof_sums more = {.calls = 2, .units = 6, .hist = &two}, unknown = {.calls = 1};

	(void)state;
	assert_int_equal(sums_add(&sum, &one), 0);
	assert_null(sum.hist);
	assert_int_equal(hist_find(&sum, &room)->count[5], 1);
	assert_int_equal(sums_add(&sum, &more), 0);
	assert_int_equal(sums_add(&sum, &one), 0);
	assert_int_equal(hist_find(&sum, &room)->count[5], 2);
	assert_int_equal(hist_find(&sum, &room)->count[3], 2);
	sums_clear(&sum);
	assert_int_equal(sums_add(&sum, &one), 0);
	assert_int_equal(sums_add(&sum, &unknown), 0);
	assert_int_equal(hist_find(&sum, &room)->count[5], 1);
	assert_false(sum.hist_of_one);
	sums_clear(&sum);
}

static void test_a_taken_histogram_has_both_calls(void **state)
{
	struct prof_sums a = {.calls = 1, .units = 5, .hist_of_one = true};
	struct prof_sums b = {.calls = 1, .units = 6, .hist_of_one = true}, c = {0};
	struct prof_hist room;

	(void)state;
	assert_int_equal(sums_add(&c, &a), 0);
	assert_int_equal(sums_add(&c, &a), 0);
	hist_take(&b, &c);
	assert_null(c.hist);
	assert_int_equal(sums_add(&b, &c), 0);
	assert_int_equal(hist_find(&b, &room)->count[5], 2);
	assert_int_equal(hist_find(&b, &room)->count[6], 1);
	sums_clear(&b);
	sums_clear(&c);
	b = (struct prof_sums){.calls = 1, .units = 6, .hist_of_one = true};
	hist_take(&a, &b);
	assert_int_equal(sums_add(&a, &b), 0);
	assert_int_equal(hist_find(&a, &room)->count[6], 1);
	assert_int_equal(hist_find(&a, &room)->count[5], 1);
	sums_clear(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_call_needs_no_histogram),
		cmocka_unit_test(test_other_entries_without_a_histogram_have_none),
		cmocka_unit_test(test_histograms_of_single_calls_add_up),
		cmocka_unit_test(test_a_taken_histogram_has_both_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The durations of an entry's first calls stand for its histogram and its batches, as long as it
 * has no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/addition.h"
#include "tests/unit/support/model_check.h"
#include "tests/unit/support/scp_build.h"

#define MOST 20u

static uint64_t units_of(uint32_t call)
{
	return 3 + call % 4;
}

/* An entry of so many calls, of which the first are kept. */
static struct scp_entry *put_entry(struct scp_build *b, uint32_t calls)
{
	uint64_t frame = SCP_FRAME(1, 0, 16);
	struct scp_entry *e;
	struct scp_first_calls *f;

	scp_build_begin(b);
	scp_build_header(b)->flags = SCP_FILE_HISTOGRAMS;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, "recv", "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	scp_build_table(b, 1, "thread");
	scp_build_path(b, 1, &frame, 1);
	e = scp_build_entry(b, 1, 1, 1, SCP_COMPLETED);
	e->calls = calls;
	e->batch_calls = 2;
	e->batch_count = calls / 2;
	e->min_units = 3;
	e->max_units = 6;
	for (uint32_t i = 0; i < calls; i++) {
		e->units += units_of(i);
		e->units_sq_lo += units_of(i) * units_of(i);
	}
	f = scp_build_record(b, SCP_REC_FIRST_CALLS, sizeof *f);
	f->entry = 1;
	for (uint32_t i = 0; i < SCP_FIRST_CALLS; i++)
		f->units[i] =
			i < calls ? units_of(i) : 1000000; /* the next call, not yet counted */
	return e;
}

static void put_hist(struct scp_build *b, uint32_t calls)
{
	struct scp_hist *h = scp_build_record(b, SCP_REC_HIST, sizeof *h);

	h->entry = 1;
	for (uint32_t i = 0; i < calls; i++)
		h->count[units_of(i)]++;
}

static void put_batches(struct scp_build *b, uint32_t batches)
{
	struct scp_batch *r = scp_build_record(b, SCP_REC_BATCH, sizeof *r);

	r->entry = 1;
	for (uint32_t i = 0; i < batches; i++)
		r->sum[i] = units_of(2 * i) + units_of(2 * i + 1);
}

static struct profile *read_one(const char *path)
{
	struct profile_error err;
	struct profile *p = profile_open(&path, 1, &err);

	if (!p)
		fail_msg("%s", err.text);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	return p;
}

static struct profile *finish(struct scp_build *b)
{
	const char *path = scp_build_name("few.scp");

	scp_build_close_chunk(b);
	scp_build_finish(b);
	scp_build_save(b, path);
	scp_build_free(b);
	return read_one(path);
}

static void expect(const struct prof_sums *s, uint32_t calls, uint32_t batches)
{
	struct prof_hist room, wanted = {0};
	const struct prof_hist *hist = hist_find(s, &room);

	for (uint32_t i = 0; i < calls; i++)
		wanted.count[units_of(i)]++;
	assert_true(hist_is_known(s));
	assert_non_null(hist);
	assert_memory_equal(hist, &wanted, sizeof wanted);
	assert_int_equal(s->batches.count, batches);
	for (uint32_t i = 0; i < batches; i++)
		assert_int_equal(s->batches.sum[i], units_of(2 * i) + units_of(2 * i + 1));
}

static void expect_written_as_read(const struct profile *p)
{
	const char *path = scp_build_name("written.scp");
	struct profile_error err;
	struct profile *q;

	if (write_profile(p, path, &err))
		fail_msg("%s", err.text);
	q = read_one(path);
	assert_null(model_difference(p, q));
	profile_free(q);
}

static void test_few_calls_have_a_histogram_and_batches(void **state)
{
	(void)state;
	for (uint32_t calls = 1; calls <= SCP_FIRST_CALLS; calls++) {
		struct scp_build b;
		struct profile *p;

		put_entry(&b, calls);
		p = finish(&b);
		expect(&p->entry[0].sums, calls, calls > 1 ? calls / 2 : 0);
		assert_null(p->entry[0].sums.hist);
		expect_written_as_read(p);
		profile_free(p);
	}
}

/* Killed when some blocks had begun, and before the call that was to be the seventh. */
static void test_a_histogram_that_begins_counts_no_call_twice(void **state)
{
	struct scp_build b;
	struct profile *p;

	(void)state;
	put_entry(&b, SCP_FIRST_CALLS);
	put_hist(&b, 4);
	p = finish(&b);
	expect(&p->entry[0].sums, SCP_FIRST_CALLS, SCP_FIRST_CALLS / 2);
	profile_free(p);
}

static void test_more_calls_have_a_histogram_of_their_own(void **state)
{
	for (uint32_t calls = SCP_FIRST_CALLS + 1; calls <= MOST; calls++) {
		struct scp_build b;
		struct profile *p;

		(void)state;
		put_entry(&b, calls);
		put_hist(&b, calls);
		if (calls > SCP_FIRST_CALLS + 1)
			put_batches(&b, calls / 2);
		p = finish(&b);
		assert_null(p->entry[0].sums.first);
		expect(&p->entry[0].sums, calls, calls / 2);
		expect_written_as_read(p);
		profile_free(p);
	}
}

static void test_slow_clocks_have_batches_only(void **state)
{
	struct scp_build b;
	struct profile *p;

	(void)state;
	put_entry(&b, 5);
	scp_build_header(&b)->flags = 0;
	p = finish(&b);
	assert_false(hist_is_known(&p->entry[0].sums));
	assert_int_equal(p->entry[0].sums.batches.count, 2);
	expect_written_as_read(p);
	profile_free(p);
}

/* Batches that the first calls cannot be. */
static void test_batches_that_do_not_fit_are_left_out(void **state)
{
	static const struct {
		uint32_t calls, batch_calls, batch_count;
	} wrong[] = {{5, 2, 3}, {5, 1, 3}, {6, 4, 1}, {20, 2, 4}, {20, 1, 3}};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct scp_build b;
		struct scp_entry *e = put_entry(&b, wrong[i].calls);
		struct profile *p;

		e->batch_calls = wrong[i].batch_calls;
		e->batch_count = wrong[i].batch_count;
		p = finish(&b);
		assert_int_equal(p->entry[0].sums.batches.count, 0);
		expect_written_as_read(p);
		profile_free(p);
	}
}

static void test_few_calls_add_up(void **state)
{
	struct prof_first_calls durations = {2, {5, 5}};
	struct prof_sums two = {.calls = 2, .units = 10, .first = &durations}, sum = {0};
	struct prof_sums unknown = {.calls = 3}, none = {0};
	struct prof_hist room;

	(void)state;
	assert_int_equal(sums_add(&sum, &two), 0);
	assert_null(sum.hist);
	assert_int_equal(hist_find(&sum, &room)->count[5], 2);
	assert_int_equal(sums_add(&sum, &none), 0);
	assert_null(sum.hist);
	assert_int_equal(sums_add(&sum, &two), 0);
	assert_null(sum.first);
	assert_int_equal(hist_find(&sum, &room)->count[5], 4);
	assert_int_equal(sums_add(&sum, &unknown), 0);
	assert_int_equal(hist_find(&sum, &room)->count[5], 4);
	sums_clear(&sum);
	assert_int_equal(sums_add(&sum, &two), 0);
	hist_take(&none, &sum);
	assert_int_equal(sums_add(&none, &sum), 0);
	assert_int_equal(hist_find(&none, &room)->count[5], 2);
	hist_take(&sum, &none);
	sums_clear(&sum);
	sums_clear(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_calls_have_a_histogram_and_batches),
		cmocka_unit_test(test_a_histogram_that_begins_counts_no_call_twice),
		cmocka_unit_test(test_more_calls_have_a_histogram_of_their_own),
		cmocka_unit_test(test_slow_clocks_have_batches_only),
		cmocka_unit_test(test_batches_that_do_not_fit_are_left_out),
		cmocka_unit_test(test_few_calls_add_up),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scp_build_cleanup();
	return failed;
}

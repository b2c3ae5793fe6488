// SPDX-License-Identifier: GPL-3.0-or-later
/* The sums for the line of time on size stay with their batches, whatever is joined.
 *
 * Every call here takes twice as many units as it moves bytes. So slot i of the line
 * is about the calls of batch i just where 2 bytes[i] is the batch's time and
 * bytes_units[i] is 2 bytes_sq[i]; and since sizes are drawn at random, a slot that
 * was shifted, halved or counted twice does not pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/addition.h"

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % n;
}

static void add_call(struct prof_sums *s, uint32_t slot, bool batched, uint64_t size)
{
	uint64_t units = 2 * size;

	s->calls++;
	s->units += units;
	s->has_bytes = true;
	s->bytes += size;
	s->bytes_sq += (prof_u128)size * size;
	s->bytes_units += (prof_u128)size * units;
	if (!batched)
		return;
	s->batches.sum[slot] += units;
	if (!s->line)
		return;
	s->line->bytes[slot] += size;
	s->line->bytes_sq[slot] += (prof_u128)size * size;
	s->line->bytes_units[slot] += (prof_u128)size * units;
}

/* `count` batches of `each` calls and `loose` calls after them; sizes of `size`, or at
 * random below 2^40 where it is 0. */
static struct prof_sums calls_of(uint64_t size, uint64_t each, uint32_t count, uint32_t loose,
				 bool line)
{
	struct prof_sums s = {.batches = {each, count, calloc(SCP_BATCHES, 8)}};

	if (line)
		s.line = calloc(1, sizeof *s.line);
	for (uint64_t i = 0; i < each * count + loose; i++)
		add_call(&s, (uint32_t)(i / each), i < each * count,
			 size ? size : random_below(UINT64_C(1) << 40));
	return s;
}

/* Every slot is about the calls of its batch; together they are what `batched` says,
 * where it is not NULL. */
static void expect_line(const struct prof_sums *s, const struct prof_sums *batched)
{
	prof_u128 bytes = 0, bytes_sq = 0, bytes_units = 0;

	assert_non_null(s->line);
	for (uint32_t i = 0; i < s->batches.count; i++) {
		if (2 * s->line->bytes[i] != s->batches.sum[i])
			fail_msg("slot %u of %u is not about its batch", i, s->batches.count);
		assert_true(s->line->bytes_units[i] == 2 * s->line->bytes_sq[i]);
		bytes += s->line->bytes[i];
		bytes_sq += s->line->bytes_sq[i];
		bytes_units += s->line->bytes_units[i];
	}
	if (!batched)
		return;
	assert_true(bytes == batched->bytes);
	assert_true(bytes_sq == batched->bytes_sq);
	assert_true(bytes_units == batched->bytes_units);
}

static struct prof_sums sum_of(const struct prof_sums *a, const struct prof_sums *b)
{
	struct prof_sums s = {0};

	assert_int_equal(sums_add(&s, a), 0);
	assert_int_equal(sums_add(&s, b), 0);
	return s;
}

static void clear(struct prof_sums *a, struct prof_sums *b, struct prof_sums *s)
{
	sums_clear(a);
	sums_clear(b);
	sums_clear(s);
}

/* All batches fit and none is odd: nothing is lost. */
static void test_joined_lines_hold_all_batched_calls(void **state)
{
	static const struct {
		uint64_t each_a, each_b;
		uint32_t count_a, count_b, count;
	} shape[] = {{2, 2, 5, 7, 12},	 {2, 8, 16, 3, 7},   {16, 2, 4, 24, 7},
		     {2, 2, 64, 64, 64}, {4, 4, 40, 26, 33}, {2, 32, 32, 63, 32 + 1}};

	(void)state;
	for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
		struct prof_sums a = calls_of(0, shape[i].each_a, shape[i].count_a, 0, true);
		struct prof_sums b = calls_of(0, shape[i].each_b, shape[i].count_b, 0, true);
		struct prof_sums s = sum_of(&a, &b);

		if (i + 1 < sizeof shape / sizeof shape[0]) {
			assert_int_equal(s.batches.count, shape[i].count);
			expect_line(&s, &s);
		} else {
			expect_line(&s, NULL); /* an odd batch is dropped */
		}
		clear(&a, &b, &s);
	}
}

/* Calls beyond the last batch are in no slot. */
static void test_loose_calls_are_in_no_slot(void **state)
{
	struct prof_sums a, b, s, batched;

	(void)state;
	random_state = 1;
	a = calls_of(0, 4, 6, 0, true);
	b = calls_of(0, 4, 3, 0, true);
	batched = sum_of(&a, &b);
	clear(&a, &b, &(struct prof_sums){0});
	random_state = 1;
	a = calls_of(0, 4, 6, 0, true);
	b = calls_of(0, 4, 3, 3, true);
	s = sum_of(&a, &b);
	assert_int_equal(s.calls, batched.calls + 3);
	expect_line(&s, &batched);
	clear(&a, &b, &s);
	sums_clear(&batched);
}

static void test_one_size_needs_no_line(void **state)
{
	struct prof_sums a = calls_of(1000, 2, 9, 1, false), b = calls_of(1000, 4, 5, 3, false);
	struct prof_sums s = sum_of(&a, &b);
	uint64_t size = 0;

	(void)state;
	assert_null(s.line);
	assert_int_equal(s.batches.count, 9);
	assert_true(batches_one_size(&s, &size));
	assert_int_equal(size, 1000);
	clear(&a, &b, &s);
}

/* A constant size's line follows from its batches. */
static void test_the_line_of_one_size_is_made_when_another_size_comes(void **state)
{
	for (int varying = 0; varying < 2; varying++) {
		struct prof_sums a = calls_of(1000, 2, 8, 0, false);
		struct prof_sums b = calls_of(varying ? 0 : 70, 4, 5, 0, varying);
		struct prof_sums ab = sum_of(&a, &b), ba = sum_of(&b, &a);

		(void)state;
		assert_int_equal(ab.batches.count, 9);
		expect_line(&ab, &ab);
		expect_line(&ba, &ba);
		clear(&a, &b, &ab);
		sums_clear(&ba);
	}
}

/* Few calls of another size, none of them batched, make the sum's size vary: what was
 * constant until then must be written down before it is forgotten. */
static void test_unbatched_calls_of_another_size_leave_the_line(void **state)
{
	struct prof_sums a = calls_of(1000, 8, 6, 0, false), b = calls_of(50, 2, 0, 1, false);
	struct prof_sums s = sum_of(&a, &b), c = calls_of(0, 8, 6, 0, true);

	(void)state;
	assert_int_equal(s.batches.count, 6);
	expect_line(&s, &a);
	sums_add(&s, &c);
	assert_int_equal(s.batches.count, 12);
	expect_line(&s, NULL);
	clear(&a, &b, &s);
	sums_clear(&c);
}

static void test_few_batches_without_a_line_give_way(void **state)
{
	struct prof_sums many = calls_of(0, 2, 40, 0, true), few = calls_of(0, 2, 3, 1, false);
	struct prof_sums a = sum_of(&many, &few), b = sum_of(&few, &many);

	(void)state;
	assert_int_equal(a.calls, 87);
	assert_int_equal(a.batches.count, 40);
	expect_line(&a, &many);
	assert_int_equal(b.batches.count, 40);
	expect_line(&b, &many);
	clear(&many, &few, &a);
	sums_clear(&b);
}

static void test_many_batches_without_a_line_end_it(void **state)
{
	struct prof_sums with = calls_of(0, 2, 40, 0, true), without = calls_of(0, 2, 20, 0, false);
	struct prof_sums a = sum_of(&with, &without), b = sum_of(&without, &with);

	(void)state;
	assert_int_equal(a.batches.count, 60);
	assert_null(a.line);
	assert_int_equal(b.batches.count, 60);
	assert_null(b.line);
	clear(&with, &without, &a);
	sums_clear(&b);
}

static struct prof_batches copy_of(const struct prof_batches *b)
{
	struct prof_batches copy = *b;

	copy.sum = calloc(SCP_BATCHES, sizeof *copy.sum);
	assert_non_null(copy.sum);
	memcpy(copy.sum, b->sum, b->count * sizeof *copy.sum);
	return copy;
}

/* Dual: the slow batches give way, and double, with the others. */
static void test_slow_batches_stay_beside_the_line(void **state)
{
	struct prof_sums many = calls_of(0, 2, 40, 0, true), few = calls_of(0, 2, 3, 0, false), s;

	(void)state;
	many.slow = calloc(1, sizeof *many.slow);
	few.slow = calloc(1, sizeof *few.slow);
	many.slow->batches = copy_of(&many.batches);
	few.slow->batches = copy_of(&few.batches);
	s = sum_of(&many, &few);
	sums_add(&s, &many);
	assert_int_equal(s.batches.count, 40);
	assert_int_equal(s.slow->batches.count, 40);
	assert_int_equal(s.slow->batches.calls, 4);
	assert_memory_equal(s.slow->batches.sum, s.batches.sum, 40 * sizeof s.batches.sum[0]);
	expect_line(&s, NULL);
	clear(&many, &few, &s);
}

/* Whatever is joined in whatever order: what has a line has a true one. */
static void test_random_joins_stay_exact(void **state)
{
	uint32_t with_line = 0;

	(void)state;
	random_state = 7;
	for (int round = 0; round < 300; round++) {
		struct prof_sums s = {0};

		for (int i = 0; i < 12; i++) {
			bool constant = random_below(4) == 0;
			uint64_t size = constant ? 1 + random_below(3) : 0;
			uint64_t each = UINT64_C(1) << random_below(5);
			uint32_t count = (uint32_t)random_below(SCP_BATCHES + 1);
			struct prof_sums more =
				calls_of(size, each, count, (uint32_t)random_below(each),
					 !constant && count && random_below(20));

			sums_add(&s, &more);
			sums_clear(&more);
			if (s.line)
				expect_line(&s, NULL);
			with_line += s.line != NULL;
		}
		sums_clear(&s);
	}
	print_message("%u of 3600 sums had a line\n", with_line);
	assert_in_range(with_line, 1800, 3599);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined_lines_hold_all_batched_calls),
		cmocka_unit_test(test_loose_calls_are_in_no_slot),
		cmocka_unit_test(test_one_size_needs_no_line),
		cmocka_unit_test(test_the_line_of_one_size_is_made_when_another_size_comes),
		cmocka_unit_test(test_unbatched_calls_of_another_size_leave_the_line),
		cmocka_unit_test(test_few_batches_without_a_line_give_way),
		cmocka_unit_test(test_many_batches_without_a_line_end_it),
		cmocka_unit_test(test_slow_batches_stay_beside_the_line),
		cmocka_unit_test(test_random_joins_stay_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Adding sums, merging batches, folding processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/addition.h"
#include "tests/unit/support/model_check.h"
#include "tests/unit/support/scp_build.h"

static struct prof_sums batches(uint64_t calls_each, uint32_t count, uint64_t first)
{
	struct prof_sums s = {.calls = calls_each * count, .batches = {calls_each, count, NULL}};

	s.batches.sum = calloc(SCP_BATCHES, sizeof *s.batches.sum);
	for (uint32_t i = 0; i < count; i++)
		s.batches.sum[i] = first + i;
	return s;
}

static void test_sums_add(void **state)
{
	struct prof_sums a = {.calls = 2,
			      .units = 10,
			      .units_sq = 60,
			      .min_units = 4,
			      .max_units = 6,
			      .max_at = 150,
			      .first_at = 100,
			      .first_units = 4,
			      .last_at = 200};
	struct prof_sums b = {.calls = 3,
			      .units = 9,
			      .units_sq = (prof_u128)1 << 64,
			      .min_units = 2,
			      .max_units = 5,
			      .max_at = 80,
			      .first_at = 50,
			      .first_units = 5,
			      .last_at = 90,
			      .has_bytes = true,
			      .bytes = 7,
			      .bytes_sq = 49,
			      .bytes_units = 21};

	(void)state;
	assert_int_equal(sums_add(&a, &b), 0);
	assert_int_equal(a.calls, 5);
	assert_int_equal(a.units, 19);
	assert_true(a.units_sq == ((prof_u128)1 << 64) + 60);
	assert_int_equal(a.min_units, 2);
	assert_int_equal(a.max_units, 6);
	assert_int_equal(a.max_at, 150);
	assert_int_equal(a.first_at, 50);
	assert_int_equal(a.first_units, 5);
	assert_int_equal(a.last_at, 200);
	assert_true(a.has_bytes && a.bytes == 7 && a.bytes_sq == 49 && a.bytes_units == 21);
	sums_clear(&a);
}

static void test_the_longest_and_the_first_call_keep_their_company(void **state)
{
	struct prof_sums a = {.calls = 1,
			      .max_units = 6,
			      .max_at = 150,
			      .first_at = 100,
			      .first_units = 6,
			      .last_at = 150};
	struct prof_sums as_long = {.calls = 1,
				    .max_units = 6,
				    .max_at = 170,
				    .first_at = 100,
				    .first_units = 2,
				    .last_at = 170};
	struct prof_sums longer = {.calls = 1,
				   .max_units = 7,
				   .max_at = 20,
				   .first_at = 900,
				   .first_units = 3,
				   .last_at = 907};

	(void)state;
	sums_add(&a, &as_long);
	assert_int_equal(a.max_at, 150);
	assert_int_equal(a.first_units, 6);
	sums_add(&a, &longer);
	assert_int_equal(a.max_units, 7);
	assert_int_equal(a.max_at, 20);
	assert_int_equal(a.first_units, 6);
	sums_clear(&a);
	sums_add(&a, &longer);
	assert_int_equal(a.max_at, 20);
	assert_int_equal(a.first_units, 3);
	sums_clear(&a);
}

static void test_phases_add_up(void **state)
{
	struct prof_phase two = {{2, 0, 1}};
	struct prof_sums a = {.calls = 2}, sampled = {.calls = 3, .phase = &two},
			 not = {.calls = 9};

	(void)state;
	assert_int_equal(sums_add(&a, &sampled), 0);
	assert_ptr_not_equal(a.phase, &two);
	sums_add(&a, &not );
	sums_add(&a, &sampled);
	assert_int_equal(a.phase->count[0], 4);
	assert_int_equal(a.phase->count[1], 0);
	assert_int_equal(a.phase->count[2], 2);
	sums_clear(&a);
	assert_null(a.phase);
}

static void test_adding_to_nothing_is_copying(void **state)
{
	struct prof_sums a = {0}, b = batches(4, 3, 10);

	(void)state;
	b.min_units = 5;
	hist_block(&b.hist, 0)[9] = 12;
	b.slow = calloc(1, sizeof *b.slow);
	b.slow->units = 8;
	assert_int_equal(sums_add(&a, &b), 0);
	assert_int_equal(a.min_units, 5);
	assert_ptr_not_equal(a.hist, b.hist);
	assert_int_equal(hist_count(a.hist, 9), 12);
	assert_ptr_not_equal(a.slow, b.slow);
	assert_int_equal(a.slow->units, 8);
	assert_int_equal(a.batches.count, 3);
	sums_clear(&a);
	sums_clear(&b);
	assert_null(a.hist);
}

static void test_batches_of_one_size_follow_each_other(void **state)
{
	struct prof_sums a = batches(2, 3, 10), b = batches(2, 2, 50);

	(void)state;
	sums_add(&a, &b);
	assert_int_equal(a.batches.calls, 2);
	assert_int_equal(a.batches.count, 5);
	assert_int_equal(a.batches.sum[2], 12);
	assert_int_equal(a.batches.sum[3], 50);
	assert_null(a.apart); /* all calls are in batches */
	sums_clear(&a);
	sums_clear(&b);
}

static void test_smaller_batches_are_joined_in_pairs(void **state)
{
	/* 10 11 12 13 14 of 2 calls are 21 25 (and 14 left over) of 4 */
	struct prof_sums a = batches(2, 5, 10), b = batches(4, 1, 99);

	(void)state;
	sums_add(&a, &b);
	assert_int_equal(a.batches.calls, 4);
	assert_int_equal(a.batches.count, 3);
	assert_int_equal(a.batches.sum[0], 21);
	assert_int_equal(a.batches.sum[1], 25);
	assert_int_equal(a.batches.sum[2], 99);
	sums_clear(&a);
	sums_clear(&b);
	a = batches(8, 1, 7);
	b = batches(2, 9, 0); /* 0..8: 0+1+2+3, 4+5+6+7 */
	sums_add(&a, &b);
	assert_int_equal(a.batches.count, 3);
	assert_int_equal(a.batches.sum[1], 6);
	assert_int_equal(a.batches.sum[2], 22);
	sums_clear(&a);
	sums_clear(&b);
}

static void test_full_batches_double(void **state)
{
	struct prof_sums a = batches(1, 64, 0), b = batches(1, 64, 100);

	(void)state;
	sums_add(&a, &b);
	assert_int_equal(a.batches.calls, 2);
	assert_int_equal(a.batches.count, 64);
	assert_int_equal(a.batches.sum[0], 1);
	assert_int_equal(a.batches.sum[31], 62 + 63);
	assert_int_equal(a.batches.sum[32], 100 + 101);
	sums_clear(&a);
	sums_clear(&b);
}

static void test_too_small_batches_give_way(void **state)
{
	struct prof_sums a = batches(1, 1, 5), b = batches(16, 2, 100);

	(void)state;
	sums_add(&a, &b);
	assert_int_equal(a.batches.calls, 16);
	assert_int_equal(a.batches.count, 2);
	assert_int_equal(a.batches.sum[0], 100);
	sums_clear(&a);
	sums_clear(&b);
}

static void assert_apart(const struct prof_sums *s, uint64_t stretches, uint64_t calls_sq,
			 uint64_t calls_units, uint64_t units_sq)
{
	assert_non_null(s->apart);
	assert_true(s->apart->stretches == stretches);
	assert_true(s->apart->calls_sq == calls_sq);
	assert_true(s->apart->calls_units == calls_units);
	assert_true(s->apart->units_sq == units_sq);
}

/* `tail` calls of 3 units after the last batch. */
static struct prof_sums thread(uint64_t calls_each, uint32_t count, uint64_t first, uint64_t tail)
{
	struct prof_sums s = batches(calls_each, count, first);

	s.calls += tail;
	s.units = 3 * tail;
	for (uint32_t i = 0; i < count; i++)
		s.units += s.batches.sum[i];
	return s;
}

static void test_what_is_in_no_batch_is_kept_by_stretches(void **state)
{
	struct prof_sums a = {0}, b = thread(4, 40, 10, 3), c = thread(1, 0, 0, 1);
	struct prof_sums d = thread(2, 1, 21, 1);

	(void)state;
	sums_add(&a, &b);
	assert_null(a.apart); /* one thread: one stretch */
	sums_add(&a, &c);
	assert_apart(&a, 2, 9 + 1, 3 * 9 + 3, 81 + 9);
	sums_add(&a, &d); /* its only batch is too small: with its tail 3 calls, 24 units */
	assert_apart(&a, 3, 10 + 9, 30 + 72, 90 + 576);
	assert_int_equal(a.batches.count, 40);
	sums_add(&c, &b); /* in the other order */
	sums_add(&c, &d);
	assert_apart(&c, 3, 19, 102, 666);
	sums_clear(&c);
	sums_add(&c, &a); /* a sum, to nothing */
	assert_apart(&c, 3, 19, 102, 666);
	sums_clear(&a);
	sums_clear(&c);
	a = thread(1, 0, 0, 5); /* no batches at all */
	c = thread(1, 0, 0, 5);
	sums_add(&a, &c);
	assert_apart(&a, 2, 50, 150, 450);
	sums_clear(&a);
	assert_null(a.apart);
	sums_clear(&b);
	sums_clear(&c);
	sums_clear(&d);
}

/* 33 and 32 batches become 16 and 16 of twice the size: one of the first is left. */
static void test_dropped_batches_are_stretches(void **state)
{
	struct prof_sums a = {0}, b = thread(2, 33, 10, 1), c = thread(2, 32, 100, 0);
	struct prof_sums d = thread(16, 2, 500, 0);

	(void)state;
	sums_add(&a, &b);
	sums_add(&a, &c);
	assert_int_equal(a.batches.calls, 4);
	assert_int_equal(a.batches.count, 32);
	/* the last batch of 42 with its thread's end: 3 calls, 45 units */
	assert_apart(&a, 1, 9, 135, 2025);
	sums_clear(&c);
	c = thread(4, 1, 900, 0);
	sums_add(&a, &c); /* 33 of 4 calls */
	sums_add(&a, &d); /* 8 of 16, and the last, c's, apart */
	assert_int_equal(a.batches.calls, 16);
	assert_int_equal(a.batches.count, 10);
	assert_apart(&a, 2, 9 + 16, 135 + 3600, 2025 + 810000);
	sums_clear(&a);
	sums_clear(&b);
	sums_clear(&c);
	sums_clear(&d);
}

static void test_slow_sums_are_kept_by_the_same_stretches(void **state)
{
	struct prof_sums a = {0}, b = thread(4, 40, 10, 3), c = thread(1, 0, 0, 2);

	(void)state;
	b.slow = calloc(1, sizeof *b.slow);
	b.slow->batches = (struct prof_batches){4, 40, calloc(SCP_BATCHES, sizeof(uint64_t))};
	for (int i = 0; i < 40; i++)
		b.slow->units += b.slow->batches.sum[i] = 7;
	b.slow->units += 5; /* of the last three calls */
	c.slow = calloc(1, sizeof *c.slow);
	c.slow->units = 11;
	sums_add(&a, &b);
	sums_add(&a, &c);
	assert_apart(&a, 2, 9 + 4, 27 + 12, 81 + 36);
	assert_true(a.apart->slow_calls_units == 3 * 5 + 2 * 11);
	assert_true(a.apart->slow_units_sq == 25 + 121);
	sums_clear(&a);
	sums_clear(&b);
	sums_clear(&c);
}

static void test_half_known_slow_sums_are_dropped(void **state)
{
	struct prof_sums a = {.calls = 2}, b = {.calls = 3};

	(void)state;
	a.slow = calloc(1, sizeof *a.slow);
	sums_add(&a, &b);
	assert_null(a.slow);
	sums_clear(&a);
}

static struct profile *three_processes(void)
{
	const char *path = scp_build_name("one.scp"), *other = scp_build_name("other.scp");
	const char *list[3] = {path, other, path};
	struct profile_error err;
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	scp_build_sample(&b, &s);
	scp_build_save(&b, path);
	strcpy(scp_build_header(&b)->exe, "/usr/bin/client");
	strcpy(scp_build_header(&b)->program, "client");
	scp_build_save(&b, other);
	scp_build_free(&b);
	p = profile_open(list, 3, &err);
	if (!p)
		fail_msg("%s", err.text);
	return p;
}

static void test_fold_joins_processes_of_one_program(void **state)
{
	struct profile *p = three_processes();

	(void)state;
	assert_int_equal(p->entries, 9);
	fold_model(p, 3);
	assert_int_equal(p->processes, 3);
	fold_model(p, 2);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	assert_int_equal(p->processes, 2);
	assert_int_equal(p->process[0].count, 2);
	assert_string_equal(p->process[1].exe, "/usr/bin/client");
	assert_int_equal(p->process[1].count, 1);
	assert_int_equal(p->tables, 4);
	assert_int_equal(p->table[1].threads, 6);
	assert_int_equal(p->table[1].time_units, 200);
	assert_int_equal(p->entries, 6);
	assert_int_equal(p->entry[0].sums.calls, 20);
	assert_int_equal(hist_count(p->entry[0].sums.hist, 36), 20);
	assert_int_equal(p->entry[0].sums.slow->units, 40);
	assert_int_equal(p->entry[0].sums.batches.count, 10);
	assert_int_equal(p->entry[0].sums.phase->count[0], 14);
	assert_int_equal(p->entry[0].sums.line->bytes[9], 130);
	assert_int_equal(p->gaps, 6);
	assert_int_equal(p->gap[1].calls, 8);
	profile_free(p);
}

static void test_keeps_the_processes_of_some_programs(void **state)
{
	struct profile *p = three_processes();
	uint32_t entries = p->entries, gaps = p->gaps, looks = p->looks;

	(void)state;
	assert_true(looks > 0);
	assert_int_equal(keep_programs(p, "nobody*"), KEEP_NONE);
	assert_int_equal(p->processes, 3);
	p->usage_cpu_of = 3;
	p->sampling.cpu_ns = 7;
	p->function[0].overflow_calls = 5;
	assert_int_equal(keep_programs(p, "*"), 0);
	assert_int_equal(p->usage_cpu_of, 3);
	assert_int_equal(keep_programs(p, "cl?ent"), 0);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	assert_int_equal(p->processes, 1);
	assert_string_equal(p->process[0].program, "client");
	assert_int_equal(p->entries, entries / 3);
	assert_int_equal(p->gaps, gaps / 3);
	assert_int_equal(p->looks, looks / 3);
	for (uint32_t i = 0; i < p->tables; i++)
		assert_int_equal(p->table[i].process, 0);
	/* nobody knows whose these were */
	assert_int_equal(p->usage_cpu_of, 0);
	assert_int_equal(p->sampling.cpu_ns, 0);
	assert_int_equal(p->function[0].overflow_calls, 0);
	profile_free(p);
}

static void test_fold_keeps_runs_apart(void **state)
{
	struct profile *p = three_processes();

	(void)state;
	p->process[0].run = 1;
	p->process[1].run = p->process[2].run = 2;
	fold_model(p, 1);
	assert_int_equal(p->processes, 3);
	p->process[2].run = 1;
	fold_model(p, 1);
	assert_int_equal(p->processes, 2);
	assert_int_equal(p->process[0].count, 2);
	profile_free(p);
}

static void test_a_folded_model_round_trips(void **state)
{
	const char *path = scp_build_name("folded.scp");
	struct profile *p = three_processes(), *q;
	struct profile_error err;

	(void)state;
	fold_model(p, 1);
	assert_true(p->entry[0].sums.slow && p->entry[0].sums.batches.count);
	free(p->entry[0].sums.apart);
	p->entry[0].sums.apart = malloc(sizeof(struct prof_apart));
	*p->entry[0].sums.apart = (struct prof_apart){
		3, UINT64_MAX, (prof_u128)7 << 100, (prof_u128)5 << 99, (prof_u128)3 << 70, 1};
	assert_int_equal(write_profile(p, path, &err), 0);
	q = profile_open(&path, 1, &err);
	assert_non_null(q);
	if (model_difference(p, q))
		fail_msg("%s", model_difference(p, q));
	profile_free(p);
	profile_free(q);
}

/* More than there is room for, and none: they are not told. */
static void test_stretches_that_do_not_fit_are_not_told(void **state)
{
	const struct prof_apart odd[] = {{2, ((prof_u128)1 << 64) + 5, 1, 1, 1, 1},
					 {0, 1, 1, 1, 1, 1}};
	const char *path = scp_build_name("odd.scp");
	struct profile *p = three_processes(), *q;
	struct profile_error err;

	(void)state;
	p->entry[0].sums.apart = malloc(sizeof(struct prof_apart));
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		*p->entry[0].sums.apart = odd[i];
		assert_int_equal(write_profile(p, path, &err), 0);
		q = profile_open(&path, 1, &err);
		assert_non_null(q);
		assert_null(q->entry[0].sums.apart);
		profile_free(q);
	}
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_add),
		cmocka_unit_test(test_the_longest_and_the_first_call_keep_their_company),
		cmocka_unit_test(test_phases_add_up),
		cmocka_unit_test(test_adding_to_nothing_is_copying),
		cmocka_unit_test(test_batches_of_one_size_follow_each_other),
		cmocka_unit_test(test_smaller_batches_are_joined_in_pairs),
		cmocka_unit_test(test_full_batches_double),
		cmocka_unit_test(test_too_small_batches_give_way),
		cmocka_unit_test(test_what_is_in_no_batch_is_kept_by_stretches),
		cmocka_unit_test(test_dropped_batches_are_stretches),
		cmocka_unit_test(test_slow_sums_are_kept_by_the_same_stretches),
		cmocka_unit_test(test_half_known_slow_sums_are_dropped),
		cmocka_unit_test(test_fold_joins_processes_of_one_program),
		cmocka_unit_test(test_fold_keeps_runs_apart),
		cmocka_unit_test(test_keeps_the_processes_of_some_programs),
		cmocka_unit_test(test_a_folded_model_round_trips),
		cmocka_unit_test(test_stretches_that_do_not_fit_are_not_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

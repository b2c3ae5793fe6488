// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls by octaves stay with their batches, whatever is joined.
 *
 * Octaves are drawn at random, and a call of each takes a time of its own: a batch's time says
 * which octaves its slot has to hold, and one that was shifted, halved or counted twice does not
 * pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "tests/unit/support/scp_build.h"

#define FIRST 5

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % n;
}

/* Eight bits apart: the sum of a batch holds the number of calls of each octave. */
static uint64_t units_of(uint32_t octave)
{
	return UINT64_C(1) << 8 * (octave - FIRST);
}

/* `count` batches of `each` calls of four octaves from FIRST on; the first `unknown`
 * slots are zero. */
static struct prof_sums calls_of(uint64_t each, uint32_t count, uint32_t unknown, uint32_t first,
				 uint32_t octaves)
{
	struct prof_sums s = {.batches = {each, count, calloc(SCP_BATCHES, 8)},
			      .tail = calloc(1, sizeof *s.tail)};

	s.tail->first = first;
	s.tail->octaves = octaves;
	for (uint64_t i = 0; i < each * count; i++) {
		uint32_t octave = FIRST + (uint32_t)random_below(4), slot = (uint32_t)(i / each);
		uint32_t k = octave < first ? 0 : octave - first;

		s.calls++;
		s.units += units_of(octave);
		s.batches.sum[slot] += units_of(octave);
		if (slot >= unknown)
			s.tail->calls[slot][k < octaves ? k : octaves - 1]++;
	}
	return s;
}

/* How many slots hold what their batch says; the others must not add up. */
static uint32_t known_slots(const struct prof_sums *s)
{
	const struct prof_tail *t = s->tail;
	uint32_t known = 0;

	for (uint32_t i = 0; i < s->batches.count; i++) {
		uint32_t want[SCP_TAIL_OCTAVES] = {0};
		uint64_t calls = 0;

		for (uint32_t octave = FIRST; octave < FIRST + 4; octave++) {
			uint32_t k = octave < t->first ? 0 : octave - t->first;

			want[k < t->octaves ? k : t->octaves - 1] +=
				(s->batches.sum[i] >> 8 * (octave - FIRST)) & 255;
		}
		for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++)
			calls += t->calls[i][k];
		if (calls != s->batches.calls)
			continue;
		known++;
		if (memcmp(want, t->calls[i], sizeof want) != 0)
			fail_msg("slot %u is not about its batch", i);
	}
	return known;
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

static void test_joined_slots_hold_the_calls_of_their_batches(void **state)
{
	static const struct {
		uint64_t each_a, each_b;
		uint32_t count_a, count_b, count;
	} shape[] = {{2, 2, 5, 7, 12},
		     {2, 8, 16, 3, 7},
		     {16, 2, 4, 24, 7},
		     {2, 2, 64, 64, 64},
		     {4, 4, 40, 26, 33}};

	(void)state;
	for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
		struct prof_sums a = calls_of(shape[i].each_a, shape[i].count_a, 0, 4, 15);
		struct prof_sums b = calls_of(shape[i].each_b, shape[i].count_b, 0, 4, 15);
		struct prof_sums s = sum_of(&a, &b);

		assert_int_equal(s.batches.count, shape[i].count);
		assert_non_null(s.tail);
		assert_int_equal(known_slots(&s), shape[i].count);
		clear(&a, &b, &s);
	}
}

static void test_unknown_slots_stay_unknown(void **state)
{
	struct prof_sums a = calls_of(2, 40, 3, 4, 15), b = calls_of(2, 40, 1, 4, 15);
	struct prof_sums s = sum_of(&a, &b);

	(void)state;
	assert_int_equal(s.batches.count, 40); /* of 4: slots 0, 1 and 20 lack calls */
	assert_int_equal(known_slots(&s), 37);
	clear(&a, &b, &s);
}

static void test_calls_of_a_thread_without_octaves_are_unknown(void **state)
{
	struct prof_sums a = calls_of(2, 40, 0, 4, 15), b = calls_of(2, 5, 0, 4, 15), s;

	(void)state;
	free(b.tail);
	b.tail = NULL;
	s = sum_of(&a, &b);
	assert_int_equal(s.batches.count, 45);
	assert_int_equal(known_slots(&s), 40);
	sums_clear(&s);
	s = sum_of(&b, &a);
	assert_int_equal(s.batches.count, 45);
	assert_int_equal(known_slots(&s), 40);
	assert_int_equal(s.tail->calls[0][1] + s.tail->calls[4][1], 0);
	clear(&a, &b, &s);
	a = calls_of(2, 62, 0, 4, 15);
	b = calls_of(2, 20, 0, 4, 15);
	free(b.tail);
	b.tail = NULL;
	s = sum_of(&a, &b); /* 31 and 10 of 4 calls: nothing is left of the smaller ones */
	assert_int_equal(known_slots(&s), 31);
	for (uint32_t i = 31; i < 41; i++)
		for (uint32_t k = 0; k < SCP_TAIL_OCTAVES; k++)
			assert_int_equal(s.tail->calls[i][k], 0);
	clear(&a, &b, &s);
}

static void test_octaves_that_both_have_are_kept(void **state)
{
	struct prof_sums a = calls_of(4, 10, 0, 3, 5), b = calls_of(4, 10, 0, 6, 6);
	struct prof_sums s = sum_of(&a, &b);

	(void)state;
	assert_int_equal(s.tail->first, 6);
	assert_int_equal(s.tail->octaves, 2);
	assert_int_equal(known_slots(&s), 20);
	sums_clear(&s);
	b.tail->first = 7; /* one octave in common says nothing */
	s = sum_of(&a, &b);
	assert_null(s.tail);
	clear(&a, &b, &s);
}

/* Whatever a file says: it cannot add up by going round. */
static void test_counts_that_do_not_fit_are_no_small_ones(void **state)
{
	struct prof_sums a = calls_of(2, 64, 0, 4, 15), b = calls_of(2, 64, 0, 4, 15), s;

	(void)state;
	memset(a.tail->calls, 0, sizeof a.tail->calls);
	a.tail->calls[0][0] = UINT32_MAX;
	a.tail->calls[1][0] = 5;
	s = sum_of(&a, &b);
	assert_true(s.tail->calls[0][0] == UINT32_MAX);
	clear(&a, &b, &s);
}

static void test_a_file_s_slots_that_do_not_add_up_are_zero(void **state)
{
	struct scp_build b;
	struct scp_sample at;
	struct profile *p = profile_new();
	struct profile_error err;
	const char *name = scp_build_name("tail.scp");
	const struct prof_tail *t;

	(void)state;
	scp_build_sample(&b, &at);
	scp_build_save(&b, name);
	scp_build_free(&b);
	assert_int_equal(profile_add(p, name, &err), 0);
	t = p->entry[0].sums.tail;
	assert_non_null(t);
	assert_int_equal(t->first, 3);
	assert_int_equal(t->octaves, 4);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(t->calls[i][1], i == 2 ? 0 : 2);
	assert_null(p->entry[1].sums.tail);
	profile_free(p);
}

static int clean(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined_slots_hold_the_calls_of_their_batches),
		cmocka_unit_test(test_unknown_slots_stay_unknown),
		cmocka_unit_test(test_calls_of_a_thread_without_octaves_are_unknown),
		cmocka_unit_test(test_octaves_that_both_have_are_kept),
		cmocka_unit_test(test_counts_that_do_not_fit_are_no_small_ones),
		cmocka_unit_test(test_a_file_s_slots_that_do_not_add_up_are_zero),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}

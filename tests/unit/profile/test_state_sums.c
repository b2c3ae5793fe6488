// SPDX-License-Identifier: GPL-3.0-or-later
/* Adding up switched calls.
 *
 * The sums by batches are multiples of the times of the calls, which are drawn at random: a slot
 * that was shifted, halved or counted twice does not pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/model/addition.h"
#include "profile/profile.h"

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (random_state >> 33) % n;
}

enum kind { NEVER, ALWAYS, UNBATCHED, UNKNOWN, SAMPLED };

/* `count` batches of `each` calls of random length, and `loose` calls. ALWAYS: all were switched;
 * UNBATCHED: so they were, and it is not known in which batches. */
static struct prof_sums calls_of(enum kind kind, uint64_t each, uint32_t count, uint32_t loose)
{
	static const uint32_t detector[] = {SCP_SWITCH_RSEQ, SCP_SWITCH_PERF, SCP_SWITCH_PERF,
					    SCP_SWITCH_NONE, SCP_SWITCH_SAMPLED};
	struct prof_sums s = {.detector = detector[kind]};
	struct prof_states *t = kind == NEVER || kind == UNKNOWN ? NULL : calloc(1, sizeof *t);
	struct prof_state_batches *b = t && kind != UNBATCHED ? calloc(1, sizeof *b) : NULL;

	s.batches = (struct prof_batches){each, count, calloc(SCP_BATCHES, 8)};
	for (uint64_t i = 0; i < each * count + loose; i++) {
		uint64_t units = 1 + random_below(1000), slot = i / each;

		s.calls++;
		s.units += units;
		s.units_sq += units * units;
		if (slot >= count)
			continue;
		s.batches.sum[slot] += units;
		if (b) {
			b->calls[slot]++;
			b->units[slot] += units;
			b->known[slot] += 2 * units;
			b->weighted[slot] += 3 * units;
			b->runnable_ns[slot] += 4 * units;
			b->asleep_ns[slot] += 5 * units;
		}
	}
	s.states = t;
	if (t) {
		t->detector = s.detector;
		t->calls = kind == SAMPLED ? 1 : s.calls;
		t->units = s.units;
		t->units_sq = s.units_sq;
		t->readings = 1;
		t->off_cpu = (struct scp_off_cpu){2 * s.units, 3 * s.units, 4 * s.units,
						  5 * s.units, 6 * s.units, s.calls};
		t->batches = b;
	}
	return s;
}

static struct prof_sums sum_of(struct prof_sums a, struct prof_sums b)
{
	struct prof_sums s = {0};

	assert_int_equal(sums_add(&s, &a), 0);
	assert_int_equal(sums_add(&s, &b), 0);
	sums_clear(&a);
	sums_clear(&b);
	return s;
}

/* Every slot is about its batch, and all of its calls were switched or none. */
static void expect_parallel(const struct prof_sums *s, uint32_t switched)
{
	const struct prof_state_batches *b = s->states->batches;
	uint32_t found = 0;

	assert_non_null(b);
	for (uint32_t i = 0; i < s->batches.count; i++) {
		if (!b->calls[i] && !b->units[i] && !b->asleep_ns[i])
			continue;
		found++;
		assert_int_equal(b->calls[i], s->batches.calls);
		assert_int_equal(b->units[i], s->batches.sum[i]);
		assert_int_equal(b->known[i], 2 * s->batches.sum[i]);
		assert_int_equal(b->weighted[i], 3 * s->batches.sum[i]);
		assert_int_equal(b->runnable_ns[i], 4 * s->batches.sum[i]);
		assert_int_equal(b->asleep_ns[i], 5 * s->batches.sum[i]);
	}
	assert_int_equal(found, switched);
}

static void test_states_by_batches_stay_with_their_batches(void **state)
{
	static const struct {
		enum kind a, b;
		uint64_t each_a, each_b;
		uint32_t count_a, count_b, count, switched;
	} shape[] = {{ALWAYS, ALWAYS, 2, 2, 5, 7, 12, 12},  {ALWAYS, ALWAYS, 2, 8, 16, 3, 7, 7},
		     {ALWAYS, NEVER, 2, 2, 5, 7, 12, 5},    {NEVER, ALWAYS, 2, 8, 16, 3, 7, 3},
		     {NEVER, ALWAYS, 2, 2, 64, 64, 64, 32}, {ALWAYS, NEVER, 16, 2, 4, 24, 7, 4},
		     {ALWAYS, NEVER, 2, 2, 33, 32, 32, 16}, {ALWAYS, NEVER, 4, 1, 0, 9, 9, 0},
		     {NEVER, ALWAYS, 1, 4, 1, 9, 9, 9},	    {ALWAYS, UNBATCHED, 1, 1, 8, 2, 8, 8},
		     {UNBATCHED, ALWAYS, 1, 1, 2, 8, 8, 8}, {NEVER, UNBATCHED, 2, 2, 9, 2, 9, 0},
		     {ALWAYS, UNKNOWN, 1, 1, 8, 2, 8, 8}};

	(void)state;
	for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
		struct prof_sums s =
			sum_of(calls_of(shape[i].a, shape[i].each_a, shape[i].count_a, 1),
			       calls_of(shape[i].b, shape[i].each_b, shape[i].count_b, 3));

		assert_int_equal(s.batches.count, shape[i].count);
		assert_non_null(s.states);
		expect_parallel(&s, shape[i].switched);
		sums_clear(&s);
	}
}

/* Neither side has so few batches that they can give way. */
static void test_batches_half_of_which_have_no_states_have_none(void **state)
{
	struct prof_sums s = sum_of(calls_of(ALWAYS, 1, 8, 0), calls_of(UNBATCHED, 1, 3, 0));

	(void)state;
	assert_int_equal(s.batches.count, 11);
	assert_int_equal(s.states->calls, 11);
	assert_null(s.states->batches);
	sums_clear(&s);
}

static void test_states_add_up(void **state)
{
	struct prof_sums a = calls_of(ALWAYS, 1, 3, 0), b = calls_of(ALWAYS, 1, 4, 2), s = {0};

	(void)state;
	hist_block(&a.states->hist[SCP_STATE_LOST], 0)[9] = 3;
	a.states->switched_weighted = 8;
	a.states->from_calls = a.states->from_units = 0;
	a.states->runnable_sq = b.states->runnable_sq = (prof_u128)1 << 100;
	a.states->asleep_sq = a.states->runnable_asleep = 5;
	a.states->units_runnable = a.states->units_asleep = 7;
	a.detector = a.states->detector = SCP_SWITCH_RSEQ;
	for (int i = 0; i < 2; i++)
		assert_int_equal(sums_add(&s, &a), 0);
	assert_int_equal(sums_add(&s, &b), 0);
	assert_int_equal(s.detector, SCP_SWITCH_RSEQ); /* with PERF: of one kind */
	assert_int_equal(s.states->detector, SCP_SWITCH_RSEQ);
	assert_int_equal(s.states->calls, 12);
	assert_int_equal(s.states->units, s.units);
	assert_true(s.states->units_sq == s.units_sq && !s.states->from_calls);
	assert_int_equal(s.states->readings, 3);
	assert_int_equal(s.states->switched_weighted, 16);
	assert_true(s.states->off_cpu.known == 2 * s.units && s.states->off_cpu.waits == 12);
	assert_true(s.states->off_cpu.ran_ns == 6 * s.units);
	assert_true(s.states->runnable_sq == (prof_u128)3 << 100 && s.states->asleep_sq == 10);
	assert_true(s.states->runnable_asleep == 10 && s.states->units_runnable == 14);
	assert_true(s.states->units_asleep == 14);
	assert_int_equal(hist_count(s.states->hist[SCP_STATE_LOST], 9), 6);
	assert_null(s.states->hist[SCP_STATE_SLEPT]);
	sums_clear(&a);
	sums_clear(&b);
	sums_clear(&s);
	assert_null(s.states);
}

static void test_calls_of_which_nothing_is_known_are_not_covered(void **state)
{
	static const enum kind known[] = {NEVER, ALWAYS, SAMPLED};

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct prof_sums a = calls_of(known[i / 2], 1, 0, 7);
		struct prof_sums b = calls_of(UNKNOWN, 1, 0, 4);
		uint32_t detector = a.detector;
		uint64_t units = b.units, switched = a.states ? a.states->calls : 0;
		struct prof_sums s = i % 2 ? sum_of(a, b) : sum_of(b, a);

		assert_int_equal(s.detector, detector);
		assert_int_equal(s.states->from_calls, 4);
		assert_int_equal(s.states->from_units, units);
		assert_int_equal(s.states->calls, switched);
		sums_clear(&s);
	}
}

static void test_detectors_of_different_kinds_know_nothing_together(void **state)
{
	static const enum kind pair[][2] = {
		{SAMPLED, NEVER}, {ALWAYS, SAMPLED}, {UNKNOWN, UNKNOWN}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct prof_sums s =
			sum_of(calls_of(pair[i][0], 1, 4, 1), calls_of(pair[i][1], 1, 4, 1));

		assert_int_equal(s.detector, SCP_SWITCH_NONE);
		assert_null(s.states);
		assert_int_equal(s.calls, 10);
		assert_int_equal(s.batches.count, 8);
		sums_clear(&s);
	}
}

static void test_calls_of_which_none_was_switched_have_no_states(void **state)
{
	struct prof_sums s = sum_of(calls_of(NEVER, 1, 4, 1), calls_of(NEVER, 2, 4, 1));

	(void)state;
	assert_int_equal(s.detector, SCP_SWITCH_RSEQ);
	assert_null(s.states);
	sums_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states_by_batches_stay_with_their_batches),
		cmocka_unit_test(test_batches_half_of_which_have_no_states_have_none),
		cmocka_unit_test(test_states_add_up),
		cmocka_unit_test(test_calls_of_which_nothing_is_known_are_not_covered),
		cmocka_unit_test(test_detectors_of_different_kinds_know_nothing_together),
		cmocka_unit_test(test_calls_of_which_none_was_switched_have_no_states),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

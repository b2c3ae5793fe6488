// SPDX-License-Identifier: GPL-3.0-or-later
/* Dependence of calls beyond a percentile, and what it makes of limits and shares. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stats/histogram/tail.h"
#include "stats/mean/proportion.h"

#define SLOTS 60
#define CALLS 1000
#define SHORT 1000 /* units: octave 7, the record's second */
#define LONG  9000 /* octave 10 */
#define FIRST 6

static uint32_t slot[SLOTS][STATS_TAIL_OCTAVES];
static uint64_t count[STATS_HIST_BUCKETS];

static struct stats_tail tail_of(void)
{
	return (struct stats_tail){CALLS, SLOTS, FIRST, STATS_TAIL_OCTAVES, slot};
}

/* Slot i has `longs` long calls where i % every == 0. */
static struct stats_tail program(uint32_t longs, uint32_t every)
{
	memset(slot, 0, sizeof slot);
	memset(count, 0, sizeof count);
	for (uint32_t i = 0; i < SLOTS; i++) {
		uint32_t here = i % every ? 0 : longs;

		slot[i][histogram_bucket(LONG) / 8 - FIRST] = here;
		slot[i][histogram_bucket(SHORT) / 8 - FIRST] = CALLS - here;
		count[histogram_bucket(LONG)] += here;
		count[histogram_bucket(SHORT)] += CALLS - here;
	}
	return tail_of();
}

static void test_calls_spread_evenly_count_as_independent(void **state)
{
	struct stats_tail t = program(30, 1);
	struct tail_dependence d = tail_dependence_find(&t, count, STATS_HIST_BUCKETS, 0.97);

	(void)state;
	assert_true(d.design_effect == 1);
}

/* 600 long calls in every sixth slot, 100 at a time: var of the slots' numbers is 100^2 p (1 - p)
 * 60/59 with p = 1/6, the binomial one 1000 p' (1 - p') with p' = 1/60. */
static void test_bursts_have_the_design_effect_of_a_cluster_sample(void **state)
{
	double between = 1e4 / 6 * 5 / 6 * 60 / 59, binomial = 1000 * (1.0 / 60) * (59.0 / 60);
	struct stats_tail t;
	struct tail_dependence d;

	(void)state;
	t = program(100, 6);
	d = tail_dependence_find(&t, count, STATS_HIST_BUCKETS, 0.985);
	assert_true(d.design_effect > between / binomial * 0.99);
	assert_true(d.design_effect < between / binomial * 1.1); /* what lag 1 leaves possible */
}

/* Where nothing tells that it is not as the mean's, calls count as few: 1 of 4724 is beyond the
 * percentile, and as 23 calls their longest would be all of the 205 that it stands for. */
static void test_a_lower_limit_lies_at_the_first_of_the_calls_that_count_as_one(void **state)
{
	struct stats_hist_limits limits;

	(void)state;
	memset(count, 0, sizeof count);
	count[histogram_bucket(SHORT)] = 4723;
	count[histogram_bucket(LONG)] = 1;
	limits = tail_order_limits(count, STATS_HIST_BUCKETS, 0.999, 205, 0.95);
	assert_true(limits.low <= SHORT);
	assert_true(isinf(limits.high));
}

static void test_bursts_widen_the_limits_of_a_percentile(void **state)
{
	struct stats_tail t = program(100, 6);
	struct tail_limits dependent =
		tail_limits_find(&t, count, STATS_HIST_BUCKETS, 0.985, NAN, 0.95);
	struct stats_hist_limits independent =
		tail_order_limits(count, STATS_HIST_BUCKETS, 0.985, 1, 0.95);

	(void)state;
	assert_true(independent.low > SHORT && dependent.low < SHORT);
	assert_true(dependent.design_effect > 50);
}

/* One burst is no basis: 1000 calls, and no upper limit. */
static void test_percentile_within_one_burst_is_marked(void **state)
{
	struct stats_tail t = program(CALLS, SLOTS);
	struct tail_limits l = tail_limits_find(&t, count, STATS_HIST_BUCKETS, 0.99, 1, 0.95);

	(void)state;
	assert_true(isinf(l.high));
	assert_int_equal(l.unreliable, TAIL_FEW_INDEPENDENT);
}

static void test_slots_that_do_not_add_up_are_unknown(void **state)
{
	struct stats_tail t = program(100, 6);
	struct tail_limits l;

	(void)state;
	for (uint32_t i = 0; i < SLOTS - 31; i++)
		slot[i][0] ^= 1;
	l = tail_limits_find(&t, count, STATS_HIST_BUCKETS, 0.985, 7, 0.95);
	assert_int_equal(l.unreliable, TAIL_UNKNOWN);
	assert_true(l.design_effect == 7);
	slot[0][0] ^= 1;
	l = tail_limits_find(&t, count, STATS_HIST_BUCKETS, 0.985, 7, 0.95);
	assert_int_equal(l.unreliable & TAIL_UNKNOWN, 0);
}

static void test_no_record_is_unknown(void **state)
{
	struct tail_limits l;

	(void)state;
	program(100, 6);
	l = tail_limits_find(NULL, count, STATS_HIST_BUCKETS, 0.5, NAN, 0.95);
	assert_int_equal(l.unreliable, TAIL_UNKNOWN);
	assert_true(l.design_effect == 1);
	count[histogram_bucket(1 << 20)] = 10 * SLOTS * CALLS; /* calls in no slot */
	l = tail_limits_find(&(struct stats_tail){CALLS, SLOTS, FIRST, STATS_TAIL_OCTAVES, slot},
			     count, STATS_HIST_BUCKETS, 0.5, NAN, 0.95);
	assert_int_equal(l.unreliable, TAIL_UNKNOWN);
}

/* Whatever a file claims. */
static void test_octaves_outside_of_the_record_lead_nowhere(void **state)
{
	struct stats_tail t = program(100, 6);

	(void)state;
	for (t.first = 0; t.first < 70; t.first++)
		for (t.octaves = 0; t.octaves <= STATS_TAIL_OCTAVES; t.octaves++)
			for (double q = 0.1; q < 1; q += 0.2) {
				struct tail_limits l =
					tail_limits_find(&t, count, STATS_HIST_BUCKETS, q, 1, 0.95);

				assert_true(l.low <= l.high && l.design_effect >= 1);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_spread_evenly_count_as_independent),
		cmocka_unit_test(test_bursts_have_the_design_effect_of_a_cluster_sample),
		cmocka_unit_test(
			test_a_lower_limit_lies_at_the_first_of_the_calls_that_count_as_one),
		cmocka_unit_test(test_bursts_widen_the_limits_of_a_percentile),
		cmocka_unit_test(test_percentile_within_one_burst_is_marked),
		cmocka_unit_test(test_slots_that_do_not_add_up_are_unknown),
		cmocka_unit_test(test_no_record_is_unknown),
		cmocka_unit_test(test_octaves_outside_of_the_record_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

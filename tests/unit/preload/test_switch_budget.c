// SPDX-License-Identifier: GPL-3.0-or-later
/* How often threads are read: old ones from their own time, young ones from what the process has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"

#define MS	UINT64_C(1000000)
#define READING 10000u /* ns */

static struct profile_file process_file;
struct process process = {.file = &process_file};
struct switch_choice switch_chosen;
struct clock_choice clock_chosen;

int32_t switch_detector_cpu(const struct switch_watch *w)
{
	(void)w;
	return -1;
}

uint64_t clock_ticker_cpu(void)
{
	return 0;
}

static struct switch_watch watch;
static uint64_t now;

static struct switch_watch *begin_thread(uint32_t detector)
{
	uint64_t random = watch.random;

	watch = (struct switch_watch){.random = random, .detector = detector};
	switch_budget_begin(&watch, now);
	return &watch;
}

static int begin_process(void **state)
{
	(void)state;
	watch.random = 4711;
	now = 1000 * MS;
	switch_chosen = (struct switch_choice){.kind = SCP_SWITCH_RSEQ};
	switch_budget_begin_process();
	return 0;
}

/* A thread with so many switches within a millisecond. How often it was read. */
static unsigned live(unsigned switches, double *weights)
{
	struct switch_watch *w = begin_thread(SCP_SWITCH_RSEQ);
	unsigned read = 0;

	for (unsigned i = 0; i < switches; i++) {
		uint64_t weight = switch_budget_choose(w, now += MS / switches);

		*weights += (double)weight;
		read += weight > 0;
		if (weight)
			switch_budget_count(w, READING);
	}
	switch_budget_earn(MS);
	return read;
}

static void test_the_first_threads_are_read(void **state)
{
	double weights = 0;

	(void)state;
	for (int i = 0; i < 16; i++)
		assert_int_equal(live(1, &weights), 1);
	assert_int_equal(weights, 16);
}

/* Eight switches in each of 20 000 threads. The bound on the sum of weights is five standard
 * errors: its variance is the sum of weight - 1, and one switch in about 500 is read. */
static void test_young_threads_together_take_a_share_of_the_cpu_time(void **state)
{
	double weights = 0;
	unsigned read = 0;

	(void)state;
	for (int i = 0; i < 20000; i++)
		read += live(8, &weights);
	assert_true(read > 100);
	assert_true(read * (double)READING < 0.003 * 20000 * (double)MS + 300000);
	assert_true(weights > 160000 - 50000 && weights < 160000 + 50000);
}

static void test_a_process_that_begins_owes_nothing(void **state)
{
	double weights = 0;

	(void)state;
	for (int i = 0; i < 20000; i++)
		live(8, &weights);
	switch_budget_begin_process();
	assert_int_equal(live(1, &weights), 1);
}

/* One that computed for a second has earned readings, however little the others left. */
static void test_an_old_thread_lives_on_its_own(void **state)
{
	struct switch_watch *w;
	double weights = 0;

	(void)state;
	for (int i = 0; i < 20000; i++)
		live(8, &weights);
	w = begin_thread(SCP_SWITCH_RSEQ);
	w->busy_ppk = 1000;
	now += 1000 * MS;
	for (int i = 0; i < 50; i++)
		assert_int_equal(switch_budget_choose(w, now), 1);
	assert_int_equal(switch_budget_choose_last(w, now), 1);
}

/* It may have been somewhere in the network. */
static void test_a_thread_that_may_have_waited_all_its_life_is_young(void **state)
{
	struct switch_watch *w;
	double weights = 0;
	unsigned read = 0;

	(void)state;
	for (int i = 0; i < 20000; i++)
		live(8, &weights);
	for (int i = 0; i < 100; i++) {
		w = begin_thread(SCP_SWITCH_RSEQ);
		if (i % 2)
			w->busy_ppk = 4;
		now += 100 * MS;
		read += switch_budget_choose(w, now) > 0;
		read += switch_budget_choose_last(w, now) > 0;
	}
	assert_true(read < 30);
}

/* Calls of threads that end before a countdown does are asked as often as others: the first as the
 * sixth. With 200 000 threads the standard error of each count is below 2.5 %. */
static void test_each_call_of_a_short_thread_is_as_likely(void **state)
{
	unsigned asked[6] = {0};
	double expected[6] = {0};

	(void)state;
	for (int i = 0; i < 200000; i++) {
		struct switch_watch *w = begin_thread(SCP_SWITCH_SAMPLED);

		switch_budget_draw(w, now);
		for (int call = 0; call < 6; call++) {
			expected[call] += 1.0 / w->period;
			if (--w->countdown)
				continue;
			asked[call]++;
			switch_budget_draw(w, now);
		}
		switch_budget_choose_last(w, now);
		switch_budget_earn(10 * MS);
	}
	for (int call = 0; call < 6; call++) {
		assert_true(asked[call] > 1600);
		assert_true(asked[call] > 0.88 * expected[call]);
		assert_true(asked[call] < 1.12 * expected[call]);
	}
}

static void test_exact_reads_all(void **state)
{
	double weights = 0;

	(void)state;
	switch_chosen.exact = true;
	for (int i = 0; i < 100; i++)
		assert_int_equal(live(8, &weights), 8);
	assert_int_equal(switch_budget_choose_last(&watch, now), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_first_threads_are_read, begin_process),
		cmocka_unit_test_setup(test_young_threads_together_take_a_share_of_the_cpu_time,
				       begin_process),
		cmocka_unit_test_setup(test_a_process_that_begins_owes_nothing, begin_process),
		cmocka_unit_test_setup(test_an_old_thread_lives_on_its_own, begin_process),
		cmocka_unit_test_setup(test_a_thread_that_may_have_waited_all_its_life_is_young,
				       begin_process),
		cmocka_unit_test_setup(test_each_call_of_a_short_thread_is_as_likely,
				       begin_process),
		cmocka_unit_test_setup(test_exact_reads_all, begin_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

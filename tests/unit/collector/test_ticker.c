// SPDX-License-Identifier: GPL-3.0-or-later
/* The page clock counts what its schedule demands: no more, no less, however
 * late its thread was. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/clocks/ticker.h"

#define D 1000u

static void lengths_lie_between_half_and_three_halves_of_the_mean(void **state)
{
	uint64_t shortest = UINT64_MAX, longest = 0, last = 0;
	struct tick_schedule s;

	(void)state;
	ticker_schedule_begin(&s, D, 0, 1);
	for (int i = 0; i < 200000; i++) {
		uint64_t length = s.due_ns - last;

		shortest = length < shortest ? length : shortest;
		longest = length > longest ? length : longest;
		last = s.due_ns;
		assert_int_equal(ticker_schedule_advance(&s, s.due_ns), 1);
	}
	assert_int_equal(shortest, D / 2);
	assert_int_equal(longest, 3 * D / 2);
	/* five deviations of the sum of 200000 uniform lengths: d sqrt(n / 12) each */
	assert_in_range(last, 200000 * D - 645000, 200000 * D + 645000);
	assert_int_equal(s.late_sum_ns, 0);
}

static void odd_means_are_not_biased(void **state)
{
	struct tick_schedule s;
	uint64_t sum = 0;

	(void)state;
	/* mean 3: lengths 2, 3, 4 */
	ticker_schedule_begin(&s, 3, 0, 7);
	for (int i = 0; i < 300000; i++) {
		sum = s.due_ns;
		ticker_schedule_advance(&s, s.due_ns);
	}
	assert_in_range(sum, 900000 - 2300, 900000 + 2300);
}

/* Pearson's chi-square. Limits in the tests below are its 0.1 % and 99.9 % points: too
 * even is as wrong as too uneven. Seeds are fixed, so a test that passes goes on passing. */
static double chi_square(const uint64_t *count, size_t classes, double expected)
{
	double sum = 0;

	for (size_t i = 0; i < classes; i++)
		sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
	return sum;
}

static void lengths_are_uniform(void **state)
{
	uint64_t count[50] = {0}, last = 0;
	struct tick_schedule s;

	(void)state;
	/* 101 has 101 lengths, 51 .. 151; the first 100 make 50 classes of two */
	ticker_schedule_begin(&s, 101, 0, 2);
	for (int i = 0; i < 505000; i++) {
		uint64_t length = s.due_ns - last;

		assert_in_range(length, 51, 151);
		if (length < 151)
			count[(length - 51) / 2]++;
		last = s.due_ns;
		ticker_schedule_advance(&s, s.due_ns);
	}
	double x = chi_square(count, 50, 10000);
	assert_true(x > 23.98 && x < 85.35);
}

/* A program could lock to a clock whose next tick the last one predicts: 9 x 9 classes of
 * neighbours, 80 degrees of freedom (nothing is estimated). */
static void a_length_does_not_predict_the_next(void **state)
{
	uint64_t count[100] = {0}, last = 0, before = 0;
	struct tick_schedule s;

	(void)state;
	ticker_schedule_begin(&s, 99, 0, 3);
	for (int i = 0; i < 490050; i++) {
		uint64_t length = s.due_ns - last, class = (length - 50) / 10;

		/* lengths 50 .. 148: the last class is one short, and left out */
		if (i && class < 9 && before < 9)
			count[before * 9 + class]++;
		before = class;
		last = s.due_ns;
		ticker_schedule_advance(&s, s.due_ns);
	}
	double x = chi_square(count, 81, 490049.0 * 100 / (99 * 99));
	assert_true(x > 46.52 && x < 124.84);
}

/* Over seeds, as every run draws its own: 40000 schedules of 100 ticks; the mean of
 * the sums has deviation d sqrt(100 / 12 / 40000), five of which are allowed. */
static void means_are_unbiased_over_seeds(void **state)
{
	double sum = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40000; seed++) {
		struct tick_schedule s;

		ticker_schedule_begin(&s, D, 0, seed);
		for (int i = 1; i < 100; i++)
			ticker_schedule_advance(&s, s.due_ns);
		sum += (double)s.due_ns;
	}
	assert_true(fabs(sum / 40000 - 100.0 * D) < 5 * D * sqrt(100.0 / 12 / 40000));
}

/* What randomising is for: at any instant but the very beginning, the chance that a
 * tick falls into the next nanosecond is 1/d, whatever the program's rhythm. Looked
 * at d-periodically from tick 20 on, the phase is uniform over 20 classes. */
static void a_period_of_d_meets_every_phase(void **state)
{
	uint64_t count[20] = {0}, ticks = 0;
	struct tick_schedule s;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		ticker_schedule_begin(&s, D, 0, seed);
		while (s.due_ns < 60 * D) {
			if (s.due_ns >= 20 * D) {
				count[s.due_ns % D / (D / 20)]++;
				ticks++;
			}
			ticker_schedule_advance(&s, s.due_ns);
		}
	}
	/* neighbours repel one another a little, which only evens it out: 99.9 % point of 19 */
	assert_true(chi_square(count, 20, (double)ticks / 20) < 43.82);
}

static void the_count_does_not_depend_on_when_one_looks(void **state)
{
	struct tick_schedule often, seldom;

	(void)state;
	ticker_schedule_begin(&often, D, 5000, 3);
	ticker_schedule_begin(&seldom, D, 5000, 3);
	for (uint64_t now = 5000; now <= 905000; now += 100)
		ticker_schedule_advance(&often, now);
	ticker_schedule_advance(&seldom, 905000);
	assert_int_equal(often.ticks, seldom.ticks);
	assert_int_equal(often.due_ns, seldom.due_ns);
}

static void lateness_is_accounted_tick_by_tick(void **state)
{
	struct tick_schedule s, again;
	uint64_t sum = 0, late = 0, max = 0, now = 20000;

	(void)state;
	ticker_schedule_begin(&s, D, 0, 9);
	ticker_schedule_begin(&again, D, 0, 9);
	ticker_schedule_advance(&s, now);
	while (again.due_ns <= now) {
		uint64_t by = now - again.due_ns;

		sum += by;
		late += by > D / 2;
		max = by > max ? by : max;
		ticker_schedule_advance(&again, again.due_ns);
	}
	assert_int_equal(s.late_sum_ns, sum);
	assert_int_equal(s.late_ticks, late);
	assert_int_equal(s.late_max_ns, max);
}

static void sleep_ms(long ms)
{
	struct timespec t = {.tv_nsec = ms * 1000000};

	nanosleep(&t, NULL);
}

static void a_stopped_ticker_has_made_all_due_ticks(void **state)
{
	static const uint64_t intervals[] = {20000, 50000, 1000000};
	char directory[] = "/tmp/scprof-test.XXXXXX", path[64];
	struct profile_error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/clock", directory);
	for (size_t i = 0; i < 3; i++) {
		struct ticker *t = ticker_start(path, intervals[i], 77 + i, &err);
		struct tick_schedule demanded;
		struct ticker_stats stats;

		assert_non_null(t);
		assert_memory_equal(ticker_page(t)->magic, SCP_CLOCK_PAGE_MAGIC, 8);
		assert_int_equal(ticker_page(t)->interval_ps, intervals[i] * 1000);
		assert_int_equal(ticker_page(t)->flags, SCP_CLOCK_RANDOMIZED);
		while (__atomic_load_n(&ticker_page(t)->ticks, __ATOMIC_ACQUIRE) < 30)
			sleep_ms(1);
		ticker_stop(t, &stats);
		assert_int_equal(access(path, F_OK), -1);
		ticker_schedule_begin(&demanded, intervals[i], stats.start_ns, 77 + i);
		ticker_schedule_advance(&demanded, stats.stop_ns);
		assert_int_equal(stats.ticks, demanded.ticks);
		assert_true(stats.ticks >= 30);
	}
	assert_int_equal(rmdir(directory), 0);
}

static void an_existing_file_is_not_touched(void **state)
{
	char path[] = "/tmp/scprof-test.XXXXXX";
	int fd = mkstemp(path);
	struct profile_error err;

	(void)state;
	assert_true(fd >= 0);
	assert_null(ticker_start(path, TICKER_DEFAULT_NS, 1, &err));
	assert_non_null(strstr(err.text, path));
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	assert_int_equal(access(path, F_OK), 0);
	close(fd);
	unlink(path);
}

static void a_page_that_is_cut_goes_on_ticking(void **state)
{
	char path[64];
	struct profile_error err;
	struct ticker_stats stats;
	struct stat st = {.st_size = 0};
	uint64_t ticks = 0;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_ticker.%d.cut", (int)getpid());
	struct ticker *t = ticker_start(path, TICKER_MIN_NS, 1, &err);
	assert_non_null(t);
	int fd = open(path, O_RDWR);
	assert_int_equal(ftruncate(fd, 0), 0);
	while (!ticks) {
		nanosleep(&(struct timespec){0, 1000000}, NULL);
		assert_int_equal(fstat(fd, &st), 0);
		if (st.st_size == SCP_CLOCK_PAGE_BYTES &&
		    pread(fd, &ticks, sizeof(ticks), offsetof(struct scp_clock_page, ticks)) < 0)
			fail();
	}
	close(fd);
	ticker_stop(t, &stats);
	assert_true(stats.ticks >= ticks);
	assert_true(stats.cut);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_lie_between_half_and_three_halves_of_the_mean),
		cmocka_unit_test(lengths_are_uniform),
		cmocka_unit_test(a_length_does_not_predict_the_next),
		cmocka_unit_test(means_are_unbiased_over_seeds),
		cmocka_unit_test(a_period_of_d_meets_every_phase),
		cmocka_unit_test(odd_means_are_not_biased),
		cmocka_unit_test(the_count_does_not_depend_on_when_one_looks),
		cmocka_unit_test(lateness_is_accounted_tick_by_tick),
		cmocka_unit_test(a_stopped_ticker_has_made_all_due_ticks),
		cmocka_unit_test(an_existing_file_is_not_touched),
		cmocka_unit_test(a_page_that_is_cut_goes_on_ticking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Threads too short for a batch are in the error of a row's mean wherever a mean is shown: in a
 * report, of the slow clock of a dual run, in a comparison, in a window of a live picture. */
#include <math.h>

#include "report/compare/diff.h"
#include "report/live/live_rows.h"
#include "tests/unit/support/recording.h"
#include "tests/unit/support/report_fixture.h"

#define LONG_CALLS 6000
#define THREADS	   40
#define CALLS	   20
/* 40 threads that are off by 20 times 500 units each, beside calls that vary little. */
#define ERROR (sqrt(THREADS) * CALLS * 500 / (LONG_CALLS + THREADS * CALLS))

static struct recording thread[THREADS + 1];
static struct prof_entry entry[THREADS + 1];
static struct prof_slow slow[THREADS + 1];

static struct prof_sums sums_of(const struct recording *r)
{
	return (struct prof_sums){
		.calls = r->sums.n,
		.units = r->sums.sum,
		.units_sq = r->sums.sum_sq,
		.min_units = r->sums.min,
		.max_units = r->sums.max,
		.batches = {r->batches.calls, r->batches.count, (uint64_t *)r->batch}};
}

/* One path: a long thread and short ones, whose calls take 500 or 1500 units. */
static struct profile *threads_profile(void)
{
	struct profile *p = fixture_profile();

	for (int t = 0; t <= THREADS; t++) {
		recording_begin(&thread[t]);
		for (unsigned i = 0; i < (t ? CALLS : LONG_CALLS); i++)
			recording_add(&thread[t],
				      t ? 500 + t % 2 * UINT64_C(1000) : 900 + i * 7919 % 201);
		entry[t] = (struct prof_entry){.sums = sums_of(&thread[t])};
	}
	p->entry = entry;
	p->entries = THREADS + 1;
	p->gaps = 0;
	p->slow.kind = SCP_CLOCK_NONE;
	p->clock.overhead = (struct prof_overhead){0};
	return p;
}

static bool is_near(double error)
{
	return error > ERROR && error < 1.02 * ERROR;
}

static void test_a_report_counts_short_threads(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r = report_build(threads_profile(), &o);

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->sites, 1);
	assert_int_equal(r->site[0].calls, LONG_CALLS + THREADS * CALLS);
	assert_true(is_near(r->site[0].estimate.error));
	assert_true(r->site[0].estimate.design_effect > 15);
	report_free(r);
}

static void test_so_does_its_slow_clock(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = threads_profile();
	struct report *r;

	(void)state;
	p->slow = p->clock;
	for (int t = 0; t <= THREADS; t++) {
		const struct prof_sums *s = &entry[t].sums;

		slow[t] = (struct prof_slow){.units = 2 * s->units,
					     .max_units = 2 * s->max_units,
					     .units_sq = 4 * s->units_sq,
					     .batches = s->batches};
		entry[t].sums.slow = &slow[t];
	}
	/* Twice the time, each: the batches, too. */
	for (uint32_t i = 0; i < thread[0].batches.count; i++)
		thread[1].batch[i] = 2 * thread[0].batch[i];
	slow[0].batches.sum = thread[1].batch;
	entry[1].sums.batches.count = slow[1].batches.count = 0;
	r = report_build(p, &o);
	assert_non_null(r);
	assert_true(r->site[0].has_slow);
	assert_true(is_near(r->site[0].estimate.error));
	assert_true(is_near(r->site[0].slow.estimate.error / 2));
	report_free(r);
}

static void test_so_does_a_comparison(void **state)
{
	const struct profile *p = threads_profile(), *both[2] = {p, p};
	struct diff_options o = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;
	struct diff *d = diff_model_build(both, 2, 1, &o, &why);

	(void)state;
	assert_non_null(d);
	assert_int_equal(d->sites, 1);
	assert_true(is_near(d->site[0].run[0].mean.error));
	assert_true(is_near(d->site[0].run[1].mean.error));
	diff_model_free(d);
}

/* The very interval of the report. */
static void test_so_does_a_window(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	const struct profile *p = threads_profile();
	struct report *r = report_build(p, &o);
	struct prof_sums sum = {0};
	struct row_mean m;

	(void)state;
	assert_non_null(r);
	for (int t = 0; t <= THREADS; t++)
		assert_int_equal(sums_add(&sum, &entry[t].sums), 0);
	m = means_of_window(&p->clock, &sum, NAN, o.confidence);
	assert_true(m.low_ns == r->site[0].estimate.low);
	assert_true(m.high_ns == r->site[0].estimate.high);
	assert_true(m.high_ns - m.low_ns > 4 * ERROR);
	sums_clear(&sum);
	report_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_report_counts_short_threads),
		cmocka_unit_test(test_so_does_its_slow_clock),
		cmocka_unit_test(test_so_does_a_comparison),
		cmocka_unit_test(test_so_does_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

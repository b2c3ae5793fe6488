// SPDX-License-Identifier: GPL-3.0-or-later
/* Means of a window of a longer run, by simulation: does the interval cover the truth where the
 * window has batches of its own, and where it borrows the run's design effect? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/model/sites.h"
#include "tests/unit/support/recording.h"
#include "report/report.h"
#include "profile/live/live.h"
#include "report/live/live_rows.h"

#define CONFIDENCE 0.95

static const struct prof_clock clock_1ns = {
	.kind = SCP_CLOCK_TSC, .ns_per_unit = 1, .resolution_units = 1, .tick_ns = 1};

/* As rows.c: sums of the window, those of the batches that lie in it. */
static struct mean_interval estimate(const struct recording *r, const struct stats_sums *before,
				     bool window)
{
	uint32_t first =
		window ? live_first_batch(r->batches.calls, r->batches.count, before->n) : 0;
	struct prof_sums s = {.batches = {r->batches.calls, r->batches.count - first,
					  (uint64_t *)(uintptr_t)r->batch + first},
			      .calls = r->sums.n - (window ? before->n : 0),
			      .units = r->sums.sum - (window ? before->sum : 0),
			      .units_sq = r->sums.sum_sq - (window ? before->sum_sq : 0),
			      .min_units = r->sums.min,
			      .max_units = r->sums.max};

	return site_sums_mean(&clock_1ns, &s, &s, CONFIDENCE);
}

static void check(enum recording_law law, unsigned calls_before, unsigned calls, unsigned runs)
{
	struct recording_source source = {.law = law, .dice = {law + 99}};
	unsigned covered = 0;
	char what[96];

	for (unsigned i = 0; i < runs; i++) {
		struct recording r;

		recording_begin(&r);
		for (unsigned k = 0; k < calls_before; k++)
			recording_add(&r, (uint64_t)llround(recording_draw(&source)));
		struct stats_sums before = r.sums;
		for (unsigned k = 0; k < calls; k++)
			recording_add(&r, (uint64_t)llround(recording_draw(&source)));
		struct mean_interval run = estimate(&r, &before, false);
		struct mean_interval e = estimate(&r, &before, true);

		means_widen(&e, run.design_effect);
		covered += e.low <= 1000 && 1000 <= e.high;
	}
	snprintf(what, sizeof(what), "%s: %u calls after %u", recording_law_names[law], calls,
		 calls_before);
	simulate_assert_rate(what, covered, runs, 0.925, 1);
}

static void covers_with_its_own_batches(void **state)
{
	(void)state;
	for (int law = 0; law < RECORDING_LAWS; law++)
		check(law, 1000, 9000, simulate_trials(400));
}

/* 40000 calls are batches of 1024: none lies in the window. */
static void covers_without_batches(void **state)
{
	(void)state;
	for (int law = 0; law < RECORDING_LAWS; law++)
		check(law, 40000, 900, simulate_trials(300));
}

static void widens_only_where_need_be(void **state)
{
	const struct mean_interval plain = {
		.mean = 100, .low = 90, .high = 120, .error = 5, .design_effect = NAN};
	struct mean_interval e = plain;

	(void)state;
	means_widen(&e, 4);
	assert_true(e.low == 80 && e.high == 140 && e.error == 10 && e.mean == 100);
	assert_true(means_relative(&e) == 0.4);
	e = plain;
	means_widen(&e, 0.25); /* not narrower: few calls do not show it */
	assert_true(e.low == 90 && e.high == 120);
	means_widen(&e, NAN);
	assert_true(e.low == 90 && e.high == 120);
	e.design_effect = 1.5; /* known already */
	means_widen(&e, 4);
	assert_true(e.low == 90 && e.high == 120);
	e = plain;
	means_widen(&e, 1e6);
	assert_true(e.low == 0);
	e.high = INFINITY;
	assert_true(isnan(means_relative(&e)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widens_only_where_need_be),
		cmocka_unit_test(covers_with_its_own_batches),
		cmocka_unit_test(covers_without_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* What the report says is what the profile's sums say. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>

static struct report *build(const struct profile *p, enum report_by by)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	o.by = by;
	r = report_build(p, &o);
	assert_non_null(r);
	return r;
}

static const char *symbol_of(const struct report *r, uint32_t site)
{
	return r->profile->function[r->site[site].function].name;
}

static const char *warning_text(const struct report *r, const char *code)
{
	for (uint32_t i = 0; i < r->warnings; i++)
		if (!strcmp(r->warning[i].code, code))
			return r->warning[i].text;
	return "";
}

static int has_warning(const struct report *r, const char *code)
{
	return *warning_text(r, code) != 0;
}

static void test_tables_are_added_up(void **state)
{
	struct report *r = build(fixture_profile(), REPORT_BY_PATH);
	const struct report_site *s = &r->site[0];

	(void)state;
	assert_int_equal(r->sites, 5);
	assert_string_equal(symbol_of(r, 0), "recv");
	assert_int_equal(s->calls, 4000);
	assert_int_equal(s->ticks, 8000000);
	assert_int_equal(s->bytes, 400000);
	assert_int_equal(s->frames, 9);
	assert_float_equal(s->estimate.mean, 2000, 1e-9);
	/* sd 200, so the half width is 1.96 * 200 / sqrt(4000) = 6.2. */
	assert_float_equal(s->estimate.high - 2000, 6.2, 0.05);
	assert_float_equal(s->total_ns, 8e6, 1e-3);
	assert_float_equal(s->share, 8000000 / 10007700.0, 1e-12);
	assert_true(isnan(s->per_byte_ns));
	assert_float_equal(s->overhead_ns, 0, 0); /* never measured: nothing is subtracted */
	assert_true(s->has_percentiles);
	assert_in_range((uintmax_t)s->percentiles.at[REPORT_P50].ns, 1792, 2048);
	assert_float_equal(s->percentiles.max_ns, 2200, 1e-9);
	report_free(r);
}

/* Of the bucket of 1792 to 2047, whose middle is 1920, calls may be in a part alone. */
static void test_a_percentile_is_no_shorter_than_the_shortest_call(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	p->entry[0].sums.min_units = p->entry[1].sums.min_units = 2040;
	r = build(p, REPORT_BY_PATH);
	assert_float_equal(r->site[0].percentiles.at[REPORT_P50].ns, 2040, 1e-9);
	report_free(r);
}

static void test_cost_splits_into_call_and_byte(void **state)
{
	struct report *r = build(fixture_profile(), REPORT_BY_PATH);

	(void)state;
	assert_string_equal(symbol_of(r, 1), "send");
	assert_float_equal(r->site[1].per_byte_ns, 12.5, 1e-9); /* 800 ns for 64 bytes */
	assert_float_equal(r->site[1].per_call_ns, 3200, 1e-6);
	/* The sizes explain all of the spread. */
	assert_float_equal(r->site[1].per_byte_low_ns, 12.5, 1e-3);
	assert_float_equal(r->site[1].per_byte_high_ns, 12.5, 1e-3);
	report_free(r);
}

/* Five batches of sends, whose sums are 32 and 96 bytes' and do not lie on one line. */
static void give_line(struct prof_sums *s, struct prof_line *line)
{
	static const uint64_t more[] = {0, 900, 300, 1500, 600};

	s->batches = (struct prof_batches){.calls = 100, .count = 5, .sum = fixture_batches()};
	for (unsigned i = 0; i < 5; i++) {
		s->batches.sum[i] = 50 * (3600 + 4400) + more[i] - 660;
		line->bytes[i] = 50 * (32 + 96);
		line->bytes_sq[i] = (prof_u128)50 * (32 * 32 + 96 * 96);
		line->bytes_units[i] = (prof_u128)50 * (32 * 3600 + 96 * 4400) + 50 * more[i];
	}
	s->bytes_units = 0;
	for (unsigned i = 0; i < 5; i++)
		s->bytes_units += line->bytes_units[i];
	s->units = 5 * 50 * 8000;
	s->line = line;
}

static void test_what_a_call_costs_is_as_uncertain_as_what_was_taken_off(void **state)
{
	struct profile *p = fixture_profile();
	struct prof_line line = {0};
	const double error = hypot(40, 0.06 * 100); /* measured, and what no measurement saw */
	struct report_site before, after;
	struct report *r;

	(void)state;
	give_line(&p->entry[3].sums, &line);
	r = build(p, REPORT_BY_PATH);
	before = r->site[1];
	report_free(r);
	p->clock.overhead =
		(struct prof_overhead){.measurements = 2, .inside_ns = 100, .inside_error_ns = 40};
	r = build(p, REPORT_BY_PATH);
	after = r->site[1];
	report_free(r);
	assert_true(before.per_call_high_ns > before.per_call_ns);
	assert_float_equal(after.overhead_error_ns, error, 1e-9);
	assert_float_equal(after.per_call_ns, before.per_call_ns - 100, 1e-6);
	assert_float_equal(after.per_call_high_ns - after.per_call_ns,
			   hypot(before.per_call_high_ns - before.per_call_ns, 1.959964 * error),
			   1e-3);
	assert_float_equal(after.per_call_ns - after.per_call_low_ns,
			   hypot(before.per_call_ns - before.per_call_low_ns, 1.959964 * error),
			   1e-3);
	assert_float_equal(after.per_byte_low_ns, before.per_byte_low_ns, 1e-9);
	assert_float_equal(after.per_byte_high_ns, before.per_byte_high_ns, 1e-9);
}

/* As many samples nearly, one path's anywhere in the tick, the other's in one place. */
static int synchronous(enum report_by by, const struct prof_phase *first,
		       const struct prof_phase *second)
{
	struct profile *p = fixture_profile();
	struct prof_phase copy[2] = {*first, *second};
	struct report *r;
	int found;

	p->clock.resolution_units = 1000;
	p->entry[1].path = 1;
	p->entry[0].sums.phase = &copy[0];
	p->entry[1].sums.phase = &copy[1];
	r = build(p, by);
	found = r->synchronous;
	report_free(r);
	return found;
}

static void test_rows_of_many_paths_are_as_synchronous_as_the_one_sampled_most(void **state)
{
	struct prof_phase even, place = {{0}}, few = {{0}};

	(void)state;
	for (unsigned i = 0; i < SCP_PHASE_BINS; i++)
		even.count[i] = 2;
	place.count[3] = 60;
	few.count[3] = 7;
	assert_int_equal(synchronous(REPORT_BY_PATH, &even, &place), 1);
	assert_int_equal(synchronous(REPORT_BY_FUNCTION, &even, &place), 0);
	place.count[3] = 70;
	assert_int_equal(synchronous(REPORT_BY_FUNCTION, &even, &place), 1);
	assert_int_equal(synchronous(REPORT_BY_FUNCTION, &few, &few), 1); /* too few each */
}

static void test_groupings(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	p->entry[1].path = 1; /* the worker's recv has a path of its own */
	r = build(p, REPORT_BY_PATH);
	assert_int_equal(r->sites, 6);
	report_free(r);
	r = build(p, REPORT_BY_FUNCTION);
	assert_int_equal(r->sites, 5);
	assert_int_equal(r->site[0].calls, 4000);
	assert_int_equal(r->site[0].frames, 0);
	report_free(r);
	r = build(p, REPORT_BY_SITE);
	assert_int_equal(r->sites, 6);
	assert_int_equal(r->site[0].frames, 1);
	report_free(r);
}

static void test_gaps_telescope(void **state)
{
	struct report *r = build(fixture_profile(), REPORT_BY_GAP);

	(void)state;
	assert_int_equal(r->remainder_units == 0, 1);
	assert_float_equal(r->time_ns, 13998000, 1e-3);
	assert_float_equal(r->calls_ns - r->nested_ns + r->gaps_ns + r->recording_ns, r->time_ns,
			   1e-3);
	assert_int_equal(r->gaps, 4);
	assert_int_equal(r->gap[0].calls, 2999);
	assert_int_equal(r->gap[0].from, r->gap[0].to);
	assert_int_equal(r->gap[3].from, PROF_NONE);
	assert_false(has_warning(r, "time-check"));
	report_free(r);
}

static void test_missing_time_is_named(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	p->table[1].call_units -= 1;
	r = build(p, REPORT_BY_THREAD);
	assert_true(has_warning(r, "time-check"));
	assert_float_equal(r->thread[0].remainder_ns, 1, 1e-9);
	report_free(r);
	/* A live table may be between two of its sums. */
	p->table[1].live = true;
	r = build(p, REPORT_BY_THREAD);
	assert_false(has_warning(r, "time-check"));
	report_free(r);
}

static void test_overflow_stays_in_the_totals(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	p->function[0].overflow_calls = 4513;
	p->function[0].overflow_units = 20000000;
	p->losses.overflow_calls = 4513;
	p->losses.overflow_time_units = 20000000;
	r = build(p, REPORT_BY_PATH);
	assert_true(r->site[0].overflow);
	assert_int_equal(r->site[0].calls, 4513);
	assert_true(isnan(r->site[0].estimate.low));
	assert_string_equal(report_names_outcome(&r->site[0]), "any");
	assert_float_equal(r->calls_ns, 30007700, 1e-3);
	assert_int_equal(r->remainder_units == 0, 1);
	assert_int_equal(r->calls, 2 * 4513);
	assert_non_null(strstr(warning_text(r, "overflow"), "(50 %)"));
	report_free(r);
}

static void test_slow_clock_stands_beside_the_fast(void **state)
{
	struct report *r = build(fixture_hostile(), REPORT_BY_PATH);

	(void)state;
	assert_true(r->site[1].has_slow);
	assert_int_equal(r->site[1].slow.ticks, 1);
	assert_float_equal(r->site[1].slow.estimate.mean, 8000, 1e-6);
	assert_true(r->site[1].slow.covers);
	report_free(r);
}

/* 60 ticks in 500 sends say 12 us where the fast clock says 4; 20 ticks agree
 * with it. One site that misses may be chance, two of two are not. */
static void test_slow_clock_that_disagrees_is_named(void **state)
{
	static const struct {
		uint32_t ticks;
		bool second, biased;
	} run[] = {{20, false, false}, {60, false, false}, {60, true, true}};
	struct profile *p = fixture_hostile();

	(void)state;
	p->slow.resolution_units = 100000;
	p->slow.tick_ns = 1e5;
	for (size_t i = 0; i < sizeof(run) / sizeof(run[0]); i++) {
		struct prof_slow slow = {.units = run[i].ticks * UINT64_C(100000),
					 .max_units = 100000,
					 .units_sq = (prof_u128)run[i].ticks * 10000000000u};
		struct report *r;

		p->entry[3].sums.slow = &slow;
		p->entry[2].sums.slow = run[i].second ? &slow : NULL;
		r = build(p, REPORT_BY_PATH);
		assert_int_equal(has_warning(r, "slow-clock-biased"), run[i].biased);
		report_free(r);
	}
}

static void test_losses_become_warnings(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	r = build(p, REPORT_BY_PATH);
	assert_int_equal(r->warnings, 0);
	report_free(r);
	p->losses = (struct scp_losses){.skipped_calls = 3, .sandboxed = 1, .cut_paths = 2};
	p->clock.flags = SCP_CLOCK_FALLBACK;
	p->clock.rate_error = 0.01;
	p->ticker_ticks = 1000;
	p->ticker_late_ticks = 10;
	p->ticker_cost = (struct scp_ticker_cost){.most_ns = 20000000, .asked_ns = 100000};
	p->torn_entries = 1;
	r = build(p, REPORT_BY_PATH);
	assert_true(has_warning(r, "calls-skipped"));
	assert_true(has_warning(r, "sandboxed"));
	assert_true(has_warning(r, "cut-paths"));
	assert_true(has_warning(r, "setting-ignored"));
	assert_true(has_warning(r, "ticker-costly"));
	assert_true(has_warning(r, "rate-uncertain"));
	assert_true(has_warning(r, "ticker-late"));
	assert_true(has_warning(r, "time-check"));
	assert_int_equal(r->skipped_calls, 3);
	report_free(r);
	p->slow.missing = 0.6;
	p->ticker_ticks = 0; /* of a tool that was killed */
	r = build(p, REPORT_BY_PATH);
	assert_true(has_warning(r, "ticker-late"));
	report_free(r);
}

/* They are one process in the profile, which says how many. */
static void test_folded_processes_without_an_end_are_not_called_all(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	p->process[0].end_state = SCP_END_RUNNING;
	p->process[0].count = 650;
	r = build(p, REPORT_BY_PATH);
	assert_non_null(strstr(warning_text(r, "not-ended"), "At least 1 of 650 processes"));
	report_free(r);
}

/* Such a process records nothing more: neither calls, nor its end. */
static void test_a_stopped_process_is_not_called_killed_or_exact(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	p->process[0].end_state = SCP_END_RUNNING;
	p->losses = (struct scp_losses){.sandboxed = 1};
	r = build(p, REPORT_BY_PATH);
	assert_true(has_warning(r, "not-ended"));
	assert_non_null(strstr(warning_text(r, "sandboxed"), "seen before are exact."));
	report_free(r);
	p->losses.stopped = 1;
	r = build(p, REPORT_BY_PATH);
	assert_true(has_warning(r, "sandboxed"));
	assert_false(has_warning(r, "not-ended"));
	assert_null(strstr(warning_text(r, "sandboxed"), "seen before are exact."));
	report_free(r);
}

/* The fixture's worker was busy for 8.999 ms of the process's 10. */
static void test_a_killed_process_lasted_as_long_as_its_longest_thread(void **state)
{
	struct profile *p = fixture_profile();
	struct report *r = build(p, REPORT_BY_PATH);

	(void)state;
	assert_float_equal(r->wall_s, 0.010, 1e-12);
	report_free(r);
	p->process[0].end_state = SCP_END_RUNNING;
	p->process[0].end_mono_ns = p->process[0].start_mono_ns + 5000000;
	r = build(p, REPORT_BY_PATH);
	assert_float_equal(r->wall_s, 0.008999, 1e-12);
	report_free(r);
}

static void test_empty_profile(void **state)
{
	struct profile *p = profile_new();
	struct report *r = build(p, REPORT_BY_PATH);

	(void)state;
	assert_int_equal(r->sites, 0);
	assert_true(has_warning(r, "no-calls"));
	report_free(r);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_are_added_up),
		cmocka_unit_test(test_a_percentile_is_no_shorter_than_the_shortest_call),
		cmocka_unit_test(test_cost_splits_into_call_and_byte),
		cmocka_unit_test(test_what_a_call_costs_is_as_uncertain_as_what_was_taken_off),
		cmocka_unit_test(
			test_rows_of_many_paths_are_as_synchronous_as_the_one_sampled_most),
		cmocka_unit_test(test_groupings),
		cmocka_unit_test(test_gaps_telescope),
		cmocka_unit_test(test_missing_time_is_named),
		cmocka_unit_test(test_overflow_stays_in_the_totals),
		cmocka_unit_test(test_slow_clock_stands_beside_the_fast),
		cmocka_unit_test(test_slow_clock_that_disagrees_is_named),
		cmocka_unit_test(test_losses_become_warnings),
		cmocka_unit_test(test_folded_processes_without_an_end_are_not_called_all),
		cmocka_unit_test(test_a_stopped_process_is_not_called_killed_or_exact),
		cmocka_unit_test(test_a_killed_process_lasted_as_long_as_its_longest_thread),
		cmocka_unit_test(test_empty_profile),
	};

	return cmocka_run_group_tests_name("report model", tests, NULL, NULL);
}

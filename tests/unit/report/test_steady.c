// SPDX-License-Identifier: GPL-3.0-or-later
/* Warm-up, drift, modes and outliers of a report's sites, on sums made by hand.
 * tests/unit/stats/ tests what is found; these test what the report does with it. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>

#include "stats/stationarity/warmup.h"
#include "stats/mean/mean_interval.h"
#include "stats/histogram/tail.h"
#include "report/model/model.h"

#define BATCHES 40
#define EACH	16

static struct prof_hist hist;

static const struct report_site *build(const struct profile *p, bool include, struct report **r)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	o.include_warmup = include;
	*r = report_build(p, &o);
	assert_non_null(*r);
	return &(*r)->site[0];
}

/* BATCHES batches of EACH calls: the first `slow` take 10 times as long, call by call
 * alternately 90 and 110 % of it, as do the others of 1000 + the batch's number % 5. */
static struct prof_sums warming(unsigned slow, uint64_t level)
{
	struct prof_sums s = {.calls = BATCHES * EACH, .min_units = UINT64_MAX};

	s.batches.sum = fixture_batches();
	s.batches.calls = EACH;
	s.batches.count = BATCHES;
	for (unsigned i = 0; i < BATCHES; i++) {
		uint64_t mean = (i < slow ? 10 : 1) * (level + i * 7 % 5);

		for (unsigned k = 0; k < EACH; k++) {
			uint64_t x = k % 2 ? mean + mean / 10 : mean - mean / 10;

			s.units += x;
			s.units_sq += (prof_u128)x * x;
			s.batches.sum[i] += x;
			s.max_units = x > s.max_units ? x : s.max_units;
			s.min_units = x < s.min_units ? x : s.min_units;
			if (!i && !k)
				s.first_units = x;
		}
	}
	s.first_at = 1000;
	s.last_at = 1000 + s.units;
	s.max_at = 501000;
	return s;
}

/* The fixture's profile with these sums as entries of one path, each of its own thread. */
static struct profile *profile_of(const struct prof_sums *sums, uint32_t count)
{
	struct profile *p = fixture_profile();

	p->entries = count;
	p->gaps = 0;
	for (uint32_t i = 0; i < count; i++) {
		p->entry[i] = (struct prof_entry){.table = i, .sums = sums[i]};
		p->entry[i].sums.hist = NULL;
	}
	return p;
}

static double units_from(const struct prof_sums *s, unsigned batch)
{
	double sum = 0;

	for (unsigned i = batch; i < BATCHES; i++)
		sum += (double)s->batches.sum[i];
	return sum;
}

static int warned(const struct report *r, const char *code)
{
	for (uint32_t i = 0; i < r->warnings; i++)
		if (!strcmp(r->warning[i].code, code))
			return 1;
	return 0;
}

static void test_the_mean_is_of_what_follows_a_warmup(void **state)
{
	struct prof_sums sums = warming(8, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s = build(p, false, &r);
	double rest = (BATCHES - 8) * EACH;

	(void)state;
	assert_true(s->findings & REPORT_WARM_UP);
	assert_int_equal(s->steadiness.warmup_calls, 8 * EACH);
	assert_true(s->steadiness.warmup_aside);
	assert_float_equal(s->estimate.mean, units_from(&sums, 8) / rest, 1e-9);
	assert_float_equal(s->steadiness.warmup_ns,
			   ((double)sums.units - units_from(&sums, 8)) / (8 * EACH), 1e-9);
	assert_true(s->estimate.low > 900 && s->estimate.high < 1100);
	assert_int_equal(s->mean_calls, (uint64_t)rest);
	assert_float_equal(s->set_aside_ns, (double)sums.units - units_from(&sums, 8), 1e-6);
	/* what it took, and how often it was called, stays whole */
	assert_int_equal(s->calls, BATCHES * EACH);
	assert_float_equal(s->total_ns, (double)sums.units, 1e-6);
	assert_true(warned(r, "warm-up"));
	/* and what follows is steady */
	assert_true(s->steadiness.drift_known);
	assert_int_equal(s->steadiness.drift, STATS_STEADY);
	report_free(r);
}

static void test_a_warmup_is_put_back_on_request(void **state)
{
	struct prof_sums sums = warming(8, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s = build(p, true, &r);

	(void)state;
	assert_int_equal(s->steadiness.warmup_calls, 8 * EACH);
	assert_false(s->steadiness.warmup_aside);
	assert_float_equal(s->estimate.mean, (double)sums.units / (BATCHES * EACH), 1e-9);
	assert_false(warned(r, "warm-up"));
	report_free(r);
}

static void test_steady_calls_are_left_alone(void **state)
{
	struct prof_sums sums = warming(0, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s = build(p, false, &r);

	(void)state;
	assert_int_equal(s->findings, 0);
	assert_int_equal(s->steadiness.warmup_calls, 0);
	assert_true(isnan(s->steadiness.warmup_ns));
	assert_float_equal(s->estimate.mean, (double)sums.units / (BATCHES * EACH), 1e-9);
	assert_true(s->steadiness.drift_known);
	assert_int_equal(s->steadiness.drift, STATS_STEADY);
	assert_float_equal(s->steadiness.longest_after_s, 500e-6, 1e-12);
	report_free(r);
}

/* Half of a mean may be what calls inside cost; when the longest ended is an instant. */
static void test_recording_of_calls_inside_moves_no_instant(void **state)
{
	struct prof_sums sums = warming(0, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s;

	(void)state;
	p->entry[0].sums.inner_calls = sums.calls;
	p->clock.overhead = (struct prof_overhead){.measurements = 2, .inner_ns = 500};
	s = build(p, false, &r);
	assert_float_equal(s->inner_overhead_ns, 500, 1e-9);
	assert_float_equal(s->steadiness.longest_after_s, 500e-6, 1e-12);
	report_free(r);
}

/* A quarter of the time is in one row, and in another one inside it. */
static void test_what_is_in_two_rows_is_counted_once(void **state)
{
	struct prof_sums sums[2] = {warming(8, 1000), warming(8, 1000)};
	struct profile *p = profile_of(sums, 2);
	struct report *r;

	(void)state;
	p->tables = 1;
	p->entry[1].table = 0;
	p->entry[1].function = 1;
	p->entry[0].sums.inner_calls = p->table[0].nested_calls = sums[1].calls;
	p->table[0].nested_units = sums[1].units;
	p->table[0].call_units = 2 * sums[0].units;
	p->table[0].gap_units = 3 * sums[0].units;
	p->table[0].time_units = 4 * sums[0].units;
	build(p, false, &r);
	for (uint32_t i = 0; i < r->warnings; i++)
		if (!strcmp(r->warning[i].code, "warm-up"))
			assert_non_null(strstr(r->warning[i].text, "2 rows, 25.0 % of the time"));
	assert_true(warned(r, "warm-up"));
	report_free(r);
}

/* Others take 1002 as well as the first takes 20000, of which 900 are the wrapper's. */
static void test_a_first_call_is_compared_without_the_overhead(void **state)
{
	struct prof_sums sums = warming(0, 1000);
	struct profile *p;
	struct report *r;
	const struct report_site *s;

	(void)state;
	sums.units += 20000 - sums.first_units;
	sums.first_units = 20000;
	p = profile_of(&sums, 1);
	p->clock.overhead = (struct prof_overhead){
		.measurements = 2, .inside_ns = 900, .way = {{.inside_ns = 900}}};
	s = build(p, false, &r);
	assert_float_equal(s->steadiness.first_ns, 19100, 1e-6);
	assert_float_equal(s->steadiness.first_ratio, 19100 / 102.0, 1);
	report_free(r);
}

/* 16 of 40 batches are no start: a step, in the mean. */
static void test_half_a_run_is_no_warmup(void **state)
{
	struct prof_sums sums = warming(16, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s = build(p, false, &r);

	(void)state;
	assert_int_equal(s->steadiness.warmup_calls, 0);
	assert_int_equal(s->steadiness.drift, STATS_STEP);
	assert_float_equal(s->steadiness.step_at, 16.0 / 40, 1e-9);
	assert_float_equal(s->estimate.mean, (double)sums.units / (BATCHES * EACH), 1e-9);
	assert_true(s->findings & REPORT_DRIFT);
	report_free(r);
}

/* Threads warm up one by one: the second's first batches are not in the middle. */
static void test_each_thread_warms_up(void **state)
{
	struct prof_sums sums[2] = {warming(8, 1000), warming(4, 1000)};
	struct profile *p = profile_of(sums, 2);
	struct report *r;
	const struct report_site *s = build(p, false, &r);
	double rest = (2 * BATCHES - 12) * EACH;

	(void)state;
	assert_int_equal(s->calls, 2 * BATCHES * EACH);
	assert_int_equal(s->steadiness.warmup_calls, 12 * EACH);
	assert_float_equal(s->estimate.mean,
			   (units_from(&sums[0], 8) + units_from(&sums[1], 4)) / rest, 1e-9);
	report_free(r);
}

/* Batches of processes folded into one do not lie in order of time. */
static void test_folded_processes_have_no_warmup(void **state)
{
	struct prof_sums sums = warming(8, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s;

	(void)state;
	p->process[0].count = 3;
	s = build(p, false, &r);
	assert_int_equal(s->steadiness.warmup_calls, 0);
	assert_false(s->steadiness.drift_known);
	assert_true(isnan(s->steadiness.longest_after_s));
	report_free(r);
}

/* A first call of 100000 among calls of 1000: its square, known exactly, leaves with it,
 * and no later call can have been as long. */
static void test_a_first_call_leaves_no_spread_behind(void **state)
{
	enum { THREE = 3 };
	struct prof_sums sums = {.calls = THREE * BATCHES,
				 .min_units = 1000,
				 .max_units = 100000,
				 .first_units = 100000};
	struct profile *p;
	struct report *r;
	const struct report_site *s;

	(void)state;
	sums.batches.sum = fixture_batches();
	sums.batches.calls = THREE;
	sums.batches.count = BATCHES;
	for (unsigned i = 0; i < sums.calls; i++) {
		uint64_t x = i ? 1000 + i * 7 % 5 : 100000;

		sums.batches.sum[i / THREE] += x;
		sums.units += x;
		sums.units_sq += (prof_u128)x * x;
	}
	p = profile_of(&sums, 1);
	s = build(p, false, &r);
	assert_int_equal(s->steadiness.warmup_calls, THREE);
	assert_float_equal(s->estimate.mean, 1002, 0.2);
	assert_true(s->estimate.high - s->estimate.low < 3);
	assert_int_equal(s->estimate.unreliable, 0);
	report_free(r);
}

/* The batches after the cut are still a little slow: the interval reaches the mean without them. */
static void test_the_interval_allows_for_the_cut(void **state)
{
	struct prof_sums sums = warming(4, 1000);
	struct profile *p;
	struct report *r;
	const struct report_site *s;
	double without;

	(void)state;
	for (unsigned i = 4; i < 8; i++) {
		sums.units += 200 * EACH;
		sums.units_sq += (prof_u128)200 * 2200 * EACH;
		sums.batches.sum[i] += 200 * EACH;
	}
	without = units_from(&sums, 8) / ((BATCHES - 8) * EACH);
	p = profile_of(&sums, 1);
	s = build(p, false, &r);
	if (s->steadiness.warmup_calls == 4 * EACH)
		assert_true(s->estimate.low < without - 5);
	else
		assert_int_equal(s->steadiness.warmup_calls, 8 * EACH);
	report_free(r);
}

/* The longest call lies in the warm-up's second batch: its square goes, too. */
static void test_the_longest_call_leaves_no_spread_behind(void **state)
{
	struct prof_sums sums = warming(2, 1000);
	uint64_t more = 5000000;
	struct profile *p;
	struct report *r;
	const struct report_site *s;

	(void)state;
	sums.max_units = more;
	sums.units += more - 9000;
	sums.units_sq += (prof_u128)more * more - (prof_u128)9000 * 9000;
	sums.batches.sum[1] += more - 9000;
	p = profile_of(&sums, 1);
	s = build(p, false, &r);
	assert_int_equal(s->steadiness.warmup_calls, 2 * EACH);
	assert_true(s->estimate.high - s->estimate.low < 100);
	assert_int_equal(s->estimate.unreliable, 0);
	report_free(r);
}

/* The fast clock and the slow one are about the same calls. */
static void test_both_clocks_leave_out_the_same_calls(void **state)
{
	static struct prof_slow slow;
	struct prof_sums sums = warming(8, 1000);
	struct profile *p = profile_of(&sums, 1);
	struct report *r;
	const struct report_site *s;

	(void)state;
	p->flags |= SCP_FILE_DUAL;
	p->slow = (struct prof_clock){
		.kind = SCP_CLOCK_PAGE, .ns_per_unit = 1, .resolution_units = 1, .tick_ns = 1};
	slow = (struct prof_slow){sums.units, sums.units_sq, sums.max_units, sums.batches};
	p->entry[0].sums.slow = &slow;
	s = build(p, false, &r);
	assert_float_equal(s->slow.estimate.mean, s->estimate.mean, 1e-9);
	assert_true(s->slow.covers);
	assert_int_equal(s->slow.ticks, sums.units); /* of all */
	report_free(r);

	slow.batches.count--; /* not the same any more: nothing is excluded */
	s = build(p, false, &r);
	assert_int_equal(s->steadiness.warmup_calls, 0);
	report_free(r);
}

static void test_drift_is_that_of_the_entry_that_makes_the_site(void **state)
{
	struct prof_sums sums[3] = {warming(0, 1000), warming(0, 10), warming(0, 10)};
	struct profile *p;
	struct report *r;
	const struct report_site *s;

	(void)state;
	for (unsigned i = 0; i < BATCHES; i++) {
		sums[0].batches.sum[i] += 500 * i;
		sums[0].units += 500 * i;
	}
	p = profile_of(sums, 2);
	s = build(p, false, &r);
	assert_true(s->steadiness.drift_known);
	assert_int_equal(s->steadiness.drift, STATS_TREND);
	/* 1000 + 500 / 16 * 39 at the end */
	assert_float_equal(s->steadiness.change, 500.0 / 16 * 39 / 1000, 0.05);
	assert_true(s->findings & REPORT_DRIFT);
	assert_true(warned(r, "drift"));
	report_free(r);

	sums[1] = sums[2] = sums[0]; /* three of equal weight: none stands for all */
	p = profile_of(sums, 3);
	p->entry[2].table = 1;
	s = build(p, false, &r);
	assert_false(s->steadiness.drift_known);
	report_free(r);
}

/* 4000 calls about 1000, 2000 about 20000, and one of 5000000. */
/* Of calls without a mean: those longer than x are one over the root of x. */
static void test_the_mean_has_the_tail_of_the_histogram(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_profile();
	struct prof_sums *s = &p->entry[0].sums;
	struct report *r;

	(void)state;
	memset(&hist, 0, sizeof(hist));
	*s = (struct prof_sums){.calls = 1000, .min_units = 1000, .hist = fixture_blocks(&hist)};
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t units = (uint64_t)(1000 * pow((i + 0.5) / 1000, -2));

		s->units += units;
		s->units_sq += (prof_u128)units * units;
		s->max_units = units > s->max_units ? units : s->max_units;
		hist.count[histogram_bucket(units)]++;
	}
	p->entries = 1;
	p->gaps = 0;
	p->slow.kind = SCP_CLOCK_NONE;
	r = report_build(p, &o);
	assert_non_null(r);
	assert_int_equal(r->site[0].estimate.unreliable, STATS_HEAVY_TAIL);
	report_free(r);
	s->hist = NULL;
	r = report_build(p, &o);
	assert_int_equal(r->site[0].estimate.unreliable, 0);
	report_free(r);
}

static void test_what_the_histogram_tells(void **state)
{
	struct prof_sums sums = {.calls = 6001, .min_units = 900, .max_units = 5000000};
	struct profile *p;
	struct report *r;
	const struct report_site *s;

	(void)state;
	memset(&hist, 0, sizeof(hist));
	hist.count[histogram_bucket(1000)] = 4000;
	hist.count[histogram_bucket(20000)] = 2000;
	hist.count[histogram_bucket(5000000)] = 1;
	sums.units = 4000u * 1000 + 2000u * 20000 + 5000000;
	sums.units_sq = (prof_u128)4000 * 1000 * 1000 + (prof_u128)2000 * 20000 * 20000 +
			(prof_u128)5000000 * 5000000;
	p = profile_of(&sums, 1);
	p->entry[0].sums.hist = fixture_blocks(&hist);
	s = build(p, false, &r);
	assert_int_equal(s->steadiness.modes, 2);
	assert_float_equal(s->steadiness.mode_calls[0], 4000 / 6001.0, 1e-9);
	assert_float_equal(s->steadiness.mode_ns[0], 1000, 130);
	assert_float_equal(s->steadiness.mode_ns[1], 20000, 2600);
	assert_true(s->percentiles.at[REPORT_P50].low_ns <= s->percentiles.at[REPORT_P50].ns &&
		    s->percentiles.at[REPORT_P50].ns <= s->percentiles.at[REPORT_P50].high_ns);
	assert_true(s->percentiles.at[REPORT_P50].high_ns < 1200);
	assert_true(s->percentiles.at[REPORT_P99].low_ns > 15000);
	assert_true(warned(r, "two-modes"));
	report_free(r);
	p->clock.overhead = (struct prof_overhead){.measurements = 2, .inside_ns = 1500};
	s = build(p, false, &r);
	assert_float_equal(s->steadiness.mode_ns[0], 0, 0); /* no call took less than nothing */
	assert_float_equal(s->steadiness.mode_ns[1], 18500, 2600);
	report_free(r);
}

/* 720 of 60 000 calls take 20 times as long: all over the run, or in three of its 60 batches. 120
 * more, in none of them, take 500 times as long. */
static const struct report_site *build_bursts(struct prof_sums *sums, struct prof_tail *tail,
					      uint32_t every, struct report **r)
{
	static uint64_t sum[60];
	struct profile *p;

	memset(&hist, 0, sizeof(hist));
	memset(tail, 0, sizeof(*tail));
	*sums = (struct prof_sums){.calls = 60120,
				   .units = 120 * 500000,
				   .units_sq = (prof_u128)120 * 500000 * 500000,
				   .min_units = 1000,
				   .max_units = 500000};
	hist.count[histogram_bucket(500000)] = 120;
	tail->first = histogram_bucket(1000) / 8 - 1;
	tail->octaves = SCP_TAIL_OCTAVES;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t longs = i % every ? 0 : 12 * every;

		tail->calls[i][histogram_bucket(20000) / 8 - tail->first] = longs;
		tail->calls[i][1] = 1000 - longs;
		hist.count[histogram_bucket(20000)] += longs;
		hist.count[histogram_bucket(1000)] += 1000 - longs;
		sum[i] = 1000 * 1000 + 19000 * longs;
		sums->units += sum[i];
		sums->units_sq += (1000 - longs) * 1000000ull + longs * 400000000ull;
	}
	sums->batches = (struct prof_batches){1000, 60, sum};
	p = profile_of(sums, 1);
	p->entry[0].sums.hist = fixture_blocks(&hist);
	p->entry[0].sums.tail = tail;
	return build(p, false, r);
}

static void test_limits_of_percentiles_allow_for_bursts(void **state)
{
	struct prof_sums sums;
	struct prof_tail tail;
	const struct report_site *s;
	struct report *r;

	(void)state;
	s = build_bursts(&sums, &tail, 1, &r);
	assert_true(s->percentiles.at[REPORT_P99].low_ns > 15000 &&
		    s->percentiles.at[REPORT_P999].low_ns > 15000);
	assert_int_equal(s->percentiles.at[REPORT_P99].unreliable, 0);
	assert_float_equal(s->percentiles.at[REPORT_P99].ns, 20000, 2600);
	assert_float_equal(s->percentiles.at[REPORT_P999].ns, 500000, 65000);
	assert_true(s->percentiles.at[REPORT_P999].high_ns < 600000);
	report_free(r);
	s = build_bursts(&sums, &tail, 20, &r);
	assert_true(s->percentiles.at[REPORT_P99].low_ns < 1200);
	assert_true(isinf(s->percentiles.at[REPORT_P99].high_ns));
	assert_int_equal(s->percentiles.at[REPORT_P99].unreliable, TAIL_FEW_INDEPENDENT);
	assert_int_equal(s->percentiles.at[REPORT_P50].unreliable, 0);
	report_free(r);
}

/* As files of before, and entries of few calls. */
static void test_percentiles_without_octaves_are_marked(void **state)
{
	struct prof_sums sums;
	struct prof_tail tail;
	const struct report_site *s;
	struct profile *p;
	struct report *r;

	(void)state;
	build_bursts(&sums, &tail, 1, &r);
	report_free(r);
	p = profile_of(&sums, 1);
	p->entry[0].sums.hist = fixture_blocks(&hist);
	s = build(p, false, &r);
	assert_int_equal(s->percentiles.at[REPORT_P50].unreliable, TAIL_UNKNOWN);
	assert_int_equal(s->percentiles.at[REPORT_P999].unreliable, TAIL_UNKNOWN);
	report_free(r);
}

/* 1000 calls in one bucket and 2 far out: they are counted with their time, and stay. */
static void test_outliers_are_listed_and_stay_in_the_mean(void **state)
{
	struct prof_sums sums = {.calls = 1002, .min_units = 1000, .max_units = 400000};
	struct profile *p;
	struct report *r;
	const struct report_site *s;

	(void)state;
	memset(&hist, 0, sizeof(hist));
	hist.count[histogram_bucket(1000)] = 1000;
	hist.count[histogram_bucket(400000)] = 2;
	sums.units = 1000u * 1000 + 2u * 400000;
	sums.units_sq = (prof_u128)1000 * 1000 * 1000 + (prof_u128)2 * 400000 * 400000;
	p = profile_of(&sums, 1);
	p->entry[0].sums.hist = fixture_blocks(&hist);
	s = build(p, false, &r);
	assert_int_equal(s->steadiness.outliers, 2);
	assert_float_equal(s->steadiness.outlier_time, 800.0 / 1800, 0.03);
	assert_float_equal(s->steadiness.outlier_ns, 800000, 60000);
	assert_float_equal(s->steadiness.outlier_calls, 2 / 1002.0, 1e-9);
	assert_float_equal(s->estimate.mean, 1800000 / 1002.0, 1e-6);
	assert_true(warned(r, "outliers"));
	report_free(r);
}

/* The bits of a word that lists print by their names. */
static void test_every_finding_has_a_name_of_its_own(void **state)
{
	static const unsigned all[] = {STATS_SYNCHRONOUS, STATS_FEW_INDEPENDENT, STATS_HEAVY_TAIL,
				       REPORT_WARM_UP,	  REPORT_FIRST_CALL,	 REPORT_DRIFT,
				       REPORT_TWO_MODES,  REPORT_OUTLIERS,	 REPORT_FEW_CALLS};
	const size_t n = sizeof(all) / sizeof(*all);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_string_not_equal(reliability_name(all[i]), "none");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(reliability_name(all[i]), reliability_name(all[j]));
	}
	assert_string_equal(reliability_name(REPORT_FIRST_CALL), "first-call");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_mean_is_of_what_follows_a_warmup),
		cmocka_unit_test(test_a_warmup_is_put_back_on_request),
		cmocka_unit_test(test_steady_calls_are_left_alone),
		cmocka_unit_test(test_recording_of_calls_inside_moves_no_instant),
		cmocka_unit_test(test_what_is_in_two_rows_is_counted_once),
		cmocka_unit_test(test_a_first_call_is_compared_without_the_overhead),
		cmocka_unit_test(test_half_a_run_is_no_warmup),
		cmocka_unit_test(test_each_thread_warms_up),
		cmocka_unit_test(test_folded_processes_have_no_warmup),
		cmocka_unit_test(test_a_first_call_leaves_no_spread_behind),
		cmocka_unit_test(test_the_interval_allows_for_the_cut),
		cmocka_unit_test(test_the_longest_call_leaves_no_spread_behind),
		cmocka_unit_test(test_both_clocks_leave_out_the_same_calls),
		cmocka_unit_test(test_drift_is_that_of_the_entry_that_makes_the_site),
		cmocka_unit_test(test_the_mean_has_the_tail_of_the_histogram),
		cmocka_unit_test(test_what_the_histogram_tells),
		cmocka_unit_test(test_limits_of_percentiles_allow_for_bursts),
		cmocka_unit_test(test_percentiles_without_octaves_are_marked),
		cmocka_unit_test(test_outliers_are_listed_and_stay_in_the_mean),
		cmocka_unit_test(test_every_finding_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Intervals of several runs hold what runs differ by; those of one run, and of equal ones, stay as
 * they are. One site, or several, with one entry a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/model/sites.h"

#define RUNS  3
#define SITES 4

static struct prof_process process[RUNS];
static struct prof_table table[RUNS];
static struct prof_entry entry[SITES * RUNS];
static struct report_site site[SITES];
static struct group_row row[SITES];
static uint32_t next[SITES * RUNS], run_of[RUNS], place[SITES];
static struct profile profile;
static struct report report;
static struct groups groups;

static struct mean_interval interval(double mean, double half)
{
	return (struct mean_interval){mean, mean - half, mean + half, "t", half / 2, 9, 1, 0};
}

static void begin(uint32_t runs, uint32_t sites)
{
	profile = (struct profile){.process = process,
				   .processes = runs,
				   .table = table,
				   .tables = runs,
				   .entry = entry,
				   .entries = sites * runs,
				   .clock = {.ns_per_unit = 1}};
	report = (struct report){.profile = &profile,
				 .site = site,
				 .sites = sites,
				 .kept = sites,
				 .runs = runs,
				 .run_of = run_of,
				 .confidence = 0.95};
	groups = (struct groups){
		.profile = &profile, .row = row, .rows = sites, .next = next, .place = place};
	memset(entry, 0, sizeof(entry));
	memset(site, 0, sizeof(site));
	for (uint32_t i = 0; i < runs; i++) {
		run_of[i] = i;
		table[i].process = i;
	}
}

/* 1000 calls a run of so many ns, on average. */
static void put_site(uint32_t which, const double *mean, double half)
{
	for (uint32_t run = 0; run < report.runs; run++) {
		uint32_t e = which * report.runs + run;

		entry[e].table = run;
		entry[e].sums = (struct prof_sums){.calls = 1000,
						   .units = (uint64_t)(1000 * mean[run]),
						   .detector = SCP_SWITCH_RSEQ};
		next[e] = run + 1 < report.runs ? e + 1 : PROF_NONE;
	}
	row[which] = (struct group_row){.first = which * report.runs};
	place[which] = which;
	site[which].calls = 1000 * report.runs;
	site[which].estimate = site[which].states.unswitched = site[which].states.on_cpu =
		site[which].states.charged = interval(mean[0], half);
	site[which].states.known = true;
}

static void judge(void)
{
	struct run_to_run *t = run_to_run_begin(&report);

	for (uint32_t i = 0; i < report.sites; i++)
		run_to_run_note(t, &report, &groups, &row[i], i);
	run_to_run_finish(t, &report);
}

/* Logarithms of 0.9, 1 and 1.1 deviate by 0.1003; Student's t of 2 degrees is 4.303. */
static void test_a_site_alone_has_students_interval(void **state)
{
	const double mean[] = {1000, 900, 1100};

	(void)state;
	begin(RUNS, 1);
	put_site(0, mean, 1);
	judge();
	assert_float_equal(site[0].estimate.high - site[0].estimate.mean, 249.3, 1);
	assert_float_equal(site[0].estimate.mean - site[0].estimate.low, 249.3, 1);
	assert_string_equal(site[0].estimate.method, "between-runs");
	assert_float_equal(site[0].estimate.freedom, 2, 1e-9);
	assert_float_equal(site[0].states.unswitched.high, site[0].estimate.high, 1e-9);
	assert_float_equal(site[0].states.on_cpu.high, site[0].estimate.high, 1e-9);
	assert_float_equal(site[0].states.charged.high, site[0].estimate.high, 1e-9);
}

/* Of runs with 98, 1 and 1 % of the calls the first is nearly all that the mean is of: it is off by
 * 0.98 of what one run is, not by that over root 3. Two short ones tell that, as 1.6 degrees of
 * freedom: 5.47 times 0.0701. */
static void test_a_run_of_most_calls_counts_as_one(void **state)
{
	const double mean[] = {1000, 900, 1100};

	(void)state;
	begin(RUNS, 1);
	put_site(0, mean, 1);
	entry[0].sums.calls *= 98;
	entry[0].sums.units *= 98;
	judge();
	assert_float_equal(site[0].estimate.high - site[0].estimate.mean, 384, 1);
}

/* The third was cut off after 20 calls, which took twice as long. Of the others the logarithms
 * deviate by 0.007, of two runs: Student's t of 1 degree is 12.7. */
static void test_a_short_run_widens_little(void **state)
{
	const double mean[] = {1000, 1010, 2000};

	(void)state;
	begin(RUNS, 1);
	put_site(0, mean, 1);
	for (int run = 0; run < 2; run++) {
		entry[run].sums.calls *= 1000;
		entry[run].sums.units *= 1000;
	}
	entry[2].sums.calls = 20;
	entry[2].sums.units = 20 * 2000;
	judge();
	assert_float_equal(site[0].estimate.high - site[0].estimate.mean, 69, 2);
	assert_float_equal(site[0].estimate.freedom, 1, 0.01);
}

static void test_runs_that_agree_change_nothing(void **state)
{
	const double mean[] = {1000, 1000.1, 999.9};

	(void)state;
	begin(RUNS, 1);
	put_site(0, mean, 20);
	judge();
	assert_float_equal(site[0].estimate.high, 1020, 1e-9);
	assert_string_equal(site[0].estimate.method, "t");
}

/* Narrower than alone (0.249), but a run may be slow at all sites: together they tell as much as
 * one more, Student's t of 4 degrees. */
static void test_sites_tell_as_much_of_each_other_as_one_more(void **state)
{
	const double mean[2][SITES][RUNS] = {
		{{1000, 900, 1100}, {1000, 1100, 900}, {900, 1000, 1100}, {1100, 900, 1000}},
		{{1000, 900, 1100}, {1000, 900, 1100}, {1000, 900, 1100}, {1000, 900, 1100}}};

	(void)state;
	for (int alike = 0; alike < 2; alike++) {
		begin(RUNS, SITES);
		for (uint32_t i = 0; i < SITES; i++)
			put_site(i, mean[alike][i], 1);
		judge();
		for (uint32_t i = 0; i < SITES; i++) {
			double half = (site[i].estimate.high - site[i].estimate.mean) /
				      site[i].estimate.mean;

			assert_true(half > 0.2 && half < 0.249);
		}
	}
}

static void test_what_recording_cost_is_part_of_what_scatters(void **state)
{
	const double mean[] = {1000, 900, 1100};

	(void)state;
	begin(RUNS, 1);
	put_site(0, mean, 1);
	site[0].estimate = interval(200, 1);
	site[0].overhead_ns = 800;
	judge();
	assert_float_equal(site[0].estimate.high - 200, 249.3, 1);
}

static void test_one_run_or_two_say_nothing_of_others(void **state)
{
	(void)state;
	for (uint32_t runs = 1; runs < 3; runs++) {
		begin(runs, 1);
		assert_null(run_to_run_begin(&report));
	}
	run_to_run_note(NULL, &report, &groups, &row[0], 0);
	run_to_run_finish(NULL, &report);
}

static void test_calls_of_two_of_the_runs_stay(void **state)
{
	const double mean[] = {1000, 1500, 0};

	(void)state;
	begin(RUNS, 1);
	put_site(0, mean, 5);
	entry[2].sums.calls = 0;
	judge();
	assert_float_equal(site[0].estimate.high, 1005, 1e-9);
}

/* A row's samples of 1000 in each run, where one run alone would say 0.19 to 0.21. */
static struct report_computing_row computed(const uint64_t samples[RUNS])
{
	static struct report_computing_row shown;
	struct report_computing c = {.row = &shown, .rows = 1, .cpu_s = 3, .effective = 3000};
	struct computing_runs t = {0};

	begin(RUNS, 0);
	report.computing = &c;
	shown = (struct report_computing_row){.share = 0.2, .share_low = 0.19, .share_high = 0.21};
	for (uint32_t run = 0; run < RUNS; run++) {
		assert_int_equal(computing_runs_add(&t, &report, 1, run, samples[run]), 0);
		assert_int_equal(computing_runs_add(&t, &report, 2, run, 1000 - samples[run]), 0);
	}
	assert_int_equal(computing_runs_widen(&t, &report), 0);
	free(t.samples);
	return shown;
}

/* Samples of 0.1, 0.2 and 0.3 scatter by 62.5 times the binomial variance: with Student's t of two
 * degrees they are worth 10 independent ones. */
static void test_shares_of_computing_hold_what_runs_differ_by(void **state)
{
	const uint64_t differ[] = {100, 200, 300}, agree[] = {200, 200, 200};
	struct report_computing_row shown = computed(differ);

	(void)state;
	assert_float_equal(shown.share_low, 0.0566, 0.0005);
	assert_float_equal(shown.share_high, 0.5105, 0.0005);
	shown = computed(agree);
	assert_float_equal(shown.share_low, 0.186, 0.0005);
	assert_float_equal(shown.share_high, 0.2147, 0.0005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_site_alone_has_students_interval),
		cmocka_unit_test(test_a_run_of_most_calls_counts_as_one),
		cmocka_unit_test(test_a_short_run_widens_little),
		cmocka_unit_test(test_runs_that_agree_change_nothing),
		cmocka_unit_test(test_sites_tell_as_much_of_each_other_as_one_more),
		cmocka_unit_test(test_what_recording_cost_is_part_of_what_scatters),
		cmocka_unit_test(test_one_run_or_two_say_nothing_of_others),
		cmocka_unit_test(test_calls_of_two_of_the_runs_stay),
		cmocka_unit_test(test_shares_of_computing_hold_what_runs_differ_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

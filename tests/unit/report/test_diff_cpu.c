// SPDX-License-Identifier: GPL-3.0-or-later
/* CPU time of the calls that were not switched beside elapsed time, in comparisons of runs made by
 * hand: which one is found, which one decides, and when nothing is. */
#include "tests/unit/support/near.h"

#include <string.h>

#include "report/compare/diff.h"

#define SITES 6
#define MOST  6 /* runs */

struct made {
	struct diff d;
	struct diff_site site[SITES];
	struct diff_run run[SITES][MOST];
};

/* Calls of 1000 ns on the CPU, known to 0.1 %, that waited so long for one that their elapsed time
 * is known to 5 %. */
static void begin(struct made *m, uint32_t bases, uint32_t profiles)
{
	memset(m, 0, sizeof(*m));
	m->d = (struct diff){.profiles = profiles,
			     .bases = bases,
			     .options = DIFF_OPTIONS_DEFAULT,
			     .site = m->site,
			     .sites = SITES};
	for (int i = 0; i < SITES; i++) {
		m->site[i] = (struct diff_site){.symbol = "send",
						.outcome = "completed",
						.run = m->run[i],
						.states = true,
						.side[DIFF_BASE].calls = 10000,
						.side[DIFF_NEW].calls = 10000};
		for (uint32_t k = 0; k < profiles; k++)
			m->run[i][k] =
				(struct diff_run){.calls = 10000,
						  .mean = {8000 + 100 * (i % 2) * (k % 2), 400, 60},
						  .undisturbed = {NAN, INFINITY, 0},
						  .quick_ns = NAN,
						  .unswitched = {1000 + (i + (int)k) % 2, 1, 60},
						  .unswitched_undisturbed = {NAN, INFINITY, 0},
						  .unswitched_calls = 9900,
						  .spread = 0.01,
						  .watched = true};
	}
}

static void compare(struct made *m)
{
	assert_int_equal(m->d.profiles > 2 ? diff_runs_test(&m->d) : diff_pair_test(&m->d), 0);
	assert_int_equal(diff_judge(&m->d), 0);
}

static void change_cpu(struct made *m, int site, double factor)
{
	for (uint32_t k = m->d.bases; k < m->d.profiles; k++)
		m->run[site][k].unswitched.mean *= factor;
}

static void a_change_of_cpu_time_is_found(uint32_t bases, uint32_t profiles)
{
	struct made m;

	begin(&m, bases, profiles);
	change_cpu(&m, 3, 1.03);
	compare(&m);
	assert_int_equal(m.d.slower + m.d.faster, 1);
	assert_int_equal(m.d.status, 1);
	assert_ptr_equal(m.site[0].run, m.run[3]); /* sorted: what changed is first */
	assert_int_equal(m.site[0].found[DIFF_CPU_TIME].status, DIFF_SLOWER);
	assert_int_equal(m.site[0].verdict.view, DIFF_UNSWITCHED);
	assert_true(m.site[0].verdict.shown.low < 1.03 && m.site[0].verdict.shown.high > 1.03);
	assert_int_not_equal(m.site[0].found[DIFF_ELAPSED].status, DIFF_SLOWER);
}

static void test_cpu_time_is_found_where_elapsed_time_is_not(void **state)
{
	(void)state;
	a_change_of_cpu_time_is_found(1, 2);
	a_change_of_cpu_time_is_found(3, 6);
}

static void test_equal_runs_show_no_change(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	compare(&m);
	assert_int_equal(m.d.status, 0);
	assert_int_equal(m.d.same, SITES);
	/* what would have been found is that of CPU time */
	assert_int_equal(m.site[0].verdict.view, DIFF_UNSWITCHED);
	assert_true(m.site[0].verdict.shown.detectable < 1.05);
}

static void test_without_states_there_is_elapsed_time_alone(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	change_cpu(&m, 3, 1.03);
	for (int i = 0; i < SITES; i++)
		m.site[i].states = false;
	compare(&m);
	assert_int_equal(m.d.status, 0);
	for (int i = 0; i < SITES; i++) {
		assert_string_equal(m.site[i].found[DIFF_CPU_TIME].reason, DIFF_NO_STATES);
		assert_true(isnan(m.site[i].found[DIFF_CPU_TIME].p));
		assert_int_equal(m.site[i].verdict.view, DIFF_MEAN);
	}
}

static void test_a_run_without_unswitched_calls_has_no_cpu_time(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	m.run[2][1].unswitched_calls = 0;
	m.run[2][1].unswitched = (struct compare_mean){NAN, INFINITY, 0};
	assert_string_equal(diff_estimate_hindrance(&m.d, &m.site[2], DIFF_UNSWITCHED),
			    DIFF_SWITCHED);
	assert_null(diff_estimate_hindrance(&m.d, &m.site[2], DIFF_MEAN));
	compare(&m);
	assert_int_equal(m.d.status, 0);
}

/* Of several runs a side, fewer unswitched calls than that are not used. */
static void test_few_unswitched_calls_are_left_out_of_several_runs(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 3, 6);
	m.run[2][4].unswitched_calls = DIFF_LEAST_CALLS - 1;
	m.run[2][4].unswitched.mean = 5000;
	compare(&m);
	for (int i = 0; i < SITES; i++)
		assert_true(m.site[i].found[DIFF_CPU_TIME].shown.detectable < 1.05);
	begin(&m, 3, 6);
	for (int k = 3; k < 6; k++)
		m.run[2][k].unswitched.mean = 5000;
	compare(&m);
	assert_int_equal(m.d.status, 1);
}

static void test_runs_without_unswitched_calls_say_so(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 3, 6);
	for (int k = 0; k < 6; k++) {
		m.run[2][k].unswitched_calls = 0;
		m.run[2][k].unswitched = (struct compare_mean){NAN, INFINITY, 0};
	}
	compare(&m);
	for (int i = 0; i < SITES; i++)
		if (m.site[i].run == m.run[2])
			assert_string_equal(m.site[i].found[DIFF_CPU_TIME].reason, DIFF_SWITCHED);
}

/* One test of each quantity. */
static void give_p(struct made *m, int site, double elapsed, double cpu)
{
	struct diff_test *t[] = {&m->site[site].test[DIFF_MEAN][DIFF_TOTAL],
				 &m->site[site].test[DIFF_UNSWITCHED][DIFF_TOTAL]};
	double p[] = {elapsed, cpu};

	for (int i = 0; i < 2; i++)
		*t[i] = (struct diff_test){.made = true,
					   .p = p[i],
					   .weight = 0.25,
					   .ratio = i ? 0.9 : 1.1,
					   .low = 0.8,
					   .high = 1.2,
					   .error = i ? 0.01 : 0.02,
					   .freedom = 50};
}

/* Twelve tests: the smallest p is worth twelve times as much. */
static void test_both_quantities_of_all_sites_are_one_family(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	for (int i = 0; i < SITES; i++)
		give_p(&m, i, 0.9, i ? 0.8 : 0.006);
	assert_int_equal(diff_judge(&m.d), 0);
	assert_int_equal(m.d.status, 0);
	begin(&m, 1, 2);
	for (int i = 0; i < SITES; i++)
		give_p(&m, i, 0.9, i ? 0.8 : 0.004);
	assert_int_equal(diff_judge(&m.d), 0);
	assert_int_equal(m.d.status, 1);
	assert_near(m.site[0].verdict.q, 12 * 0.004, 1e-12);
}

static void test_elapsed_time_decides_where_both_changed(void **state)
{
	struct made m;
	const struct diff_site *s = m.site;

	(void)state;
	begin(&m, 1, 2);
	for (int i = 0; i < SITES; i++)
		give_p(&m, i, 0.9, 0.8);
	give_p(&m, 0, 1e-6, 1e-9);
	assert_int_equal(diff_judge(&m.d), 0);
	assert_int_equal(m.d.slower, 1);
	assert_int_equal(m.d.faster, 0);
	assert_int_equal(s->found[DIFF_CPU_TIME].status, DIFF_FASTER);
	assert_int_equal(s->verdict.status, DIFF_SLOWER);
	assert_int_equal(s->verdict.view, DIFF_MEAN);
}

/* A tenth of the calls more were switched, whose variance is half their squared mean. */
static void test_other_calls_that_were_not_switched_are_no_change(void **state)
{
	struct made m;
	double least;

	(void)state;
	begin(&m, 1, 2);
	least = log1p(m.d.options.min_change);
	m.run[0][0].spread = m.run[0][1].spread = 0.5;
	assert_near(diff_estimate_margin(&m.d, m.site, DIFF_UNSWITCHED), least, 1e-12);
	m.run[0][1].unswitched_calls = 8900;
	assert_near(diff_estimate_margin(&m.d, m.site, DIFF_UNSWITCHED),
		    least + 0.5 * log(0.99 / 0.89), 1e-12);
	assert_near(diff_estimate_margin(&m.d, m.site, DIFF_MEAN), least, 1e-12);
	change_cpu(&m, 0, 1.03);
	compare(&m);
	assert_int_equal(m.d.status, 0);
}

/* The long calls waited for a disk, and were not among the others: of 600 us on the CPU, as on the
 * other side, those know 4. */
static void test_where_many_calls_were_switched_the_others_are_no_sample(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 3, 6);
	for (int k = 0; k < 6; k++) {
		struct diff_run *r = &m.run[0][k];

		r->calls = 9;
		r->spread = 0;
		r->mean = (struct compare_mean){20e6, 10e6, 8};
		r->asleep_ns = 20e6 - 600e3 - 1000 * k;
		r->unswitched_calls = k < 3 ? 5 : 9;
		r->unswitched.mean = k < 3 ? 4000 : 600e3;
	}
	compare(&m);
	assert_int_equal(m.d.status, 0);
}

/* All but one, which other programs missed, waited twice as long. */
static void missed_by_others(uint32_t bases, uint32_t profiles, bool states)
{
	struct made m;

	begin(&m, bases, profiles);
	for (int i = 0; i < SITES; i++) {
		m.site[i].states = states;
		for (uint32_t k = bases; k < profiles; k++)
			m.run[i][k].mean.mean *= i == 1 ? 1 : 2;
		for (uint32_t k = 0; k < profiles; k++)
			m.run[i][k].mean.error = i == 1 ? 1 : 200;
	}
	compare(&m);
	for (int i = 0; i < SITES; i++)
		if (m.site[i].run == m.run[1])
			assert_int_equal(m.site[i].found[DIFF_ELAPSED].status == DIFF_FASTER,
					 !states);
}

static void test_a_site_that_others_missed_is_not_faster(void **state)
{
	(void)state;
	missed_by_others(1, 2, true);
	missed_by_others(3, 6, true);
	missed_by_others(1, 2, false); /* without states it may be the only sign of a change */
	missed_by_others(3, 6, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_time_is_found_where_elapsed_time_is_not),
		cmocka_unit_test(test_equal_runs_show_no_change),
		cmocka_unit_test(test_without_states_there_is_elapsed_time_alone),
		cmocka_unit_test(test_a_run_without_unswitched_calls_has_no_cpu_time),
		cmocka_unit_test(test_few_unswitched_calls_are_left_out_of_several_runs),
		cmocka_unit_test(test_runs_without_unswitched_calls_say_so),
		cmocka_unit_test(test_both_quantities_of_all_sites_are_one_family),
		cmocka_unit_test(test_elapsed_time_decides_where_both_changed),
		cmocka_unit_test(test_a_site_that_others_missed_is_not_faster),
		cmocka_unit_test(test_other_calls_that_were_not_switched_are_no_change),
		cmocka_unit_test(test_where_many_calls_were_switched_the_others_are_no_sample),
	};

	return cmocka_run_group_tests_name("diff of CPU time", tests, NULL, NULL);
}

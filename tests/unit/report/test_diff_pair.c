// SPDX-License-Identifier: GPL-3.0-or-later
/* One run a side, in comparisons of runs made by hand: which sites are compared, with which others,
 * and what is beyond them. */
#include "tests/unit/support/near.h"

#include <string.h>

#include "report/compare/diff.h"
#include "tests/unit/support/simulate.h"

#define SITES 12
#define MOST  6 /* runs */

struct made {
	struct diff d;
	struct diff_site site[SITES];
	struct diff_run run[SITES][MOST];
};

/* Calls of about 1000 ns on the CPU, known to 0.1 %: six sites of each function. */
static void begin(struct made *m, uint32_t bases, uint32_t profiles)
{
	memset(m, 0, sizeof(*m));
	m->d = (struct diff){.profiles = profiles,
			     .bases = bases,
			     .options = DIFF_OPTIONS_DEFAULT,
			     .site = m->site,
			     .sites = SITES};
	for (int i = 0; i < SITES; i++) {
		m->site[i] = (struct diff_site){.symbol = i % 2 ? "open64" : "send",
						.outcome = "completed",
						.run = m->run[i],
						.states = true,
						.side[DIFF_BASE].calls = 10000,
						.side[DIFF_NEW].calls = 10000};
		for (uint32_t k = 0; k < profiles; k++) {
			double ns = 1000 + (i / 2 + (int)k) % 2;

			m->run[i][k] =
				(struct diff_run){.calls = 10000,
						  .mean = {ns, 1, 60},
						  .undisturbed = {NAN, INFINITY, 0},
						  .quick_ns = ns / 2,
						  .unswitched = {ns, 1, 60},
						  .unswitched_undisturbed = {NAN, INFINITY, 0},
						  .unswitched_calls = 10000,
						  .watched = true};
		}
	}
}

static void change(struct made *m, int site, double factor)
{
	for (uint32_t k = m->d.bases; k < m->d.profiles; k++) {
		struct diff_run *r = &m->run[site][k];

		r->mean.mean *= factor;
		r->unswitched.mean *= factor;
		r->quick_ns *= factor;
	}
}

static void give_calls(struct made *m, int site, uint64_t calls)
{
	for (uint32_t k = 0; k < m->d.profiles; k++) {
		m->run[site][k].calls = calls;
		m->run[site][k].unswitched_calls = (double)calls;
	}
}

static void compare(struct made *m)
{
	assert_int_equal(m->d.profiles > 2 ? diff_runs_test(&m->d) : diff_pair_test(&m->d), 0);
	assert_int_equal(diff_judge(&m->d), 0);
}

static const struct diff_site *site_of(const struct made *m, int run)
{
	for (int i = 0; i < SITES; i++)
		if (m->site[i].run == m->run[run])
			return &m->site[i];
	return NULL;
}

static void test_few_calls_are_not_compared(void **state)
{
	struct made m;
	struct words words;

	(void)state;
	begin(&m, 1, 2);
	give_calls(&m, 3, 23);
	change(&m, 3, 22);
	compare(&m);
	assert_int_equal(m.d.status, 0);
	assert_int_equal(site_of(&m, 3)->verdict.status, DIFF_UNTESTED);
	words = diff_words(&m.d, site_of(&m, 3));
	assert_string_equal(words.text, "cannot be determined: too few calls (23)");

	begin(&m, 1, 2);
	give_calls(&m, 3, DIFF_PAIR_CALLS);
	change(&m, 3, 22);
	compare(&m);
	assert_int_equal(m.d.status, 1);
}

static void test_several_runs_compare_few_calls(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 3, 6);
	give_calls(&m, 3, 23);
	change(&m, 3, 22);
	compare(&m);
	assert_int_equal(m.d.status, 1);
	assert_int_equal(site_of(&m, 3)->verdict.status, DIFF_SLOWER);
}

/* A factor of 22 at open64 is no reason to believe that sends vary. */
static void test_sites_of_another_function_are_no_measure(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	for (int i = 1; i < SITES; i += 2)
		change(&m, i, i % 4 == 1 ? 2 : 0.5);
	compare(&m);
	assert_int_equal(m.d.status, 0);

	begin(&m, 1, 2);
	for (int i = 1; i < SITES; i += 2)
		change(&m, i, i % 4 == 1 ? 2 : 0.5);
	change(&m, 4, 1.03);
	compare(&m);
	assert_int_equal(m.d.slower, 1);
	assert_int_equal(site_of(&m, 4)->verdict.status, DIFF_SLOWER);
	assert_int_equal(site_of(&m, 4)->verdict.against, DIFF_OWN);
}

/* Runs of unchanged programs differ by a factor of 3 in CPU time, whatever the number of calls. */
static void test_alone_a_site_must_change_beyond_what_machines_do(void **state)
{
	struct made m;

	(void)state;
	for (int far = 0; far < 2; far++) {
		begin(&m, 1, 2);
		m.site[3].symbol = "fdatasync";
		change(&m, 3, far ? 15 : 3);
		compare(&m);
		assert_int_equal(m.d.status, far);
		assert_int_equal(site_of(&m, 3)->verdict.status, far ? DIFF_SLOWER : DIFF_SAME);
	}
}

/* What the other sites of the function share is named only where it is a change. */
/* Sites differ in how far runs do, by a factor of 2: three runs cannot tell how far each does. */
static bool three_runs_raise_an_alarm(struct simulate *s)
{
	double common[MOST];
	struct made m;

	begin(&m, 1, 3);
	for (int k = 0; k < 3; k++)
		common[k] = 0.05 * simulate_normal(s);
	for (int i = 0; i < SITES; i++) {
		double own = 0.02 * exp(0.7 * simulate_normal(s));

		for (int k = 0; k < 3; k++) {
			double ns = 1000 * exp(common[k] + own * simulate_normal(s));

			m.run[i][k].mean = m.run[i][k].unswitched =
				(struct compare_mean){ns, ns / 1000, 60};
		}
	}
	compare(&m);
	return m.d.slower + m.d.faster > 0;
}

static void test_three_runs_in_all_raise_no_more_false_alarms_than_asked_for(void **state)
{
	unsigned trials = simulate_trials(3000), alarms = 0;
	struct simulate s = {5};

	(void)state;
	for (unsigned i = 0; i < trials; i++)
		alarms += three_runs_raise_an_alarm(&s);
	simulate_assert_rate("three runs", alarms, trials, 0, 0.05);
}

/* The quickest calls stayed: what would have been seen is more than this was. */
static void test_what_machines_did_would_not_have_been_seen(void **state)
{
	const struct diff_site *s;
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	m.d.sites = 1;
	change(&m, 0, 149);
	m.run[0][1].quick_ns = m.run[0][0].quick_ns;
	compare(&m);
	s = site_of(&m, 0);
	assert_int_equal(m.d.status, 0);
	assert_int_equal(s->verdict.status, DIFF_SAME);
	assert_true(s->verdict.shown.detectable > s->verdict.shown.ratio);
}

/* Nothing, less the overhead, takes no negative time. */
static void test_what_takes_nothing_any_more_is_faster_by_all(void **state)
{
	const struct diff_site *s;
	struct made m;

	(void)state;
	begin(&m, 1, 2);
	m.d.sites = 1;
	change(&m, 0, -0.001);
	m.run[0][1].quick_ns = 2;
	compare(&m);
	s = site_of(&m, 0);
	assert_int_equal(s->verdict.status, DIFF_FASTER);
	assert_near(s->verdict.shown.ratio, 0, 0);
	assert_true(s->verdict.shown.high > 0);
}

static void test_the_change_of_a_function_is_subtracted(void **state)
{
	struct made m;
	struct words words;

	(void)state;
	begin(&m, 1, 2);
	for (int i = 0; i < SITES; i += 2)
		change(&m, i, 1.2);
	change(&m, 4, 1.1);
	for (int i = 0; i < SITES; i++)
		m.run[i][0].mean.error = m.run[i][1].mean.error = 400;
	compare(&m);
	assert_int_equal(m.d.slower, 1);
	words = diff_words(&m.d, site_of(&m, 4));
	assert_non_null(strstr(words.text, "against the other sites"));
	assert_in_range((int)(100 * site_of(&m, 4)->verdict.shown.ratio), 109, 110);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_calls_are_not_compared),
		cmocka_unit_test(test_several_runs_compare_few_calls),
		cmocka_unit_test(test_sites_of_another_function_are_no_measure),
		cmocka_unit_test(test_alone_a_site_must_change_beyond_what_machines_do),
		cmocka_unit_test(test_three_runs_in_all_raise_no_more_false_alarms_than_asked_for),
		cmocka_unit_test(test_what_machines_did_would_not_have_been_seen),
		cmocka_unit_test(test_what_takes_nothing_any_more_is_faster_by_all),
		cmocka_unit_test(test_the_change_of_a_function_is_subtracted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The verdict after each pair of runs, by numbers made by hand: when a change is found, where, and
 * with which limits; when all is equal; and that a pilot is no evidence. */
#include "tests/unit/support/near.h"

#include <string.h>

#include "report/compare/diff_watch.h"
#include "report/compare/match.h"
#include "stats/numerics/random.h"

#define SITES 8

/* A pair of runs. */
struct made {
	struct diff d;
	struct match match;
	struct match_row row[SITES];
	struct diff_site site[SITES];
	struct diff_run run[SITES][2];
	char key[SITES][16];
	struct diff_watch_run whole[2];
	struct random random;
	struct prof_entry entry;
	struct profile profile;
	const struct profile *both[2];
};

static struct diff_run run_of(double ns)
{
	return (struct diff_run){.calls = 1000,
				 .mean = {ns, ns / 100, 60},
				 .undisturbed = {NAN, INFINITY, 0},
				 .unswitched = {ns, ns / 100, 60},
				 .unswitched_undisturbed = {NAN, INFINITY, 0},
				 .unswitched_calls = 1000,
				 .watched = true};
}

static void begin(struct made *m)
{
	memset(m, 0, sizeof(*m));
	random_seed(&m->random, 3);
	m->profile.entry = &m->entry; /* of no path */
	m->both[0] = m->both[1] = &m->profile;
	m->match = (struct match){.row = m->row, .rows = SITES};
	m->d = (struct diff){.profile = m->both,
			     .profiles = 2,
			     .bases = 1,
			     .options = DIFF_OPTIONS_DEFAULT,
			     .match = &m->match,
			     .runs = m->run[0],
			     .site = m->site,
			     .sites = SITES};
	for (int i = 0; i < SITES; i++) {
		snprintf(m->key[i], sizeof(m->key[i]), "k%d", i);
		m->row[i].key = m->key[i];
		m->run[i][0] = m->run[i][1] = run_of(1000);
		m->site[i] = (struct diff_site){.symbol = "send",
						.outcome = "completed",
						.run = m->run[i],
						.states = true,
						.side[DIFF_BASE].calls = 1000,
						.side[DIFF_NEW].calls = 1000,
						.side[DIFF_BASE].total_ns = 1e6 + i,
						.side[DIFF_NEW].total_ns = 1e6};
	}
	m->whole[0] = m->whole[1] = (struct diff_watch_run){1e9, 1e9};
}

/* From -1 to 1, of a fixed seed. */
static double noise(struct made *m)
{
	return (double)random_below(&m->random, 2000001) / 1e6 - 1;
}

/* A pair: the machine is faster or slower by up to a tenth, each site scatters by `scatter`. */
static void scatter(struct made *m, double scatter)
{
	double machine = exp(0.1 * noise(m));

	for (int i = 0; i < SITES; i++)
		m->run[i][1] = run_of(1000 * machine * exp(scatter * noise(m)));
	m->whole[1] = (struct diff_watch_run){1e9 * machine, 1e9 * machine};
}

static void slower(struct made *m, int site, double by)
{
	m->run[site][1] = run_of(m->run[site][1].mean.mean * by);
}

static const struct diff_watch_row *row_of(const struct diff_watch *w, const char *key)
{
	for (uint32_t i = 1; i < w->rows; i++)
		if (!strcmp(w->keys.text[i - 1], key))
			return &w->row[i];
	fail_msg("no row %s", key);
	return NULL;
}

static void test_pilot_is_no_evidence(void **state)
{
	struct diff_watch w = {.confidence = 0.95, .equal = 0.01};
	struct made m;

	(void)state;
	begin(&m);
	slower(&m, 3, 100);
	assert_int_equal(diff_watch_begin(&w, &m.d, m.whole), 0);
	assert_int_equal(w.rows, SITES + 1);
	assert_int_equal(w.pairs, 0);
	for (uint32_t i = 0; i < w.rows; i++)
		assert_near(w.row[i].seen[DIFF_UNSWITCHED][DIFF_TOTAL].n, 0, 0);
	assert_null(w.row[0].symbol);
	/* of what is known of calls: no undisturbed views; eight of a kind are enough others */
	assert_true(w.row[1].planned[DIFF_UNSWITCHED][DIFF_OWN]);
	assert_false(w.row[1].planned[DIFF_UNDISTURBED][DIFF_TOTAL]);
	diff_watch_free(&w);
}

static void test_two_pairs_say_nothing(void **state)
{
	struct diff_watch w = {.confidence = 0.95, .equal = 0.01};
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(diff_watch_begin(&w, &m.d, m.whole), 0);
	for (int n = 1; n <= 2; n++) {
		scatter(&m, 0.001);
		slower(&m, 3, 2);
		assert_int_equal(diff_watch_add(&w, &m.d, m.whole), 0);
		assert_false(w.known);
		assert_int_equal(w.found, 0);
		assert_false(w.all_equal);
	}
	diff_watch_free(&w);
}

/* 2 % at one site, in a machine that changes its speed by 10 % from run to run. */
static void test_own_change_is_found_against_the_others(void **state)
{
	struct diff_watch w = {.confidence = 0.95, .equal = 0.01};
	const struct diff_watch_row *r;
	struct made m;
	int n;

	(void)state;
	begin(&m);
	assert_int_equal(diff_watch_begin(&w, &m.d, m.whole), 0);
	for (n = 1; n <= 40 && !w.found; n++) {
		scatter(&m, 0.005);
		slower(&m, 3, 1.02);
		assert_int_equal(diff_watch_add(&w, &m.d, m.whole), 0);
	}
	assert_int_equal(w.found, 1);
	assert_in_range(n, 8, 20);
	r = row_of(&w, "k3");
	assert_true(r->found);
	assert_int_equal(r->against, DIFF_OWN);
	assert_int_equal(diff_estimate_quantity(r->view), DIFF_CPU_TIME);
	assert_true(r->low > 1 && r->low < 1.02 && r->high > 1.02 && r->high < 1.04);
	assert_near(r->calls[0], 1000.0 * w.pairs, 0);
	diff_watch_free(&w);
}

static void test_equal_programs_are_equal_in_the_end(void **state)
{
	struct diff_watch w = {.confidence = 0.95, .equal = 0.05};
	struct made m;
	int n;

	(void)state;
	begin(&m);
	assert_int_equal(diff_watch_begin(&w, &m.d, m.whole), 0);
	for (n = 1; n <= 200 && !w.all_equal; n++) {
		scatter(&m, 0.01);
		assert_int_equal(diff_watch_add(&w, &m.d, m.whole), 0);
		assert_int_equal(w.found, 0);
	}
	assert_true(w.all_equal);
	assert_true(n > 10);
	for (uint32_t i = 0; i < w.rows; i++)
		assert_true(w.row[i].low > 0.95 && w.row[i].high < 1.05);
	diff_watch_free(&w);
}

/* Nothing is worth less than a hundredth of the time; --equal 0 asks for no such verdict. */
static void test_equality_is_of_what_takes_time(void **state)
{
	struct diff_watch w = {.confidence = 0.95, .equal = 0};
	struct made m;

	(void)state;
	begin(&m);
	m.site[5].side[DIFF_BASE].total_ns = m.site[5].side[DIFF_NEW].total_ns = 1e4;
	assert_int_equal(diff_watch_begin(&w, &m.d, m.whole), 0);
	assert_false(row_of(&w, "k5")->worth);
	assert_true(row_of(&w, "k4")->worth);
	for (int n = 1; n <= 30; n++) {
		scatter(&m, 1e-6);
		m.whole[1] = m.whole[0];
		assert_int_equal(diff_watch_add(&w, &m.d, m.whole), 0);
		assert_false(w.all_equal);
	}
	diff_watch_free(&w);
}

/* The whole run is a row of its own. */
static void test_run_that_became_slower_is_found(void **state)
{
	struct diff_watch w = {.confidence = 0.95, .equal = 0.01};
	struct made m;

	(void)state;
	begin(&m);
	assert_int_equal(diff_watch_begin(&w, &m.d, m.whole), 0);
	for (int n = 1; n <= 12 && !w.found; n++) {
		scatter(&m, 0.05);
		m.whole[1] = (struct diff_watch_run){1.5e9 * (1 + 0.001 * n), NAN};
		assert_int_equal(diff_watch_add(&w, &m.d, m.whole), 0);
	}
	assert_int_equal(w.found, 1);
	assert_true(w.row[0].found);
	assert_int_equal(w.row[0].view, DIFF_MEAN);
	assert_true(w.row[0].low > 1.4 && w.row[0].high < 1.6);
	diff_watch_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pilot_is_no_evidence),
		cmocka_unit_test(test_two_pairs_say_nothing),
		cmocka_unit_test(test_own_change_is_found_against_the_others),
		cmocka_unit_test(test_equal_programs_are_equal_in_the_end),
		cmocka_unit_test(test_equality_is_of_what_takes_time),
		cmocka_unit_test(test_run_that_became_slower_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

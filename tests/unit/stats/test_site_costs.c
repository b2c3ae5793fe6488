// SPDX-License-Identifier: GPL-3.0-or-later
/* The regression of cost on calls: exact where the data are, intervals that cover known
 * costs in noise like a machine's, and no number where there can be none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/near.h"
#include "stats/regression/site_costs.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define SERIES	     3
#define SPANS	     400
#define SITES	     6

static uint64_t seed;

static double uniform(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

/* Two CPUs and the program's clock. Each series' spans begin where they like. */
struct data {
	struct site_costs_span span[SERIES][SPANS];
	double calls[SERIES][SPANS * SITES];
	struct site_costs_series series[SERIES];
	size_t sites, spans;
};

/* Calls of site k in [from, to): its rate is a square wave of its own period with a sway. */
static double rate_at(size_t k, double t, double sway)
{
	static const double period[SITES] = {1.3, 0.7, 2.9, 0.43, 1.9, 0.31};
	double phase = fmod(t / period[k], 1);

	return (phase < 0.5 ? 8000 : 2000) * (1 + 0.2 * sway) / (double)(k + 1);
}

static double calls_in(size_t k, double from, double to, double sway)
{
	double sum = 0;

	for (int i = 0; i < 20; i++)
		sum += rate_at(k, from + (to - from) * (i + 0.5) / 20, sway) * (to - from) / 20;
	return floor(sum + uniform());
}

struct world {
	double uncharged[SITES], charged[SITES]; /* seconds a call */
	double background;			 /* a second */
	double noise, correlation; /* of a span of 40 ms; first-order autoregression */
	double scatter;		   /* of the work of a call, relative, one shared by a span */
	double missing;		   /* share of spans excluded */
};

static void simulate(struct data *d, const struct world *w, size_t sites, size_t spans)
{
	memset(d, 0, sizeof(*d));
	d->sites = sites;
	d->spans = spans;
	for (size_t s = 0; s < SERIES; s++) {
		double t = 0.013 * (double)s, state = normal(), on = s == 0 ? 0.2 : 0.8;
		size_t n = 0;

		for (size_t i = 0; i < spans; i++) {
			struct site_costs_span *p = &d->span[s][n];
			double to = t + 0.03 + 0.02 * uniform(), sway = normal();

			state = w->correlation * state +
				sqrt(1 - w->correlation * w->correlation) * normal();
			*p = (struct site_costs_span){.from = t, .to = to, .length = to - t};
			t = to;
			if (uniform() < w->missing)
				continue;
			for (size_t k = 0; k < sites; k++) {
				double calls = calls_in(k, p->from, p->to, sway);
				double one = 1 + w->scatter * normal();

				d->calls[s][n * sites + k] = calls;
				if (s < 2)
					p->y[0] += on * w->uncharged[k] * calls * one;
				else
					p->y[1] += w->charged[k] * calls * one;
			}
			if (s < 2)
				p->y[0] += w->background / 2 * (p->to - p->from) + w->noise * state;
			else
				p->y[1] += w->noise * state;
			p->y[1] += p->y[0];
			n++;
		}
		d->series[s] = (struct site_costs_series){d->span[s], d->calls[s], n, {0, 0, 1}};
	}
}

static const struct displacement_value sure = {0, 0, 1};

static int fit(const struct data *d, struct site_costs *out, struct site_costs_site *site)
{
	return site_costs_fit(d->series, SERIES, d->sites, sure, out, site);
}

/* ---- exact ---- */

static void test_costs_without_noise_are_exact(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 10e-6, 0}, {1e-6, 5e-6, 3e-6}, 0.004, 0, 0, 0, 0.1};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 1;
	simulate(&d, &w, 3, 200);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(out.coefficients, 3);
	for (size_t k = 0; k < 3; k++) {
		assert_int_equal(site[k].state, SITE_COSTS_OK);
		assert_int_equal(site[k].group, k);
		assert_near(site[k].cost[SITE_COSTS_UNCHARGED].value, w.uncharged[k], 1e-12);
		assert_near(site[k].cost[SITE_COSTS_TRUE].value, w.uncharged[k] + w.charged[k],
			    1e-12);
		assert_true(site[k].cost[SITE_COSTS_TRUE].error < 1e-12);
	}
	assert_near(out.intercept[SITE_COSTS_UNCHARGED].value, 0.004, 1e-9);
}

/* What y was corrected by comes back as an error in proportion. */
static void test_errors_of_rest_and_switching_are_in_the_error(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 10e-6}, {1e-6, 5e-6}, 0, 0, 0, 0, 0};
	struct displacement_value switching = {1e-7, 5e-8, 20};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 2;
	simulate(&d, &w, 2, 200);
	/* CPU 0 switches three times a call of the first site; CPU 1's fluid is charged less by 4
	 * us with each call of the second */
	for (size_t i = 0; i < 200; i++) {
		d.span[0][i].switches = 3 * d.calls[0][i * 2];
		d.span[1][i].charged =
			0.7 * (d.span[1][i].to - d.span[1][i].from) - 4e-6 * d.calls[1][i * 2 + 1];
	}
	d.series[1].rest = (struct displacement_value){0.01, 0.002, 9};
	assert_int_equal(site_costs_fit(d.series, SERIES, 2, switching, &out, site), 0);
	assert_near(site[0].cost[SITE_COSTS_UNCHARGED].error, 1.5e-7, 1e-12);
	assert_near(site[0].cost[SITE_COSTS_UNCHARGED].freedom, 20, 1e-3);
	assert_true(site[0].cost[SITE_COSTS_TRUE].error < 1e-10);
	assert_near(site[1].cost[SITE_COSTS_UNCHARGED].error, 8e-9, 1e-12);
	assert_near(site[1].cost[SITE_COSTS_TRUE].error, 8e-9, 1e-12);
}

/* A fluid that misses the half of a site's calls in ways that go with nothing. */
static void test_a_cost_below_nothing_is_not_clamped(void **state)
{
	static struct data d;
	const struct world w = {{-1e-6, 4e-6}, {0}, 0, 0, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 3;
	simulate(&d, &w, 2, 200);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_near(site[0].cost[SITE_COSTS_UNCHARGED].value, -1e-6, 1e-12);
}

/* ---- what cannot be told ---- */

/* Site 1 is always called after site 0, but for a call that is under way at an edge. */
static void test_sites_that_go_together_share_a_cost(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 0, 7e-6}, {0}, 0.001, 2e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 4;
	simulate(&d, &w, 3, 300);
	for (size_t s = 0; s < SERIES; s++)
		for (size_t i = 0; i < d.series[s].spans; i++)
			d.calls[s][i * 3 + 1] = d.calls[s][i * 3] + (uniform() < 0.1);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(out.coefficients, 2);
	assert_int_equal(site[0].group, 0);
	assert_int_equal(site[1].group, 0);
	assert_int_equal(site[2].group, 2);
	/* two calls now cost what one did */
	assert_near(site[0].cost[SITE_COSTS_UNCHARGED].value, 1e-6, 1e-7);
	assert_near(site[1].cost[SITE_COSTS_UNCHARGED].value, 1e-6, 1e-7);
	assert_near(site[2].cost[SITE_COSTS_UNCHARGED].value, 7e-6, 1e-7);
}

/* Not quite the same, and by more than a call at an edge; yet nobody can say whose the cost
 * is. */
static void test_sites_that_all_but_go_together_are_joined(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 0}, {0}, 0.001, 2e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 10;
	simulate(&d, &w, 2, 300);
	for (size_t s = 0; s < SERIES; s++)
		for (size_t i = 0; i < d.series[s].spans; i++)
			d.calls[s][i * 2 + 1] = d.calls[s][i * 2] + floor(5 * normal());
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(site[1].group, 0);
	assert_near(site[1].cost[SITE_COSTS_UNCHARGED].value, 1e-6, 1e-7);
}

/* Site 2 is called once for each call of site 0 and each of site 1: all three go together,
 * and a fourth does not. */
static void test_a_site_that_two_others_explain_joins_both(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 2e-6, 0, 9e-6}, {0}, 0.001, 2e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 5;
	simulate(&d, &w, 4, 300);
	for (size_t s = 0; s < SERIES; s++)
		for (size_t i = 0; i < d.series[s].spans; i++) {
			double *c = &d.calls[s][i * 4];

			c[2] = c[0] + c[1];
		}
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(out.coefficients, 2);
	assert_int_equal(site[1].group, 0);
	assert_int_equal(site[2].group, 0);
	assert_int_equal(site[3].group, 3);
	assert_near(site[0].cost[SITE_COSTS_UNCHARGED].value, 1e-6, 1e-8);
	assert_near(site[3].cost[SITE_COSTS_UNCHARGED].value, 9e-6, 1e-7);
}

/* Sites that vary alike and yet apart are not joined; their intervals are wide. */
static void test_alike_is_not_the_same(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 6e-6}, {0}, 0, 20e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;
	double apart;

	(void)state;
	seed = 6;
	simulate(&d, &w, 2, 400);
	fit(&d, &out, site);
	apart = site[1].cost[0].error;
	seed = 6;
	simulate(&d, &w, 2, 400);
	for (size_t s = 0; s < SERIES; s++)
		for (size_t i = 0; i < d.series[s].spans; i++) {
			double *c = &d.calls[s][i * 2], before = c[1];

			c[1] = floor(0.5 * c[0] + 0.15 * before);
			d.span[s][i].y[0] += (s < 2 ? (s ? 0.8 : 0.2) : 0) * 6e-6 * (c[1] - before);
		}
	fit(&d, &out, site);
	assert_int_equal(site[1].group, 1);
	assert_true(site[1].inflation > 5 && site[1].inflation < SITE_COSTS_INFLATION);
	assert_true(site[1].cost[0].error > 2 * apart);
	assert_near(site[1].cost[0].value, 6e-6, 4 * site[1].cost[0].error);
}

static void test_rare_and_steady_sites_get_no_number(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 1e-6, 1e-6}, {0}, 0, 1e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 7;
	simulate(&d, &w, 3, 200);
	for (size_t s = 0; s < SERIES; s++)
		for (size_t i = 0; i < d.series[s].spans; i++) {
			d.calls[s][i * 3 + 1] = i % 30 == 7 ? 5 : 0;
			/* exactly so many a second */
			d.calls[s][i * 3 + 2] = 1000 * (d.span[s][i].to - d.span[s][i].from);
		}
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(site[0].state, SITE_COSTS_OK);
	assert_int_equal(site[1].state, SITE_COSTS_RARE);
	assert_int_equal(site[2].state, SITE_COSTS_STEADY);
	for (size_t k = 1; k < 3; k++)
		for (size_t kind = 0; kind < SITE_COSTS_KINDS; kind++) {
			assert_true(isnan(site[k].cost[kind].value));
			assert_true(isnan(site_costs_p(site[k].cost[kind])));
		}
}

/* One call a second that costs a lot is worth a number. */
static void test_a_dear_call_now_and_then_is_seen(void **state)
{
	static struct data d;
	const struct world w = {{2e-6}, {0}, 0, 5e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 8;
	simulate(&d, &w, 2, 300);
	for (size_t s = 0; s < SERIES; s++)
		for (size_t i = 0; i < d.series[s].spans; i++) {
			d.calls[s][i * 2 + 1] = i % 25 == 3;
			d.span[s][i].y[0] -= 0;
			if (s == 1 && i % 25 == 3)
				d.span[s][i].y[0] += 1e-3;
		}
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(site[1].state, SITE_COSTS_OK);
	assert_near(site[1].cost[0].value, 1e-3, 1e-4);
	assert_true(site_costs_p(site[1].cost[0]) < 1e-4);
}

static void test_few_windows_give_no_number(void **state)
{
	static struct data d;
	const struct world w = {{2e-6, 1e-6, 1e-6, 1e-6}, {0}, 0, 1e-6, 0, 0, 0};
	struct site_costs_site site[SITES];
	struct site_costs out;

	(void)state;
	seed = 9;
	simulate(&d, &w, 1, 23);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(out.coefficients, 0);
	simulate(&d, &w, 4, 23);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(out.coefficients, 0);
	for (size_t k = 0; k < 4; k++)
		assert_int_equal(site[k].state, SITE_COSTS_FEW);
	/* enough for three of the four */
	simulate(&d, &w, 4, 25);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(site[0].state, SITE_COSTS_OK);
	assert_int_equal(site[1].state, SITE_COSTS_OK);
	assert_int_equal(site[2].state, SITE_COSTS_OK);
	assert_int_equal(site[3].state, SITE_COSTS_FEW);
	/* none at all */
	simulate(&d, &w, 2, 0);
	assert_int_equal(fit(&d, &out, site), 0);
	assert_int_equal(out.coefficients, 0);
	assert_int_equal(site_costs_fit(NULL, 0, 0, sure, &out, site), 0);
	assert_int_equal(out.spans, 0);
}

/* ---- coverage ---- */

static const struct {
	const char *name;
	struct world world;
	size_t sites, spans;
} worlds[] = {
	{"independent noise",
	 {{2e-6, 10e-6, 0}, {1e-6, 5e-6, 3e-6}, 0.004, 100e-6, 0, 0, 0},
	 3,
	 250},
	{"correlated noise",
	 {{2e-6, 10e-6, 0}, {1e-6, 5e-6, 3e-6}, 0.004, 100e-6, 0.6, 0, 0},
	 3,
	 250},
	{"slow noise", {{2e-6, 10e-6, 0}, {1e-6, 5e-6, 3e-6}, 0.004, 100e-6, 0.9, 0, 0}, 3, 250},
	{"noise in the calls", {{2e-6, 10e-6}, {1e-6, 5e-6}, 0, 20e-6, 0.3, 0.3, 0}, 2, 250},
	{"a third disturbed", {{2e-6, 10e-6}, {1e-6, 5e-6}, 0, 100e-6, 0.5, 0.1, 0.33}, 2, 250},
	{"short", {{2e-6, 10e-6}, {1e-6, 5e-6}, 0, 50e-6, 0.3, 0.1, 0}, 2, 50},
	{"six sites",
	 {{2e-6, 10e-6, 0, 1e-6, 3e-6, 0}, {1e-6, 5e-6, 0, 0, 0, 1e-6}, 0, 50e-6, 0.3, 0.1, 0},
	 6,
	 250},
};

/* Share of intervals at 95 % that hold the truth, over all sites and both kinds. */
static double coverage(size_t which, size_t times)
{
	static struct data d;
	struct site_costs_site site[SITES];
	struct site_costs out;
	double covered = 0, all = 0, low, high;
	const struct world *w = &worlds[which].world;

	for (size_t i = 0; i < times; i++) {
		simulate(&d, w, worlds[which].sites, worlds[which].spans);
		assert_int_equal(fit(&d, &out, site), 0);
		for (size_t k = 0; k < d.sites; k++)
			for (size_t kind = 0; kind < SITE_COSTS_KINDS; kind++) {
				double truth = w->uncharged[k] + (kind ? w->charged[k] : 0);

				displacement_limits(site[k].cost[kind], 0.95, &low, &high);
				covered += low <= truth && truth <= high;
				all++;
			}
	}
	return covered / all;
}

#ifndef TIMES
#define TIMES 150
#endif

static void test_intervals_cover_known_costs(void **state)
{
	double all = 0;

	(void)state;
	seed = 20261121;
	for (size_t i = 0; i < COUNT(worlds); i++) {
		double c = coverage(i, TIMES);

		print_message("# %s: %.3f\n", worlds[i].name, c);
		if (c < 0.92)
			fail_msg("%s: covered in %.3f", worlds[i].name, c);
		all += c / COUNT(worlds);
	}
	print_message("# all: %.3f\n", all);
	assert_true(all >= 0.94);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs_without_noise_are_exact),
		cmocka_unit_test(test_errors_of_rest_and_switching_are_in_the_error),
		cmocka_unit_test(test_a_cost_below_nothing_is_not_clamped),
		cmocka_unit_test(test_sites_that_go_together_share_a_cost),
		cmocka_unit_test(test_sites_that_all_but_go_together_are_joined),
		cmocka_unit_test(test_a_site_that_two_others_explain_joins_both),
		cmocka_unit_test(test_alike_is_not_the_same),
		cmocka_unit_test(test_rare_and_steady_sites_get_no_number),
		cmocka_unit_test(test_a_dear_call_now_and_then_is_seen),
		cmocka_unit_test(test_few_windows_give_no_number),
		cmocka_unit_test(test_intervals_cover_known_costs),
	};

	return cmocka_run_group_tests_name("site_costs", tests, NULL, NULL);
}

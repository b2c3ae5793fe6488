// SPDX-License-Identifier: GPL-3.0-or-later
/* What a dithered run would have told without its dither: sites that vary by the draws alone become
 * what they were, and variation of their own stays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats/numerics/random.h"
#include "stats/regression/site_costs.h"
#include "tests/unit/support/near.h"

#define SPANS 300
#define SITES 3
#define DRAWS 3

static struct random generator;

static double uniform(void)
{
	return (double)(random_next(&generator) >> 11) / 9007199254740992.0;
}

static const struct displacement_value sure = {0, 0, 1};
static const double cost[SITES] = {2e-6, 5e-6, 3e-6};

struct run {
	struct site_costs_span span[SPANS];
	double calls[SPANS * SITES], drawn[SPANS * DRAWS];
	struct site_costs_series series;
};

/* Sites make 4000, 2000 and 1000 calls a second. In a drawn span, as long as the draw lasts, its
 * site makes half of them; `own`: how much the third varies of itself. */
static void simulate(struct run *r, double own)
{
	double t = 0;

	random_seed(&generator, 5);
	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < SPANS; i++) {
		double length = 0.04 + 0.01 * uniform();
		struct site_costs_span *s = &r->span[i];

		*s = (struct site_costs_span){.from = t, .to = t + length, .length = length};
		t += length;
		if (i % 10 < 3)
			r->drawn[i * DRAWS + random_below(&generator, DRAWS)] = length * uniform();
		s->y[0] = 0.01 * length;
		for (size_t k = 0; k < SITES; k++) {
			double *calls = &r->calls[i * SITES + k];
			double rate = 4000 >> k;

			*calls = rate * (length - 0.5 * r->drawn[i * DRAWS + k]);
			if (k == 2)
				*calls += own * rate * length * (uniform() - 0.5);
			s->y[0] += cost[k] * *calls;
		}
		s->y[1] = 2 * s->y[0];
	}
	r->series = (struct site_costs_series){r->span, r->calls, SPANS, {0, 0, 1}};
}

static void fit(const struct site_costs_series *s, struct site_costs_site *site)
{
	struct site_costs out;

	assert_int_equal(site_costs_fit(s, 1, SITES, sure, &out, site), 0);
}

static void test_what_only_the_draws_varied_is_steady_without_them(void **state)
{
	static struct run r;
	struct site_costs_site with[SITES], without[SITES];
	struct site_costs_series rest;

	(void)state;
	simulate(&r, 0);
	fit(&r.series, with);
	assert_int_equal(undithered_make(&r.series, SITES, r.drawn, DRAWS, &rest), 0);
	fit(&rest, without);
	undithered_free(&rest);
	for (size_t k = 0; k < SITES; k++) {
		assert_near(with[k].cost[0].value, cost[k], 1e-10);
		assert_int_equal(without[k].state, SITE_COSTS_STEADY);
	}
}

/* A site that varies of itself keeps its number, which is the same: the draws are no part of it. */
static void test_variation_of_its_own_stays(void **state)
{
	static struct run r;
	struct site_costs_site with[SITES], without[SITES];
	struct site_costs_series rest;

	(void)state;
	simulate(&r, 0.1);
	for (size_t i = 0; i < SPANS; i++)
		r.span[i].y[0] += 1e-6 * (uniform() - 0.5);
	fit(&r.series, with);
	assert_int_equal(undithered_make(&r.series, SITES, r.drawn, DRAWS, &rest), 0);
	fit(&rest, without);
	undithered_free(&rest);
	assert_int_equal(without[0].state, SITE_COSTS_STEADY);
	assert_int_equal(without[2].state, SITE_COSTS_OK);
	assert_near(without[2].cost[0].value, cost[2], 5 * without[2].cost[0].error);
}

static void test_too_few_spans_for_the_draws_take_nothing_away(void **state)
{
	static struct run r;
	struct site_costs_series few, rest;

	(void)state;
	simulate(&r, 0);
	few = r.series;
	few.spans = 5;
	assert_int_equal(undithered_make(&few, SITES, r.drawn, DRAWS, &rest), 0);
	assert_memory_equal(rest.calls, r.calls, 5 * SITES * sizeof(double));
	undithered_free(&rest);
	few.spans = 0;
	assert_int_equal(undithered_make(&few, SITES, r.drawn, DRAWS, &rest), 0);
	assert_int_equal(rest.spans, 0);
	undithered_free(&rest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_only_the_draws_varied_is_steady_without_them),
		cmocka_unit_test(test_variation_of_its_own_stays),
		cmocka_unit_test(test_too_few_spans_for_the_draws_take_nothing_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

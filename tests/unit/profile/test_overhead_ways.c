// SPDX-License-Identifier: GPL-3.0-or-later
/* What a call costs by the way it goes: read, averaged, merged, and taken off a row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model/clocks.h"
#include "report/model/sites.h"
#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

#define NESTED_SELECTED (SCP_WAY_NESTED + SCP_WAY_SELECTED)

static const struct scp_cost system_call = {10000, 100, 20000, 200};

/* The sample profile, whose first entry's calls went `way`; that costs so much, in ps. */
static void save(const char *path, unsigned way, uint32_t first_ps, uint32_t last_ps)
{
	struct scp_build b;
	struct scp_sample s;
	struct scp_header *h;
	struct scp_entry *e;

	scp_build_sample(&b, &s);
	h = scp_build_header(&b);
	h->overhead_first = h->overhead_last =
		(struct scp_overhead){.rounds = 32, .cost = {system_call, system_call}};
	h->ways_first.way[way] = (struct scp_way_cost){first_ps, 0, 3 * first_ps, 0};
	h->ways_last.way[way] = (struct scp_way_cost){last_ps, 0, 3 * last_ps, 0};
	e = (void *)(b.bytes + s.entry);
	e->flags = (e->flags & 0xff) | (uint64_t)way << SCP_ENTRY_WAY_SHIFT;
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static struct profile *open_saved(unsigned way, uint32_t first_ps, uint32_t last_ps)
{
	const char *path = scp_build_name("ways.scp");

	save(path, way, first_ps, last_ps);
	return model_open(&path, 1);
}

static const struct prof_sums *first_of(const struct profile *p, unsigned way)
{
	for (uint32_t i = 0; i < p->entries; i++)
		if (p->entry[i].sums.way_calls[way])
			return &p->entry[i].sums;
	fail_msg("no entry of way %u", way);
	return NULL;
}

static void test_each_row_takes_off_what_its_way_costs(void **state)
{
	struct profile *p = open_saved(SCP_WAY_ORDERED, 30000, 30000);
	const struct prof_overhead *o = &p->clock.overhead;
	struct report_overhead all = estimate_overhead(&p->clock);
	const struct prof_sums *s = first_of(p, SCP_WAY_ORDERED);
	uint64_t mixed[SCP_WAYS] = {[SCP_WAY_SYSTEM] = 3, [SCP_WAY_ORDERED] = 1};

	(void)state;
	assert_int_equal(s->way_calls[SCP_WAY_ORDERED], s->calls);
	assert_float_equal(o->way[SCP_WAY_SYSTEM].inside_ns, 10, 1e-9);
	assert_float_equal(o->way[SCP_WAY_ORDERED].inside_ns, 30, 1e-9);
	assert_float_equal(o->way[SCP_WAY_ORDERED].outside_ns, 90, 1e-9);
	assert_float_equal(estimate_overhead_around(&all, s).inside_ns, 30, 1e-9);
	assert_float_equal(estimate_overhead_of_ways(&all, mixed).inside_ns, 15, 1e-9);
	/* of the whole profile as many as went each way */
	assert_true(o->inside_ns > 10 && o->inside_ns < 30);
	profile_free(p);
}

static void test_what_was_not_measured_costs_as_system_calls_do(void **state)
{
	struct profile *p = open_saved(SCP_WAY_REGION, 0, 0);
	struct report_overhead all = estimate_overhead(&p->clock);
	uint64_t none[SCP_WAYS] = {0};

	(void)state;
	assert_float_equal(p->clock.overhead.way[SCP_WAY_REGION].inside_ns, 10, 1e-9);
	assert_float_equal(estimate_overhead_around(&all, first_of(p, SCP_WAY_REGION)).inside_ns,
			   10, 1e-9);
	/* calls of which no way is known: the mean of all */
	assert_float_equal(estimate_overhead_of_ways(&all, none).inside_ns, all.inside_ns, 1e-9);
	profile_free(p);
}

static void test_half_the_difference_of_two_is_in_the_error(void **state)
{
	struct profile *p = open_saved(NESTED_SELECTED, 20000, 24000);

	(void)state;
	assert_float_equal(p->clock.overhead.way[NESTED_SELECTED].inside_ns, 22, 1e-9);
	assert_float_equal(p->clock.overhead.way[NESTED_SELECTED].inside_error_ns, 2, 1e-3);
	profile_free(p);
}

static void test_merged_files_keep_them(void **state)
{
	const char *merged = scp_build_name("merged.scp");
	struct profile *p = open_saved(NESTED_SELECTED, 20000, 24000), *q;
	struct profile_error err;

	(void)state;
	assert_int_equal(write_profile(p, merged, &err), 0);
	q = model_open(&merged, 1);
	assert_float_equal(q->clock.overhead.way[NESTED_SELECTED].inside_ns, 22, 1e-9);
	assert_float_equal(q->clock.overhead.way[NESTED_SELECTED].outside_ns, 66, 1e-9);
	assert_float_equal(q->clock.overhead.way[NESTED_SELECTED].inside_error_ns,
			   p->clock.overhead.way[NESTED_SELECTED].inside_error_ns, 2e-3);
	assert_int_equal(first_of(q, NESTED_SELECTED)->way_calls[NESTED_SELECTED],
			 first_of(p, NESTED_SELECTED)->calls);
	profile_free(p);
	profile_free(q);
}

/* Costs of three ways in ps, as mean_of sees them: nothing varies. `deep_ps`: outside, of long
 * paths. */
static struct prof_overhead inner_of(double system, double selected, uint32_t frames,
				     uint64_t deep_ps, bool is_known)
{
	struct overhead_sum s = {0};
	struct overhead_depth d = {.calls = 10, .frames = 10.0 * frames};
	struct scp_overhead o = {.rounds = 32, .cost = {system_call, system_call}};
	struct scp_way_costs ways = {0};
	struct scp_inner_cost middle = {70000, 7000};

	o.cost[SCP_COST_LONG].outside_ps = deep_ps;
	ways.way[SCP_WAY_NESTED] = (struct scp_way_cost){10000, 100, 20000, 200};
	if (is_known)
		ways.way[NESTED_SELECTED] = (struct scp_way_cost){20000, 100, 30000, 200};
	d.way_calls[SCP_WAY_SYSTEM] = 5;
	d.way_calls[SCP_WAY_NESTED] = system;
	d.way_calls[NESTED_SELECTED] = selected;
	overhead_add(&s, &o, &o, 10);
	overhead_add_ways(&s, &ways, &ways, 10);
	overhead_add_inner(&s, &middle, &middle, 10);
	return overhead_mean(&s, &d);
}

static void test_calls_inside_cost_what_their_ways_do(void **state)
{
	struct prof_overhead wrappers = inner_of(7, 0, 6, 20000, true);
	struct prof_overhead both = inner_of(3, 1, 6, 20000, true);

	(void)state;
	assert_float_equal(wrappers.inner_ns, 30, 1e-9);
	assert_float_equal(wrappers.inner_error_ns, 0.3, 1e-3);
	/* 30 and 50 ns, 3 to 1: which one lies where is not known */
	assert_float_equal(both.inner_ns, 35, 1e-9);
	assert_float_equal(both.inner_error_ns, hypot(0.3, 20 * sqrt(3.0 / 16)), 1e-3);
}

static void test_calls_inside_cost_more_on_longer_paths(void **state)
{
	(void)state;
	/* half a ns a frame, of more than 6 */
	assert_float_equal(inner_of(0, 1, 6, 36000, true).inner_ns, 50, 1e-9);
	assert_float_equal(inner_of(0, 1, 26, 36000, true).inner_ns, 50 + 10, 1e-9);
	assert_float_equal(inner_of(0, 1, 26, 36000, true).inner_error_ns, hypot(0.3, 5), 1e-3);
	assert_float_equal(inner_of(0, 1, 2, 36000, true).inner_ns, 50 - 2, 1e-9);
	/* no noise makes them cost less there */
	assert_float_equal(inner_of(0, 1, 26, 12000, true).inner_ns, 50, 1e-9);
}

static void test_unknown_ways_inside_cost_the_middle(void **state)
{
	struct prof_overhead one = inner_of(3, 1, 6, 20000, false);
	struct prof_overhead none = inner_of(0, 0, 6, 20000, true);

	(void)state;
	assert_float_equal(one.inner_ns, 70, 1e-9);
	assert_float_equal(one.inner_error_ns, 7, 1e-9);
	assert_float_equal(none.inner_ns, 70, 1e-9);
}

static int clean(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_row_takes_off_what_its_way_costs),
		cmocka_unit_test(test_what_was_not_measured_costs_as_system_calls_do),
		cmocka_unit_test(test_half_the_difference_of_two_is_in_the_error),
		cmocka_unit_test(test_merged_files_keep_them),
		cmocka_unit_test(test_calls_inside_cost_what_their_ways_do),
		cmocka_unit_test(test_calls_inside_cost_more_on_longer_paths),
		cmocka_unit_test(test_unknown_ways_inside_cost_the_middle),
	};

	return cmocka_run_group_tests_name("overhead of ways", tests, NULL, clean);
}

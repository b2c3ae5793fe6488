// SPDX-License-Identifier: GPL-3.0-or-later
/* What a call costs by the way it goes: read, averaged, merged, and taken off a row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/model/estimate.h"
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
	};

	return cmocka_run_group_tests_name("overhead of ways", tests, NULL, clean);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The tree of callers: its shape, what its boxes add up to, and the interval of a box of
 * several sites, worked out here from the sites' own errors. */
#include "tests/unit/support/report_fixture.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "report/render/stacks/flame.h"

struct drawn {
	struct report *report;
	struct string_index strings;
	struct flame flame;
};

static void draw(struct drawn *d, const struct profile *p)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	memset(d, 0, sizeof(*d));
	d->report = report_build(p, &o);
	assert_non_null(d->report);
	assert_int_equal(flame_build(&d->flame, d->report, &d->strings), 0);
}

static void drop(struct drawn *d)
{
	flame_free(&d->flame);
	string_index_clear(&d->strings);
	report_free(d->report);
}

static const struct flame_box *box_named(const struct drawn *d, const char *name)
{
	for (uint32_t i = 1; i < d->flame.boxes; i++)
		if (!strcmp(d->strings.text[d->flame.box[i].name], name))
			return &d->flame.box[i];
	fail_msg("no box %s", name);
	return NULL;
}

static void boxes_come_in_preorder_longest_first(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, fixture_profile());
	assert_int_equal(d.flame.box[0].depth, 0);
	for (uint32_t i = 1; i < d.flame.boxes; i++) {
		const struct flame_box *b = &d.flame.box[i], *above = &d.flame.box[b->parent];

		assert_true(b->parent < i);
		assert_int_equal(b->depth, above->depth + 1);
		assert_true(b->value_ns <= above->value_ns);
		for (uint32_t k = i + 1; k < d.flame.boxes; k++)
			if (d.flame.box[k].parent == b->parent)
				assert_true(d.flame.box[k].value_ns <= b->value_ns);
	}
	drop(&d);
}

/* recv is called nine frames down, both outcomes from the same place; send and close from
 * one frame; the failed send from another, which lies in no module. */
static void a_path_is_a_way_down(void **state)
{
	struct drawn d;
	const struct flame_box *caller;

	(void)state;
	draw(&d, fixture_profile());
	assert_int_equal(d.flame.boxes, 1 + 9 + 2 + 1 + 2 + 2 + 1);
	for (uint32_t i = 0; i < d.report->sites; i++) {
		const struct report_site *s = &d.report->site[i];
		const struct flame_box *b = &d.flame.box[d.flame.end[i]];

		assert_int_equal(b->kind, FLAME_CALL);
		assert_int_equal(b->depth, s->frames + 1);
		assert_int_equal(b->sites, 1);
		assert_int_equal(b->site, i);
		assert_string_equal(d.strings.text[b->name],
				    d.report->profile->function[s->function].name);
		assert_int_equal(b->outcome == STRING_INDEX_NONE, s->outcome == SCP_COMPLETED);
	}
	caller = box_named(&d, "0x7f0000001234");
	assert_int_equal(caller->kind, FLAME_UNKNOWN);
	assert_int_equal(caller->module, STRING_INDEX_NONE);
	drop(&d);
}

static void calls_bytes_and_time_add_up(void **state)
{
	struct drawn d;
	const struct flame_box *top;
	double time_ns = 0, share = 0;
	uint64_t bytes = 0;

	(void)state;
	draw(&d, fixture_profile());
	top = &d.flame.box[0];
	for (uint32_t i = 0; i < d.report->sites; i++) {
		time_ns += fmax(d.report->site[i].total_ns, 0);
		bytes += d.report->site[i].bytes;
		share += d.flame.box[d.flame.end[i]].share;
	}
	assert_int_equal(top->calls, d.report->calls);
	assert_int_equal(top->sites, d.report->sites);
	assert_int_equal(top->bytes, bytes);
	assert_true(fabs(top->value_ns - time_ns) < 1e-6);
	assert_true(fabs(share - 1) < 1e-12);
	assert_true(top->share == 1);
	drop(&d);
}

static const struct report_site *site_of(const struct drawn *d, const char *function,
					 uint32_t outcome)
{
	for (uint32_t i = 0; i < d->report->sites; i++)
		if (d->report->site[i].outcome == outcome &&
		    !strcmp(d->report->profile->function[d->report->site[i].function].name,
			    function))
			return &d->report->site[i];
	fail_msg("no site %s", function);
	return NULL;
}

static void close_to(double value, double wanted)
{
	assert_true(fabs(value - wanted) <= 1e-9 * fabs(wanted));
}

struct sum {
	double variance, by_freedom;
};

static void add_stratum(struct sum *s, double calls, double error, double freedom)
{
	double variance = pow(calls * error, 2);

	s->variance += variance;
	s->by_freedom += variance * variance / freedom;
}

static double half_width(const struct sum *s, double calls)
{
	double freedom = floor(s->variance * s->variance / s->by_freedom);

	return gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(s->variance) / calls;
}

/* Four closes that take as long as many sends: few degrees of freedom. */
static const struct profile *with_long_closes(void)
{
	struct profile *p = fixture_profile();
	struct prof_sums *s = &p->entry[5].sums;

	s->calls = 4;
	s->units = 4 * 100000;
	s->units_sq = 2 * (prof_u128)90000 * 90000 + 2 * (prof_u128)110000 * 110000;
	s->min_units = 90000;
	s->max_units = 110000;
	return p;
}

/* 500 sends of 4000 and 4 closes of 100000: a sum of two strata. */
static void errors_of_sites_add_as_those_of_strata(void **state)
{
	struct drawn d;
	const struct report_site *sends, *closes;
	const struct flame_box *b;
	struct sum sum = {0, 0};

	(void)state;
	draw(&d, with_long_closes());
	sends = site_of(&d, "send", SCP_COMPLETED);
	closes = site_of(&d, "close", SCP_COMPLETED);
	b = &d.flame.box[d.flame.box[d.flame.end[sends - d.report->site]].parent];
	assert_int_equal(b->sites, 2);
	close_to(b->mean_ns, (500 * 4000 + 4 * 100000) / 504.0);
	add_stratum(&sum, 500, sends->estimate.error, sends->estimate.freedom);
	add_stratum(&sum, 4, closes->estimate.error, closes->estimate.freedom);
	assert_true(sum.variance * sum.variance / sum.by_freedom < 50);
	close_to(b->high_ns - b->mean_ns, half_width(&sum, 504));
	close_to(b->mean_ns - b->low_ns, half_width(&sum, 504));
	drop(&d);
}

/* One call says nothing of its own error; among others it enters with its size, and counts
 * as one degree of freedom. */
static void a_lone_call_enters_with_its_size(void **state)
{
	struct drawn d;
	const struct flame_box *top;
	struct sum sum = {0, 0};
	uint32_t lone = 0;

	(void)state;
	draw(&d, fixture_profile());
	top = &d.flame.box[0];
	for (uint32_t i = 0; i < d.report->sites; i++) {
		const struct report_site *s = &d.report->site[i];

		if (s->calls == 1) {
			add_stratum(&sum, 1, 700, 1);
			assert_false(isfinite(d.flame.box[d.flame.end[i]].high_ns));
			lone++;
		} else {
			add_stratum(&sum, (double)s->calls, s->estimate.error, s->estimate.freedom);
		}
	}
	assert_int_equal(lone, 1);
	close_to(top->high_ns - top->mean_ns, half_width(&sum, (double)top->calls));
	drop(&d);
}

static void hostile_names_are_kept_as_they_are(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, fixture_hostile());
	box_named(&d, fixture_hostile()->function[0].name);
	drop(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_come_in_preorder_longest_first),
		cmocka_unit_test(a_path_is_a_way_down),
		cmocka_unit_test(calls_bytes_and_time_add_up),
		cmocka_unit_test(errors_of_sites_add_as_those_of_strata),
		cmocka_unit_test(a_lone_call_enters_with_its_size),
		cmocka_unit_test(hostile_names_are_kept_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* Those that stay are the widest, below the same boxes; a call's end is where its box was. */
static void of_too_many_boxes_the_widest_are_kept(void **state)
{
	struct drawn whole, d;

	(void)state;
	draw(&whole, fixture_profile());
	for (uint32_t most = whole.flame.boxes; most > 0; most--) {
		double least = INFINITY;

		draw(&d, fixture_profile());
		assert_int_equal(flame_limit(&d.flame, d.report->sites, most), 0);
		assert_in_range(d.flame.boxes, 1, most);
		assert_int_equal(d.flame.boxes + d.flame.left_out, whole.flame.boxes);
		for (uint32_t i = 1; i < d.flame.boxes; i++) {
			const struct flame_box *b = &d.flame.box[i];

			assert_true(b->parent < i);
			assert_int_equal(b->depth, d.flame.box[b->parent].depth + 1);
			least = fmin(least, flame_width(b));
		}
		for (uint32_t i = 0, wider = 1; i < whole.flame.boxes; i++) {
			wider += i && flame_width(&whole.flame.box[i]) >= least;
			if (i + 1 == whole.flame.boxes)
				assert_int_equal(wider, d.flame.boxes);
		}
		for (uint32_t i = 0; i < d.report->sites; i++) {
			uint32_t at = whole.flame.end[i], end = d.flame.end[i];

			while (at && flame_width(&whole.flame.box[at]) < least)
				at = whole.flame.box[at].parent;
			assert_int_equal(d.flame.box[end].depth, whole.flame.box[at].depth);
			assert_true(d.flame.box[end].value_ns == whole.flame.box[at].value_ns);
		}
		drop(&d);
	}
	drop(&whole);
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
	/* of all threads' time */
	assert_true(d.report->time_ns > time_ns);
	assert_true(fabs(share - time_ns / d.report->time_ns) < 1e-12);
	assert_true(fabs(top->share - share) < 1e-12);
	drop(&d);
}

/* 500 sends of 4000 and 4 closes of 100000. */
static void a_box_has_the_mean_over_its_calls(void **state)
{
	struct profile *p = fixture_profile();
	struct prof_sums *sums = &p->entry[5].sums;
	struct drawn d;
	const struct flame_box *b;

	(void)state;
	sums->calls = 4;
	sums->units = 4 * 100000;
	draw(&d, p);
	b = box_named(&d, "close");
	assert_int_equal(b->sites, 1);
	assert_true(fabs(b->mean_ns - 100000) < 1e-6);
	b = &d.flame.box[b->parent];
	assert_int_equal(b->sites, 2);
	assert_true(fabs(b->mean_ns - (500 * 4000 + 4 * 100000) / 504.0) < 1e-6);
	assert_true(isnan(b->low_ns) && isnan(b->high_ns));
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
		cmocka_unit_test(of_too_many_boxes_the_widest_are_kept),
		cmocka_unit_test(a_path_is_a_way_down),
		cmocka_unit_test(calls_bytes_and_time_add_up),
		cmocka_unit_test(a_box_has_the_mean_over_its_calls),
		cmocka_unit_test(hostile_names_are_kept_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

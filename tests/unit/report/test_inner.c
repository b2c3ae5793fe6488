// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls inside an interval: how many, what recording each adds, and what is subtracted. From the
 * file through the model and a merge to the report. */
#include <math.h>
#include <string.h>

#include "tests/unit/support/model_open.h"
#include "profile/profile.h"
#include "report/compare/diff.h"
#include "tests/unit/support/report_fixture.h"
#include "tests/unit/support/scp_build.h"

/* The sample, with calls inside its first site's ten. */
static const char *save(const char *name, uint64_t inner_calls, struct scp_inner_cost first,
			struct scp_inner_cost last)
{
	const char *path = scp_build_name(name);
	struct scp_build b;
	struct scp_sample s;

	scp_build_sample(&b, &s);
	((struct scp_entry *)(void *)(b.bytes + s.entry))->inner_calls = inner_calls;
	scp_build_header(&b)->inner_first = first;
	scp_build_header(&b)->inner_last = last;
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

static void test_counts_and_costs_add_up_over_files(void **state)
{
	const char *paths[] = {save("a.scp", 30, (struct scp_inner_cost){50000, 300},
				    (struct scp_inner_cost){60000, 400}),
			       save("b.scp", 12, (struct scp_inner_cost){55000, 100},
				    (struct scp_inner_cost){0, 0})};
	struct profile *p = model_open(paths, 1);

	(void)state;
	assert_int_equal(p->entry[0].sums.inner_calls, 30);
	assert_float_equal(p->clock.overhead.inner_ns, 55, 1e-9);
	/* half of the difference, and what each is uncertain by */
	assert_float_equal(p->clock.overhead.inner_error_ns, sqrt(25 + (0.09 + 0.16) / 2), 1e-3);
	assert_float_equal(p->slow.overhead.inner_ns, 55, 1e-9);
	profile_free(p);
	p = model_open(paths, 2);
	assert_float_equal(p->clock.overhead.inner_ns, 55, 1e-9);
	profile_free(p);
}

static void test_unmeasured_is_not_a_number(void **state)
{
	const struct scp_inner_cost none = {0, 0};
	const char *path = save("none.scp", 1, none, none);
	struct profile *p = model_open(&path, 1);

	(void)state;
	assert_true(isnan(p->clock.overhead.inner_ns));
	profile_free(p);
}

static void test_merged_files_keep_both(void **state)
{
	const char *path = save("c.scp", 7, (struct scp_inner_cost){50000, 300},
				(struct scp_inner_cost){60000, 400});
	const char *merged = scp_build_name("merged.scp");
	struct profile *p = model_open(&path, 1), *q;
	struct profile_error err;

	(void)state;
	assert_int_equal(write_profile(p, merged, &err), 0);
	q = model_open(&merged, 1);
	assert_int_equal(q->entry[0].sums.inner_calls, 7);
	assert_float_equal(q->clock.overhead.inner_ns, p->clock.overhead.inner_ns, 1e-9);
	assert_float_equal(q->clock.overhead.inner_error_ns, p->clock.overhead.inner_error_ns,
			   1e-9);
	assert_null(model_difference(p, q));
	profile_free(p);
	profile_free(q);
}

static void test_hostile_costs_are_refused(void **state)
{
	const char *path = save("hostile.scp", 7, (struct scp_inner_cost){SCP_COST_MAX_PS + 1, 0},
				(struct scp_inner_cost){0, 0});
	struct profile_error err;

	(void)state;
	assert_null(profile_open(&path, 1, &err));
	assert_non_null(strstr(err.text, "calls inside calls"));
}

static struct report *build(struct profile *p)
{
	struct report_options o = {.by = REPORT_BY_PATH, .confidence = 0.95};
	struct report *r = report_build(p, &o);

	assert_non_null(r);
	return r;
}

/* Two calls inside each, at 10 ns: 20 ns of the mean, and of all else its part. */
static void test_the_report_takes_them_off(void **state)
{
	struct profile *p = fixture_profile();
	struct report_site before, after;
	uint64_t calls;
	struct report *r;
	double scale;

	(void)state;
	p->clock.overhead = (struct prof_overhead){
		.measurements = 2, .inside_ns = 100, .inside_error_ns = 40, .inner_ns = 10};
	r = build(p);
	before = r->site[0];
	report_free(r);
	for (uint32_t i = 0; i < p->entries; i++)
		p->entry[i].sums.inner_calls = 2 * p->entry[i].sums.calls;
	r = build(p);
	after = r->site[0];
	calls = after.calls;
	report_free(r);
	assert_int_equal(after.inner_calls, 2 * calls);
	assert_float_equal(after.inner_overhead_ns, 20, 1e-9);
	assert_float_equal(after.overhead_ns, 120, 1e-9);
	assert_float_equal(after.raw_mean_ns, before.raw_mean_ns, 1e-9);
	assert_float_equal(after.estimate.mean, before.estimate.mean - 20, 1e-6);
	assert_float_equal(after.total_ns, before.total_ns - 20 * (double)calls, 1e-3);
	/* the calls inside are uncertain by 10 % of their cost, all in one direction */
	assert_float_equal(after.overhead_error_ns, hypot(before.overhead_error_ns, 2 * 0.10 * 10),
			   1e-9);
	scale = 1 - 20 / before.raw_mean_ns;
	assert_float_equal(after.max_ns, (before.max_ns + 100) * scale - 100, 1e-6);
	assert_float_equal(after.min_ns, (before.min_ns + 100) * scale - 100, 1e-6);
	assert_true(scale > 0.5 && scale < 1);
}

static double compared_total_ns(struct profile *p, uint64_t nested_units, uint64_t nested_calls)
{
	const struct profile *both[] = {p, p};
	struct diff_options o = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;
	struct diff *d;
	double total_ns;

	p->table[0].nested_units = nested_units;
	p->table[0].nested_calls = nested_calls;
	d = diff_model_build(both, 2, 1, &o, &why);
	assert_non_null(d);
	total_ns = d->side[DIFF_NEW].total_ns;
	diff_model_free(d);
	return total_ns;
}

/* Of 500,000 ns in a thousand calls inside of others recording them was 100 each. */
static void test_a_comparison_has_no_moment_twice(void **state)
{
	struct profile *p = fixture_profile();

	(void)state;
	p->clock.overhead =
		(struct prof_overhead){.measurements = 2, .inside_ns = 100, .inside_error_ns = 4};
	assert_float_equal(compared_total_ns(p, 0, 0) - compared_total_ns(p, 500000, 1000), 400000,
			   1e-3);
}

/* Calls of 1.8 us, of which recording takes 2.5: that may be off by 6 %, twice. */
static void test_an_empty_call_is_no_base_of_a_ratio(void **state)
{
	struct profile *p = fixture_profile();
	const struct profile *both[] = {p, p};
	struct diff_options o = DIFF_OPTIONS_DEFAULT;
	struct profile_error why;
	struct diff *d;
	int known = 0;

	(void)state;
	p->clock.overhead = (struct prof_overhead){.measurements = 2, .inside_ns = 2500};
	d = diff_model_build(both, 2, 1, &o, &why);
	assert_non_null(d);
	for (uint32_t i = 0; i < d->sites; i++) {
		known += !isnan(d->site[i].run[0].quick_ns);
		assert_false(d->site[i].run[0].quick_ns < 299.9);
	}
	assert_true(known > 0);
	diff_model_free(d);
}

static int clean(void **state)
{
	(void)state;
	scp_build_cleanup();
	return 0;
}

/* Calls in rows are nested in calls in rows for no longer than these take: else the time in calls
 * would be less than nothing where --below leaves out what is outside. */
static void test_what_is_left_out_nests_nothing(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_profile();
	struct report *r;

	(void)state;
	for (uint32_t i = 0; i < p->entries; i++)
		p->entry[i].sums.inner_calls = i == 0;
	p->table[0].nested_calls = 1;
	p->table[0].nested_units = p->entry[0].sums.units;
	r = report_build(p, &o);
	assert_true(r->nested_ns >= (double)p->entry[0].sums.units);
	report_free(r);
	p->below.filtered = true;
	p->path[p->entry[0].path].flags |= PROF_PATH_LEFT_OUT;
	r = report_build(p, &o);
	assert_true(r->nested_ns == 0);
	p->path[p->entry[0].path].flags &= ~PROF_PATH_LEFT_OUT;
	report_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_and_costs_add_up_over_files),
		cmocka_unit_test(test_unmeasured_is_not_a_number),
		cmocka_unit_test(test_merged_files_keep_both),
		cmocka_unit_test(test_hostile_costs_are_refused),
		cmocka_unit_test(test_the_report_takes_them_off),
		cmocka_unit_test(test_a_comparison_has_no_moment_twice),
		cmocka_unit_test(test_an_empty_call_is_no_base_of_a_ratio),
		cmocka_unit_test(test_what_is_left_out_nests_nothing),
	};

	return cmocka_run_group_tests_name("calls inside intervals", tests, NULL, clean);
}

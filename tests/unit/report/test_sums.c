// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reader adds up: calls inside others, paths that are folded, and what to do next. */
#include "tests/unit/support/loop_fixture.h"
#include "tests/unit/support/report_fixture.h"
#include "report/findings/findings.h"

#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { A, B, C };

static struct report *build(const struct profile *p, enum report_by by, bool fold)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct report *r;

	o.by = by;
	o.fold = fold;
	r = report_build(p, &o);
	assert_non_null(r);
	next_steps_fill(r, false);
	return r;
}

static const struct report_site *row_of(const struct report *r, const char *name)
{
	for (uint32_t i = 0; i < r->sites; i++)
		if (!strcmp(r->profile->function[r->site[i].function].name, name))
			return &r->site[i];
	fail_msg("no row of %s", name);
	return NULL;
}

/* A hundred calls of a, 1000 each, contain 300 of b, 50 each, and 50 of c's 150, 40 each. */
static struct profile *nested(uint32_t *thread)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "worker"), a = loop_entry(p, t, A, 0, 100, 1000), c;

	loop_entry(p, t, B, 1, 300, 50);
	c = loop_entry(p, t, C, 2, 150, 40);
	p->entry[a].sums.inner_calls = 350;
	p->table[t].nested_units = 300 * 50 + 50 * 40;
	p->table[t].nested_calls = 350;
	p->table[t].time_units -= 300 * 50 + 50 * 40;
	loop_gap(p, t, NONE, a, 1, 10);
	loop_gap(p, t, a, c, 100, 10);
	loop_gap(p, t, c, a, 99, 10);
	*thread = t;
	return p;
}

static void test_rows_inside_others_are_told(void **state)
{
	uint32_t t;
	struct profile *p = nested(&t);
	struct report *r = build(p, REPORT_BY_PATH, false);
	const double all = 100 * 1000 + 100 * 40;

	(void)state;
	assert_int_equal(row_of(r, "a")->outer_calls, 100);
	assert_int_equal(row_of(r, "b")->outer_calls, 0);
	assert_int_equal(row_of(r, "c")->outer_calls, 100);
	assert_float_equal(row_of(r, "a")->outer_ns, 100000, 1e-6);
	assert_float_equal(row_of(r, "b")->outer_ns, 0, 1e-6);
	assert_float_equal(row_of(r, "c")->outer_ns, 4000, 1e-6);
	assert_float_equal(row_of(r, "a")->self_ns, 100000 - 15000 - 2000, 1e-6);
	assert_float_equal(row_of(r, "b")->self_ns, 15000, 1e-6);
	assert_float_equal(row_of(r, "a")->share, 100000 / all, 1e-12);
	assert_float_equal(row_of(r, "b")->share, 15000 / all, 1e-12);
	assert_float_equal(r->net_ns, all, 1e-6);
	report_free(r);
	loop_profile_free(p);
}

/* The same, but b contains calls of c: the thread's one sum is nobody's. */
static void test_time_inside_two_rows_is_not_divided(void **state)
{
	uint32_t t;
	struct profile *p = nested(&t);
	struct report *r;

	(void)state;
	p->entry[1].sums.inner_calls = 50;
	r = build(p, REPORT_BY_PATH, false);
	assert_true(isnan(row_of(r, "a")->self_ns));
	assert_true(isnan(row_of(r, "b")->self_ns));
	assert_float_equal(row_of(r, "c")->self_ns, 6000, 1e-6);
	report_free(r);
	loop_profile_free(p);
}

/* Gaps that were lost, or never there, tell nothing. */
static void test_lost_gaps_put_nothing_inside(void **state)
{
	uint32_t t;
	struct profile *p = nested(&t);
	struct report *r;

	(void)state;
	p->gaps = 1;
	r = build(p, REPORT_BY_PATH, false);
	for (uint32_t i = 0; i < r->sites; i++)
		assert_int_equal(r->site[i].outer_calls, r->site[i].calls);
	report_free(r);
	loop_profile_free(p);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static int another(int n)
{
	return n + 1;
}

/* Entries 0 to 2 of the fixture, called at these places of this program. */
static struct profile *called_at(uintptr_t first, uintptr_t second, uintptr_t third)
{
	static char self[512];
	const uintptr_t at[] = {first, second, third};
	struct profile *p;
	uintptr_t bias = 0;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	dl_iterate_phdr(first_bias, &bias);
	p = fixture_alike(self, self);
	p->entries = 3;
	for (uint32_t i = 0; i < 3; i++) {
		p->path[i].frames = 1;
		p->path[i].frame[0] =
			(struct prof_frame){.module = 0, .exact = true, .offset = at[i] - bias};
	}
	return p;
}

static void test_paths_through_the_same_functions_are_one_row(void **state)
{
	uintptr_t here = (uintptr_t)first_bias, there = (uintptr_t)another;
	struct profile *p = called_at(here, here + 1, there);
	struct report *r = build(p, REPORT_BY_PATH, true);

	(void)state;
	assert_int_equal(r->sites, 2);
	assert_int_equal(r->site[0].paths, 2);
	assert_int_equal(r->site[0].calls, 1000 + 999);
	assert_int_equal(r->site[1].paths, 1);
	/* the longest one's place */
	assert_ptr_equal(r->site[0].frame, p->path[0].frame);
	report_free(r);
	r = build(p, REPORT_BY_SITE, true);
	assert_int_equal(r->sites, 2);
	report_free(r);
	r = build(p, REPORT_BY_PATH, false);
	assert_int_equal(r->sites, 3);
	assert_int_equal(r->site[0].paths, 0);
	report_free(r);
}

/* No name is known: only equal addresses are the same. */
static void test_frames_without_names_are_their_addresses(void **state)
{
	static char gone[] = "/nonexistent/lib.so";
	struct report *r = build(fixture_alike(gone, gone), REPORT_BY_PATH, true);

	(void)state;
	assert_true(r->sites >= 4);
	report_free(r);
}

static bool suggests(const struct report *r, const char *words)
{
	for (uint32_t i = 0; i < r->next_steps; i++)
		if (strstr(r->next_step[i], words))
			return true;
	return false;
}

static void test_next_steps_follow_from_what_was_found(void **state)
{
	static char name[] = "epoll_wait", odd[] = "it's $HOME", *argv[] = {odd, NULL};
	struct profile *p = fixture_profile();
	struct report *r = build(p, REPORT_BY_PATH, false);

	(void)state;
	assert_int_equal(r->next_steps, 1); /* nothing to say */
	assert_true(suggests(r, "scprof report -o report.html app.scp"));
	report_free(r);
	p->function[0].name = name;
	p->function[0].group = SCP_GROUP_WAIT;
	r = build(p, REPORT_BY_PATH, false);
	assert_true(suggests(r, "of the time is waiting"));
	assert_true(suggests(r, "scprof report --by thread app.scp"));
	assert_false(suggests(r, "report.html"));
	report_free(r);
	p->table[0].threads = 0; /* of one thread there is nothing to tell apart */
	p->table[1].threads = 1;
	r = build(p, REPORT_BY_PATH, false);
	assert_false(suggests(r, "--by thread"));
	report_free(r);
	/* fifty sends that differ, and a command for which a shell needs quotes */
	p = fixture_profile();
	p->entries = 4;
	p->process[0].argv = argv;
	p->process[0].argc = 1;
	p->entry[3].sums.calls = 50;
	p->entry[3].sums.batches.count = 0;
	p->entry[3].sums.units_sq = (prof_u128)9 * 40000 * 40000 * 50;
	r = build(p, REPORT_BY_PATH, false);
	assert_false(suggests(r, "--until")); /* hundreds of times as many calls would be needed */
	report_free(r);
	p->entry[3].sums.units_sq = (prof_u128)2 * 40000 * 40000 * 50;
	r = build(p, REPORT_BY_PATH, false);
	assert_true(suggests(r, "--until 5% -- 'it'\\''s $HOME'"));
	assert_true(r->next_steps <= NEXT_STEPS);
	report_free(r);
}

static double printed(const struct report_site *s, enum report_sort sort)
{
	return sort == REPORT_SORT_MEAN	 ? s->estimate.mean
	       : sort == REPORT_SORT_MAX ? s->max_ns
					 : s->total_ns;
}

/* What recording cost is taken off before rows are compared; less than it is known to is no mean.
 */
static void test_rows_are_in_the_order_of_what_is_printed(void **state)
{
	static const enum report_sort sorts[] = {REPORT_SORT_TIME, REPORT_SORT_MEAN,
						 REPORT_SORT_MAX, REPORT_SORT_CPU};
	struct profile *p = fixture_profile();

	(void)state;
	p->clock.overhead.measurements = 9;
	p->clock.overhead.inside_ns = 1900;
	for (size_t i = 0; i < sizeof(sorts) / sizeof(*sorts); i++) {
		struct report_options o = REPORT_OPTIONS_DEFAULT;
		struct report *r;
		uint32_t limits = 0, raw = 0;

		o.sort = sorts[i];
		r = report_build(p, &o);
		assert_non_null(r);
		for (uint32_t k = 0; k < r->sites; k++) {
			const struct report_site *s = &r->site[k];

			limits += s->below_ns > 0;
			assert_false(s->estimate.low < 0);
			assert_false(s->percentiles.at[REPORT_P50].ns < 0);
			if (!k)
				continue;
			assert_true(printed(s, sorts[i]) <= printed(s - 1, sorts[i]));
			raw += s->units > s[-1].units;
		}
		assert_true(raw > 0); /* by time as measured they would be in another order */
		assert_in_range(limits, 1, r->sites - 1);
		report_free(r);
	}
}

/* Of programs, too, which have the same column. */
static void test_time_in_calls_is_that_of_nested_calls_once(void **state)
{
	static const enum report_by by[] = {REPORT_BY_THREAD, REPORT_BY_PROCESS};
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	uint32_t thread;
	struct profile *p = nested(&thread);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		o.by = by[i];
		char *text = fixture_print(p, &o);

		if (!strstr(strstr(text, "IN CALLS"), "104.0 µs"))
			fail_msg("%s", text);
		free(text);
	}
	loop_profile_free(p);
}

/* Several may have had one table, or be one row. */
static void test_the_page_counts_the_threads_and_processes_that_the_text_counts(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_profile();
	char *page;

	(void)state;
	for (uint32_t i = 0; i < p->tables; i++)
		p->table[i].threads = 0;
	p->table[0].threads = 7;
	p->process[0].count = 3;
	o.format = REPORT_HTML;
	page = fixture_print(p, &o);
	assert_non_null(strstr(page, "3 processes, 7 threads"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_inside_others_are_told),
		cmocka_unit_test(test_time_inside_two_rows_is_not_divided),
		cmocka_unit_test(test_lost_gaps_put_nothing_inside),
		cmocka_unit_test(test_paths_through_the_same_functions_are_one_row),
		cmocka_unit_test(test_frames_without_names_are_their_addresses),
		cmocka_unit_test(test_rows_are_in_the_order_of_what_is_printed),
		cmocka_unit_test(test_time_in_calls_is_that_of_nested_calls_once),
		cmocka_unit_test(
			test_the_page_counts_the_threads_and_processes_that_the_text_counts),
		cmocka_unit_test(test_next_steps_follow_from_what_was_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

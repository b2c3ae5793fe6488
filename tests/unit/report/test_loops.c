// SPDX-License-Identifier: GPL-3.0-or-later
/* Loops of threads made by hand: every number in them can be checked on paper. */
#include "tests/unit/support/loop_fixture.h"
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

enum { A, B, C, D };

/* a 1000 -> 100 -> b 2000 -> 200 -> c 3000 -> 300 -> a, a hundred times, between a start of
 * 5000 and an end of 400; a pass of 6600. */
static uint32_t add_ring(struct profile *p, const char *name)
{
	uint32_t t = loop_thread(p, name);
	uint32_t a = loop_entry(p, t, A, 0, 100, 1000), b = loop_entry(p, t, B, 1, 100, 2000);
	uint32_t c = loop_entry(p, t, C, 2, 100, 3000);

	loop_gap(p, t, NONE, a, 1, 5000);
	loop_gap(p, t, a, b, 100, 100);
	loop_gap(p, t, b, c, 100, 200);
	loop_gap(p, t, c, a, 99, 300);
	loop_gap(p, t, c, NONE, 1, 400);
	return t;
}

static void test_a_known_cycle(void **state)
{
	struct profile *p = loop_profile();
	const struct loop_row *row;
	const struct loop *l;
	struct report *r;

	(void)state;
	add_ring(p, "worker");
	r = loop_built(p, REPORT_JSON);
	assert_int_equal(r->loops->loops, 1);
	l = &r->loops->loop[0];
	assert_int_equal(l->cycles, 1);
	assert_int_equal(l->cycle[0].passes, 100);
	/* 660 000 less the one gap that ends the thread instead */
	assert_float_equal(l->cycle[0].total_ns, 659700, 1e-6);
	assert_float_equal(l->cycle[0].mean_ns, 6597, 1e-9);
	assert_true(l->cycle[0].low_ns <= 6597 && l->cycle[0].high_ns >= 6597);
	assert_float_equal(l->time_ns, 665100, 1e-6);
	assert_int_equal(l->remainder_units, 0);
	assert_int_equal(l->calls, 300);
	row = loop_row_of(r, l, LOOP_STATE, "b", "b");
	assert_int_equal(row->calls, 100);
	assert_float_equal(row->estimate.mean, 2000, 1e-9);
	assert_float_equal(row->per_pass, 1, 1e-12);
	assert_float_equal(row->share, 200000 / 665100.0, 1e-12);
	assert_int_equal(row->way, 1);
	row = loop_row_of(r, l, LOOP_EDGE, "c", "a");
	assert_int_equal(row->calls, 99);
	assert_int_equal(row->chance, 1000);
	assert_float_equal(row->estimate.mean, 300, 1e-9);
	assert_float_equal(row->pass_ns, 297, 1e-9);
	row = loop_row_of(r, l, LOOP_OUTSIDE, NULL, NULL);
	assert_float_equal(row->total_ns, 5400, 1e-6);
	assert_null(loop_row_of(r, l, LOOP_SCPROF, NULL, NULL));
	report_free(r);
	loop_profile_free(p);
}

static void test_the_overhead_has_a_row(void **state)
{
	struct profile *p = loop_profile();
	const struct loop_row *row;
	const struct loop *l;
	struct report *r;

	(void)state;
	add_ring(p, "worker");
	p->clock.overhead = (struct prof_overhead){.measurements = 1, .inside_ns = 20};
	r = loop_built(p, REPORT_TEXT);
	l = &r->loops->loop[0];
	row = loop_row_of(r, l, LOOP_STATE, "a", "a");
	assert_float_equal(row->estimate.mean, 980, 1e-9);
	assert_float_equal(row->total_ns, 98000, 1e-6);
	row = loop_row_of(r, l, LOOP_SCPROF, NULL, NULL);
	assert_int_equal(row->calls, 300);
	assert_float_equal(row->total_ns, 6000, 1e-6);
	assert_float_equal(row->pass_ns, 60, 1e-9);
	/* A pass is as measured. */
	assert_float_equal(l->cycle[0].mean_ns, 6597, 1e-9);
	report_free(r);
	loop_profile_free(p);
}

/* a -> (98 %) b | (2 %) c */
static void test_branches(void **state)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "worker");
	uint32_t a = loop_entry(p, t, A, 0, 1000, 50), b = loop_entry(p, t, B, 1, 980, 70);
	uint32_t c = loop_entry(p, t, C, 2, 20, 900);
	const struct loop_row *row;
	struct report *r;
	char *text;

	(void)state;
	loop_gap(p, t, NONE, a, 1, 10);
	loop_gap(p, t, a, b, 980, 5);
	loop_gap(p, t, a, c, 20, 6);
	loop_gap(p, t, b, a, 980, 7);
	loop_gap(p, t, c, a, 19, 8);
	r = loop_built(p, REPORT_TEXT);
	assert_int_equal(r->loops->loop[0].cycle[0].passes, 1000);
	row = loop_row_of(r, &r->loops->loop[0], LOOP_EDGE, "a", "b");
	assert_int_equal(row->chance, 980);
	assert_int_equal(row->way, 1);
	row = loop_row_of(r, &r->loops->loop[0], LOOP_EDGE, "a", "c");
	assert_int_equal(row->chance, 20);
	assert_int_equal(row->way, 0);
	assert_float_equal(row->per_pass, 0.02, 1e-12);
	report_free(r);
	text = loop_printed(p, REPORT_TEXT, 80);
	assert_non_null(strstr(text, "(98.0 %) b"));
	assert_non_null(strstr(text, "(2.0 %) c"));
	assert_non_null(strstr(text, "in all"));
	free(text);
	loop_profile_free(p);
}

/* Shares of sevenths and thirteenths, a hundred threads of different ones: loop_built checks
 * that all percentages add up to 100.0. */
static void test_ugly_fractions(void **state)
{
	(void)state;
	for (uint32_t k = 1; k <= 100; k++) {
		struct profile *p = loop_profile();
		uint32_t t = loop_thread(p, "worker"), first = 0, before = NONE;

		for (uint32_t i = 0; i < 3 + k % 11; i++) {
			uint32_t e = loop_entry(p, t, i, i, 10, 7 * k + 13 * i * i);

			if (!i)
				first = e;
			loop_gap(p, t, before, e, i ? 10 : 1, 3 + i * k % 17);
			before = e;
		}
		loop_gap(p, t, before, first, 9, 1);
		loop_gap(p, t, before, NONE, 1, k);
		report_free(loop_built(p, REPORT_TEXT));
		report_free(loop_built(p, REPORT_JSON));
		loop_profile_free(p);
	}
}

static void test_the_rest_is_folded_and_nothing_lost(void **state)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "worker"), a = loop_entry(p, t, A, 0, 10000, 1000);
	const struct loop_row *others;
	struct report *r;

	(void)state;
	loop_gap(p, t, a, a, 9000, 10);
	for (uint32_t i = 1; i <= 1000; i++) {
		uint32_t e = loop_entry(p, t, i, i, 1, 9);

		loop_gap(p, t, a, e, 1, 20);
		loop_gap(p, t, e, a, 1, 30);
	}
	r = loop_built(p, REPORT_TEXT);
	others = loop_row_of(r, &r->loops->loop[0], LOOP_OTHERS, NULL, NULL);
	assert_non_null(others);
	assert_in_range(others->states, 998, 1000);
	assert_in_range(others->edges, 1996, 2000);
	assert_int_equal(loop_row_of(r, &r->loops->loop[0], LOOP_EDGE, "a", "a")->chance, 900);
	assert_true(r->loops->loop[0].rows < 30);
	report_free(r);
	r = loop_built(p, REPORT_JSON);
	assert_null(loop_row_of(r, &r->loops->loop[0], LOOP_OTHERS, NULL, NULL));
	assert_int_equal(r->loops->loop[0].rows, 1001 + 2001);
	report_free(r);
	loop_profile_free(p);
}

/* A thread of its own ring, which goes to c or d by its number. */
static void add_worker(struct profile *p, uint32_t number)
{
	uint32_t t = loop_thread(p, "worker"), odd = number % 2 * 20;
	uint32_t a = loop_entry(p, t, A, 0, 100, 1000 + number);
	uint32_t c = loop_entry(p, t, C, 2, 40 + odd, 10), d = loop_entry(p, t, D, 3, 60 - odd, 10);

	loop_gap(p, t, NONE, a, 1, 1);
	loop_gap(p, t, a, c, 40 + odd, 1);
	loop_gap(p, t, a, d, 60 - odd, 1);
	loop_gap(p, t, c, a, 39 + odd, 1);
	loop_gap(p, t, d, a, 60 - odd, 1);
	loop_gap(p, t, c, NONE, 1, 1);
}

static void test_threads_of_one_loop_are_one(void **state)
{
	struct profile *p = loop_profile();
	const struct loop *l;
	struct report *r;

	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		add_worker(p, i);
	add_ring(p, "other");
	r = loop_built(p, REPORT_TEXT);
	assert_int_equal(r->loops->loops, 2);
	l = &r->loops->loop[0];
	assert_int_equal(l->tables, 50);
	assert_int_equal(l->threads, 50);
	assert_true(l->one_name);
	assert_int_equal(l->cycle[0].passes, 5000);
	/* The longest one first. */
	assert_int_equal(l->thread[0].tid, 149);
	assert_float_equal(l->share + r->loops->loop[1].share, 1, 1e-12);
	report_free(r);
	loop_profile_free(p);
}

static void test_threads_without_a_loop(void **state)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "once"), a = loop_entry(p, t, A, 0, 1, 100);
	uint32_t b = loop_entry(p, t, B, 1, 1, 300);
	const struct loop *l;
	struct report *r;
	char *text;

	(void)state;
	loop_gap(p, t, NONE, a, 1, 10);
	loop_gap(p, t, a, b, 1, 20);
	loop_gap(p, t, b, NONE, 1, 70);
	r = loop_built(p, REPORT_TEXT);
	l = &r->loops->loop[0];
	assert_int_equal(l->cycles, 0);
	assert_int_equal(l->rows, 1);
	assert_int_equal(loop_row_of(r, l, LOOP_OUTSIDE, NULL, NULL)->permille, 1000);
	report_free(r);
	text = loop_printed(p, REPORT_TEXT, 80);
	assert_non_null(strstr(text, "no loop, 2 calls"));
	free(text);
	loop_profile_free(p);
}

static void test_threads_of_next_to_nothing(void **state)
{
	struct profile *p = loop_profile();
	struct report *r = loop_built(p, REPORT_TEXT);
	uint32_t t;
	char *text;

	(void)state;
	assert_int_equal(r->loops->loops, 0); /* no thread */
	report_free(r);
	loop_thread(p, "empty");
	r = loop_built(p, REPORT_TEXT);
	assert_int_equal(r->loops->loops, 0); /* one that did nothing */
	report_free(r);
	t = loop_thread(p, "waits");
	loop_gap(p, t, NONE, NONE, 1, 5000);
	r = loop_built(p, REPORT_TEXT);
	assert_int_equal(r->loops->loops, 1); /* one that made no call */
	assert_int_equal(r->loops->loop[0].rows, 1);
	assert_int_equal(r->loops->loop[0].row[0].permille, 1000);
	report_free(r);
	t = loop_thread(p, "unclocked");
	loop_entry(p, t, A, 0, 1, 0);
	loop_gap(p, t, NONE, 0, 1, 0); /* a slow clock that did not advance */
	r = loop_built(p, REPORT_TEXT);
	assert_int_equal(r->loops->loops, 2);
	assert_int_equal(r->loops->loop[1].rows, 0);
	assert_int_equal(r->loops->loop[1].calls, 1);
	report_free(r);
	text = loop_printed(p, REPORT_TEXT, 80);
	assert_non_null(strstr(text, "no calls"));
	free(text);
	loop_profile_free(p);
}

/* Calls of b are nested in a; of c, at times. */
static void test_nested_calls_are_in_no_state(void **state)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "worker"), a = loop_entry(p, t, A, 0, 100, 1000);
	uint32_t c;
	const struct loop *l;
	struct report *r;

	(void)state;
	loop_entry(p, t, B, 1, 300, 50);
	c = loop_entry(p, t, C, 2, 150, 40);
	/* 300 of b, and 50 of c: counted twice in the calls' time */
	p->table[t].nested_units = 300 * 50 + 50 * 40;
	p->table[t].time_units -= 300 * 50 + 50 * 40;
	loop_gap(p, t, NONE, a, 1, 10);
	loop_gap(p, t, a, c, 100, 10);
	loop_gap(p, t, c, a, 99, 10);
	r = loop_built(p, REPORT_TEXT);
	l = &r->loops->loop[0];
	assert_null(loop_row_of(r, l, LOOP_STATE, "b", "b"));
	assert_false(loop_row_of(r, l, LOOP_STATE, "a", "a")->apportioned);
	assert_true(loop_row_of(r, l, LOOP_STATE, "c", "c")->apportioned);
	assert_int_equal(loop_row_of(r, l, LOOP_STATE, "c", "c")->calls, 100);
	assert_float_equal(loop_row_of(r, l, LOOP_STATE, "c", "c")->total_ns, 4000, 1e-6);
	assert_true(isnan(loop_row_of(r, l, LOOP_STATE, "c", "c")->estimate.low));
	assert_int_equal(l->remainder_units, 0);
	report_free(r);
	loop_profile_free(p);
}

static void test_two_loops_one_after_the_other(void **state)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "phases");
	uint32_t a = loop_entry(p, t, A, 0, 100, 10), b = loop_entry(p, t, B, 1, 100, 500);
	const struct loop *l;
	struct report *r;
	char *text;

	(void)state;
	loop_gap(p, t, NONE, a, 1, 3);
	loop_gap(p, t, a, a, 99, 2);
	loop_gap(p, t, a, b, 1, 1000);
	loop_gap(p, t, b, b, 99, 1);
	loop_gap(p, t, b, NONE, 1, 5);
	r = loop_built(p, REPORT_TEXT);
	l = &r->loops->loop[0];
	assert_int_equal(l->cycles, 2);
	assert_float_equal(l->cycle[0].total_ns, 50099, 1e-6);
	assert_float_equal(l->cycle[1].total_ns, 1198, 1e-6);
	assert_float_equal(loop_row_of(r, l, LOOP_OUTSIDE, NULL, NULL)->total_ns, 1008, 1e-6);
	report_free(r);
	text = loop_printed(p, REPORT_TEXT, 80);
	assert_non_null(strstr(text, "loop 2, 100 passes"));
	assert_non_null(strstr(text, "(outside the loops)"));
	free(text);
	loop_profile_free(p);
}

static void test_names_are_as_short_as_tells_them_apart(void **state)
{
	struct profile *p = loop_profile();
	uint32_t t = loop_thread(p, "worker");
	uint32_t one = loop_entry(p, t, A, 0, 100, 10), two = loop_entry(p, t, A, 8, 100, 20);
	uint32_t b = loop_entry(p, t, B, 1, 100, 30);
	char *text;

	(void)state;
	loop_gap(p, t, NONE, one, 1, 1);
	loop_gap(p, t, one, two, 100, 1);
	loop_gap(p, t, two, b, 100, 1);
	loop_gap(p, t, b, one, 99, 1);
	setenv("LC_ALL", "C", 1);
	text = loop_printed(p, REPORT_TEXT, 200);
	assert_non_null(strstr(text, "\na in app+0x1000 "));
	assert_non_null(strstr(text, "\n  -> a in app+0x1008 "));
	assert_non_null(strstr(text, "\n  -> b "));
	for (const char *c = text; *c; c++)
		assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
	free(text);
	loop_profile_free(p);
}

static void test_lines_keep_to_the_width(void **state)
{
	struct profile *p = loop_profile();

	(void)state;
	add_ring(p, "worker");
	setenv("LC_ALL", "C", 1);
	for (uint32_t width = 40; width <= 120; width += 8) {
		char *text = loop_printed(p, REPORT_TEXT, width), *from = strstr(text, "Thread ");
		size_t columns = 0;

		assert_non_null(from);
		if (strstr(from, "\nnext: ")) /* a command to be copied is not broken */
			*strstr(from, "\nnext: ") = '\0';
		for (const char *c = from; *c; c++) {
			columns = *c == '\n' ? 0 : columns + 1;
			assert_true(columns <= width);
		}
		free(text);
	}
	loop_profile_free(p);
}

static void test_json_says_the_same(void **state)
{
	struct profile *p = loop_profile();
	char *text;
	json_t *doc, *loop, *cycle;
	double percent = 0;
	size_t i;

	(void)state;
	add_ring(p, "worker");
	text = loop_printed(p, REPORT_JSON, 0);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	loop = json_array_get(json_object_get(doc, "loops"), 0);
	cycle = json_array_get(json_object_get(loop, "cycles"), 0);
	assert_int_equal(json_integer_value(json_object_get(cycle, "passes")), 100);
	assert_int_equal(json_array_size(json_object_get(cycle, "states")), 3);
	assert_int_equal(json_array_size(json_object_get(cycle, "edges")), 3);
	for (i = 0; i < 3; i++) {
		json_t *s = json_array_get(json_object_get(cycle, "states"), i);
		json_t *e = json_array_get(json_object_get(cycle, "edges"), i);

		percent += json_real_value(json_object_get(s, "percent"));
		percent += json_real_value(json_object_get(e, "percent"));
		assert_float_equal(json_real_value(json_object_get(e, "chance_percent")), 100, 0);
		assert_true(json_is_integer(json_object_get(s, "site")));
	}
	percent += json_real_value(json_object_get(json_object_get(loop, "outside"), "percent"));
	assert_float_equal(percent, 100, 1e-9);
	assert_true(json_is_null(json_object_get(cycle, "scprof")));
	json_decref(doc);
	free(text);
	loop_profile_free(p);
}

/* All of one function and one caller, which is the worst for names; every one printed. */
static void test_ten_thousand_states(void **state)
{
	struct profile *p = loop_profile();
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	uint32_t t = loop_thread(p, "worker"), first = 0, before = NONE;
	char *text = NULL;
	size_t bytes;
	FILE *out;
	struct report *r;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++) {
		uint32_t e = loop_entry(p, t, A, i, 100, 1000 + i);

		if (!i)
			first = e;
		loop_gap(p, t, before, e, i ? 100 : 1, 3);
		before = e;
	}
	loop_gap(p, t, before, first, 99, 3);
	r = loop_built(p, REPORT_JSON);
	assert_int_equal(r->loops->loop[0].rows, 20001);
	report_free(r);
	o.by = REPORT_BY_GAP;
	o.top = 0;
	out = open_memstream(&text, &bytes);
	assert_non_null(out);
	assert_int_equal(report_print(p, &o, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "100 passes"));
	free(text);
	loop_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_known_cycle),
		cmocka_unit_test(test_the_overhead_has_a_row),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_ugly_fractions),
		cmocka_unit_test(test_the_rest_is_folded_and_nothing_lost),
		cmocka_unit_test(test_threads_of_one_loop_are_one),
		cmocka_unit_test(test_threads_without_a_loop),
		cmocka_unit_test(test_threads_of_next_to_nothing),
		cmocka_unit_test(test_nested_calls_are_in_no_state),
		cmocka_unit_test(test_two_loops_one_after_the_other),
		cmocka_unit_test(test_names_are_as_short_as_tells_them_apart),
		cmocka_unit_test(test_lines_keep_to_the_width),
		cmocka_unit_test(test_json_says_the_same),
		cmocka_unit_test(test_ten_thousand_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* What a report says about costs by displacement: intervals at its own confidence, partners by
 * name, significance among many, and nothing where a row is more than one site. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/report.h"
#include "tests/unit/support/scp_build.h"

#define SITES 5

/* Sites 0 and 1 go together; 2 is not significant among three (p = 0.036), though it would be
 * if the two counted as two;  3 nothing; 4 is rare. */
static const struct scp_site_cost costs[SITES] = {
	{.state = 1, .group = 1, .uncharged_ps = 1000000, .uncharged_error_ps = 100000},
	{.state = 1, .group = 1, .uncharged_ps = 1000000, .uncharged_error_ps = 100000},
	{.state = 1, .group = 3, .uncharged_ps = 5000000, .uncharged_error_ps = 2222222},
	{.state = 1, .group = 4, .uncharged_ps = -200000, .uncharged_error_ps = 300000},
	{.state = 2, .group = 5},
};

/* What differs from a profile in which a detector saw no switch. */
static struct {
	uint32_t busy, detector, nested; /* the entry that has nested calls, from 1 */
	int64_t true_ps;
	bool alike; /* sites 2 and 5 have one innermost frame */
} made;

static int make_as_ever(void **state)
{
	(void)state;
	made.busy = made.nested = 0;
	made.detector = SCP_SWITCH_RSEQ;
	made.true_ps = 7000000;
	made.alike = false;
	return 0;
}

static void add_table_states(struct scp_build *b, uint32_t table)
{
	struct scp_table_states *t;

	scp_build_open_optional(b, SCP_OPTIONAL_STATES, table);
	t = scp_build_record(b, SCP_REC_TABLE_STATES, sizeof *t);
	t->detector = made.detector;
	scp_build_close_chunk(b);
}

/* Two threads (tables) with the same paths; the costs stand in the first. */
static void save(const char *path)
{
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_module(&b, 1, "/bin/x");
	scp_build_function(&b, 1, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	for (uint32_t t = 1; t <= 2; t++) {
		scp_build_open_chunk(&b, SCP_CHUNK_TABLE, t);
		scp_build_table(&b, t, "x");
		for (uint32_t i = 1; i <= SITES; i++) {
			uint64_t frame[2] = {
				SCP_FRAME(1, 0, 0x1000 * (made.alike && i == 5 ? 2 : i)),
				SCP_FRAME(1, 0, 0x9000 + i)};
			struct scp_entry *e;

			scp_build_path(&b, i, frame, made.alike ? 2 : 1);
			e = scp_build_entry(&b, i, i, 1, SCP_COMPLETED);
			e->calls = i == 2 ? 300 : 100;
			e->units = 100000 * (SITES + 1 - i);
			e->units_sq_lo = e->units * e->units / e->calls;
			e->inner_calls = i == made.nested;
		}
		for (uint32_t i = 1; i <= SITES && t == 1; i++) {
			struct scp_site_cost *c =
				scp_build_record(&b, SCP_REC_SITE_COST, sizeof *c);
			struct scp_record rec = c->rec;

			*c = costs[i - 1];
			c->rec = rec;
			c->entry = i;
			c->run = 99;
			c->spans = 200;
			c->kept_ppm = 900000;
			c->busy_ppm = made.busy;
			c->true_ps = made.true_ps;
			c->true_error_ps = 1000000;
			c->uncharged_freedom_ppk = c->true_freedom_ppk = 20000;
		}
		scp_build_close_chunk(&b);
		add_table_states(&b, t);
	}
	scp_build_header(&b)->switches.detector = made.detector;
	scp_build_finish(&b);
	scp_build_header(&b)->end_state = SCP_END_EXIT;
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static char *print(const char *const *paths, size_t count, struct report_options o)
{
	struct profile_error err;
	struct profile *p = profile_open(paths, count, &err);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(p);
	assert_int_equal(report_print(p, &o, out), 0);
	fclose(out);
	profile_free(p);
	return text;
}

static double number(const json_t *site, const char *key)
{
	return json_real_value(json_object_get(site, key));
}

static json_t *report_of(const char *path)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	json_t *doc;
	char *text;

	if (made.alike)
		o.by = REPORT_BY_SITE;

	save(path);
	o.format = REPORT_JSON;
	text = print(&path, 1, o);
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	free(text);
	return doc;
}

static double charged(const json_t *site, const char *key)
{
	return number(json_object_get(site, "charged_ns"), key);
}

static void test_both_is_charged_and_uncharged_limit_by_limit(void **state)
{
	json_t *doc = report_of(scp_build_name("a.scp"));
	const json_t *s = json_array_get(json_object_get(doc, "sites"), 3);

	(void)state;
	assert_true(charged(s, "mean_ns") > 0);
	assert_true(charged(s, "ci_low_ns") < charged(s, "mean_ns"));
	assert_true(fabs(number(s, "both_ns") - charged(s, "mean_ns") + 200) < 1e-6);
	assert_true(fabs(number(s, "both_ci_low_ns") - charged(s, "ci_low_ns") -
			 number(s, "uncharged_ci_low_ns")) < 1e-6);
	assert_true(fabs(number(s, "both_ci_high_ns") - charged(s, "ci_high_ns") -
			 number(s, "uncharged_ci_high_ns")) < 1e-6);
	assert_true(number(s, "both_error_ns") >= 300);
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(doc, "sites"), 4), "both_ns")));
	json_decref(doc);
}

/* Three times as many calls of the second. */
static void test_inseparable_sites_share_both_over_all_their_calls(void **state)
{
	json_t *doc = report_of(scp_build_name("a.scp")), *sites = json_object_get(doc, "sites");
	const json_t *a = json_array_get(sites, 0), *b = json_array_get(sites, 1);
	double mean = (charged(a, "mean_ns") + 3 * charged(b, "mean_ns")) / 4 + 1000;

	(void)state;
	assert_true(charged(a, "mean_ns") > charged(b, "mean_ns") + 900);
	assert_true(fabs(number(a, "both_ns") - mean) < 1e-6);
	assert_true(fabs(number(b, "both_ns") - mean) < 1e-6);
	json_decref(doc);
}

/* Nested calls are charged to two sites, and cause uncharged time at one. */
static void test_calls_around_others_have_no_sum(void **state)
{
	json_t *doc, *sites;

	(void)state;
	made.nested = 2; /* one of the two that go together: then neither has */
	doc = report_of(scp_build_name("a.scp"));
	sites = json_object_get(doc, "sites");
	for (size_t i = 0; i < 4; i++)
		assert_true(json_is_null(json_object_get(json_array_get(sites, i), "both_ns")) ==
			    (i < 2));
	json_decref(doc);
}

/* The other site of the group lies in a row with a third one. */
static void test_a_group_that_is_not_all_there_has_no_sum(void **state)
{
	json_t *doc, *s;

	(void)state;
	made.alike = true;
	doc = report_of(scp_build_name("a.scp"));
	assert_int_equal(json_array_size(json_object_get(doc, "sites")), SITES - 1);
	s = json_array_get(json_object_get(doc, "sites"), 1);
	assert_true(fabs(number(s, "uncharged_ns") - 1000) < 1e-6);
	assert_true(json_is_null(json_object_get(s, "both_ns")));
	json_decref(doc);
}

static void test_without_a_detector_nothing_is_charged_and_the_rest_stays(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	const char *path = scp_build_name("a.scp");
	const json_t *s;
	json_t *doc;
	char *text;

	(void)state;
	made.detector = SCP_SWITCH_NONE;
	doc = report_of(path);
	s = json_array_get(json_object_get(doc, "sites"), 0);
	assert_true(json_is_null(json_object_get(s, "both_ns")));
	assert_true(json_is_null(json_object_get(s, "both_ci_high_ns")));
	assert_true(fabs(number(s, "uncharged_ns") - 1000) < 1e-6);
	json_decref(doc);
	o.width = 160;
	text = print(&path, 1, o);
	assert_null(strstr(text, "  CHARGED"));
	assert_null(strstr(text, "BOTH"));
	assert_non_null(strstr(text, "TRUE COST"));
	free(text);
}

static void test_json_has_costs_and_partners(void **state)
{
	const char *path = scp_build_name("a.scp");
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	json_t *doc, *sites, *s, *with;
	char *text;

	(void)state;
	save(path);
	o.format = REPORT_JSON;
	o.confidence = 0.99;
	text = print(&path, 1, o);
	doc = json_loads(text, 0, NULL);
	sites = json_object_get(doc, "sites");
	assert_int_equal(json_array_size(sites), SITES);
	s = json_array_get(sites, 0);
	assert_string_equal(json_string_value(json_object_get(s, "displacement")), "known");
	assert_true(fabs(number(s, "uncharged_ns") - 1000) < 1e-6);
	/* t of 20 degrees of freedom, 99.5 % */
	assert_true(fabs(number(s, "uncharged_ci_high_ns") - 1284.534) < 0.01);
	assert_true(fabs(number(s, "uncharged_ci_low_ns") - 715.466) < 0.01);
	assert_true(fabs(number(s, "true_cost_ns") - 7000) < 1e-6);
	with = json_object_get(s, "inseparable_with");
	assert_int_equal(json_array_size(with), 1);
	assert_int_equal(json_integer_value(json_array_get(with, 0)), 1);
	assert_true(json_is_true(json_object_get(s, "uncharged_significant")));
	s = json_array_get(sites, 2);
	assert_int_equal(json_array_size(json_object_get(s, "inseparable_with")), 0);
	assert_true(json_is_false(json_object_get(s, "uncharged_significant")));
	s = json_array_get(sites, 3);
	assert_true(json_is_false(json_object_get(s, "uncharged_significant")));
	assert_true(number(s, "uncharged_ns") < 0);
	s = json_array_get(sites, 4);
	assert_string_equal(json_string_value(json_object_get(s, "displacement")), "rare");
	assert_true(json_is_null(json_object_get(s, "uncharged_ns")));
	assert_true(json_is_null(json_object_get(s, "uncharged_significant")));
	json_decref(doc);
	free(text);
}

static void test_text_names_partners_and_marks_what_is_significant(void **state)
{
	const char *path = scp_build_name("a.scp");
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;

	(void)state;
	save(path);
	o.width = 160;
	text = print(&path, 1, o);
	assert_non_null(strstr(text, "  CHARGED"));
	assert_non_null(strstr(text, "UNCHARGED"));
	assert_non_null(strstr(text, "BOTH"));
	assert_non_null(strstr(text, "TRUE COST"));
	assert_non_null(strstr(text, "= inseparable from send in x+0x2000"));
	assert_non_null(strstr(text, "= inseparable from send in x+0x1000"));
	assert_null(strstr(text, "= inseparable from send in x+0x3000"));
	assert_non_null(strstr(text, "2 of 4 sites with a number cause uncharged time"));
	assert_non_null(strstr(text, "1 called too rarely"));
	assert_null(strstr(text, "others-busy"));
	free(text);
	made.busy = 300000;
	save(path);
	text = print(&path, 1, o);
	assert_non_null(strstr(text, "! others-busy"));
	assert_non_null(strstr(text, "up to 30 % of a CPU's time"));
	free(text);
}

/* One row is several sites; or one site was measured twice. */
static void test_a_row_of_several_has_no_cost(void **state)
{
	const char *path = scp_build_name("a.scp"), *twice[2] = {path, path};
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;

	(void)state;
	save(path);
	o.width = 160;
	o.by = REPORT_BY_FUNCTION;
	text = print(&path, 1, o);
	assert_null(strstr(text, "UNCHARGED"));
	assert_non_null(strstr(text, "! site-costs-apart"));
	free(text);
	o.by = REPORT_BY_PATH;
	text = print(twice, 2, o);
	assert_null(strstr(text, "UNCHARGED"));
	assert_non_null(strstr(text, "! site-costs-apart"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_json_has_costs_and_partners, make_as_ever),
		cmocka_unit_test_setup(test_both_is_charged_and_uncharged_limit_by_limit,
				       make_as_ever),
		cmocka_unit_test_setup(test_inseparable_sites_share_both_over_all_their_calls,
				       make_as_ever),
		cmocka_unit_test_setup(test_calls_around_others_have_no_sum, make_as_ever),
		cmocka_unit_test_setup(test_a_group_that_is_not_all_there_has_no_sum, make_as_ever),
		cmocka_unit_test_setup(
			test_without_a_detector_nothing_is_charged_and_the_rest_stays,
			make_as_ever),
		cmocka_unit_test_setup(test_text_names_partners_and_marks_what_is_significant,
				       make_as_ever),
		cmocka_unit_test_setup(test_a_row_of_several_has_no_cost, make_as_ever),
	};

	return cmocka_run_group_tests_name("report_displaced", tests, NULL, NULL);
}

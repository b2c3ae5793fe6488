// SPDX-License-Identifier: GPL-3.0-or-later
/* What a causal profile says, from made-up results: no profile, no time. */
#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "cli/causal/causal_private.h"

static const struct slopes_value unknown = {NAN, NAN, NAN};

/* A unit of 100 us, in which the site is called twice; a nanosecond there costs `kappa`. */
static struct causal_result_site site(double kappa, double error)
{
	struct causal_result_site s = {.calls_unit = 2, .delay_low = 1e-6, .delay_high = 2e-6};

	s.slopes = (struct slopes_site){.slope = {2 * kappa, 2 * error, 1000},
					.low = {2 * kappa, 2 * error, 1000},
					.high = {2 * kappa, 2 * error, 1000},
					.others_slower = unknown,
					.latency = unknown,
					.p = 0.001,
					.q = 0.002,
					.interacts = SIZE_MAX,
					.known = true};
	for (int i = 0; i < SLOPES_LEVELS; i++)
		s.level[i] = (struct slopes_value){1e-4 + 1e-6 * i * kappa, 1e-7, 1000};
	return s;
}

static struct causal_result result(struct causal_result_site *sites, size_t count)
{
	return (struct causal_result){.rate_per_s = 10000,
				      .slopes = {.unit = {1e-4, 1e-7, 1000},
						 .latency = unknown,
						 .slowdown = {0.042, 0.002, 1000},
						 .carried = 0.5,
						 .windows = 400},
				      .site = sites,
				      .sites = count,
				      .window_s = 0.05,
				      .elapsed_s = 20,
				      .asked = 0.05,
				      .seed = 7};
}

struct printed {
	char *text;
	size_t size;
};

static struct printed print(const struct causal_report *r,
			    int (*how)(const struct causal_report *r, FILE *out))
{
	struct printed p = {0};
	FILE *out = open_memstream(&p.text, &p.size);

	assert_non_null(out);
	assert_int_equal(how(r, out), 0);
	fclose(out);
	return p;
}

static void prints_no(const struct causal_report *r,
		      int (*how)(const struct causal_report *r, FILE *out), const char *text)
{
	struct printed p = print(r, how);

	assert_null(strstr(p.text, text));
	free(p.text);
}

/* As a profile would have said. */
static void know(struct causal_report *r, size_t row, const char *function, double mean_s)
{
	struct causal_row *w = &r->row[row];

	free(w->function);
	free(w->label);
	w->function = strdup(function);
	w->label = strdup(function);
	w->found.mean = (struct slopes_value){mean_s, mean_s / 100, 1000};
	w->found.basis = CAUSAL_BASIS_CPU;
	causal_report_predict(r->result, w);
}

static void test_a_slope_per_call_and_its_marks(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1), site(0, 0.1)};
	struct causal_result c = result(sites, 2);
	struct causal_report r;
	struct words note;

	(void)state;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	assert_int_equal(r.warnings, 0);
	assert_true(r.row[0].told);
	assert_true(fabs(r.row[0].kappa.value + r.row[1].kappa.value - 1) < 1e-9);
	assert_true(fabs(r.row[0].kappa.high - r.row[0].kappa.low - 0.39) < 0.01);
	note = causal_report_note(&r, &r.row[0]);
	assert_non_null(strstr(note.text, "does not know its mean"));
	know(&r, 0, "work", 1e-5);
	note = causal_report_note(&r, &r.row[0]);
	assert_string_equal(note.text, "");
	sites[0].slopes.shape = sites[1].slopes.shape = SLOPES_CONVEX;
	note = causal_report_note(&r, &r.row[0]);
	assert_non_null(strstr(note.text, "at most"));
	sites[0].slopes.shape = sites[1].slopes.shape = SLOPES_CONCAVE;
	know(&r, 0, "work", 1e-5);
	note = causal_report_note(&r, &r.row[0]);
	assert_non_null(strstr(note.text, "at least this"));
	sites[0].slopes.low.error = sites[1].slopes.low.error = 10;
	know(&r, 0, "work", 1e-5);
	note = causal_report_note(&r, &r.row[0]);
	assert_string_equal(note.text, "");
	sites[0].slopes.shape = sites[1].slopes.shape = SLOPES_CONDITIONAL;
	sites[0].slopes.interacts = 1;
	sites[1].slopes.interacts = 0;
	know(&r, 1, "other", 1e-5);
	note = causal_report_note(&r, &r.row[0]);
	assert_non_null(strstr(note.text, "depends on other"));
	causal_report_free(&r);
}

static void test_no_call_takes_less_than_nothing(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1), site(1, 0.1)};
	struct causal_result c = result(sites, 2);
	struct causal_report r;

	(void)state;
	sites[1].slopes.known = false;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "nap", -63e-9);
	know(&r, 1, "sleep", -63e-9);
	assert_true(r.row[0].ten.percent == 0 && isnan(r.row[1].ten.percent));
	prints_no(&r, causal_text_print, "-63");
	causal_report_free(&r);
}

static void test_delays_that_help_are_told(void **state)
{
	struct causal_result_site sites[] = {site(-0.3, 0.05)};
	struct causal_result c = result(sites, 1);
	struct causal_report r;
	struct printed p;

	(void)state;
	sites[0].slopes.shape = SLOPES_CONCAVE;
	c.slopes.slowdown = (struct slopes_value){-0.028, 0.002, 1000};
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "write", 1e-5);
	p = print(&r, causal_text_print);
	assert_non_null(strstr(p.text, "delays made it faster by 2.8 % [2.4, 3.2]"));
	assert_non_null(strstr(p.text, "faster with longer calls"));
	assert_null(strstr(p.text, "at least this"));
	free(p.text);
	causal_report_free(&r);
}

static void test_what_may_be_anything_has_no_figures(void **state)
{
	(void)state;
	assert_string_equal(causal_report_percent(804, -25037, 26000).text, "anything");
	assert_string_equal(causal_report_percent(804, -250, 26000).text, "+804 % [-250, more]");
	assert_string_equal(causal_report_percent(2, 1, 3).text, "+2.0 % [1.0, 3.0]");
}

static void test_what_cannot_be_told_is_not(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1)};
	struct causal_result c = result(sites, 1);
	struct causal_report r;
	struct printed p;

	(void)state;
	sites[0].slopes.known = false;
	c.slopes.latency = (struct slopes_value){2e-5, 1e-7, 1000};
	c.problems = CAUSAL_TOO_SHORT | CAUSAL_CARRIED | CAUSAL_LATE | CAUSAL_SKIPPED |
		     CAUSAL_SLOWER_THAN_ASKED | CAUSAL_SITES_LEFT_OUT;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	assert_int_equal(r.warnings, 6);
	p = print(&r, causal_text_print);
	assert_non_null(strstr(p.text, "not told: too few calls"));
	assert_non_null(strstr(p.text, "! slower-than-asked"));
	assert_null(strstr(p.text, "nan"));
	assert_null(strstr(p.text, "changes that by"));
	free(p.text);
	p = print(&r, causal_html_print);
	assert_null(strstr(p.text, "<svg"));
	assert_null(strstr(p.text, "nan"));
	free(p.text);
	causal_report_free(&r);
}

static void test_large_figures_have_no_exponent(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1)};
	struct causal_result c = result(sites, 1);
	struct causal_report r;
	struct printed p;

	(void)state;
	c.elapsed_s = 3600;
	c.slopes.slowdown = (struct slopes_value){1.12, 0.1, 1000};
	c.problems = CAUSAL_SLOWER_THAN_ASKED;
	sites[0].slopes.q = 0.2;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	r.row[0].ten.high = 340;
	p = print(&r, causal_text_print);
	assert_non_null(strstr(p.text, "in 3,600 s; delays slowed it down by 110 % [92, 130]"));
	assert_non_null(strstr(p.text, "all delays together cost 110 %"));
	assert_non_null(strstr(p.text, "reaches to +340 %"));
	free(p.text);
	causal_report_free(&r);
}

static void test_windows_without_progress_are_told(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1)};
	struct causal_result c = result(sites, 1);
	struct causal_report r;

	(void)state;
	sites[0].slopes.known = false;
	c.problems = CAUSAL_TOO_SHORT;
	c.slopes.windows = 0;
	c.window_s = NAN;
	c.left_out = 580;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	assert_non_null(strstr(r.warning[0].text, "580 of 580 windows were left out"));
	assert_non_null(strstr(r.warning[0].text, "a longer --window"));
	prints_no(&r, causal_text_print, "nan");
	prints_no(&r, causal_html_print, "nan");
	causal_report_free(&r);
}

/* Nothing of a name is markup, and nothing of it steers a terminal. */
static void test_names_are_only_text(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1)};
	struct causal_result c = result(sites, 1);
	struct causal_report r;
	struct printed p;

	(void)state;
	assert_int_equal(
		causal_report_make(&r, "<script>\x1b[1m", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "<img src=x>", 1e-5);
	p = print(&r, causal_html_print);
	assert_null(strstr(p.text, "<script"));
	assert_null(strstr(p.text, "<img"));
	assert_non_null(strstr(p.text, "&lt;img"));
	assert_non_null(strstr(p.text, "<svg"));
	free(p.text);
	p = print(&r, causal_text_print);
	assert_null(strchr(p.text, '\x1b'));
	free(p.text);
	causal_report_free(&r);
}

static void test_json_has_what_a_reader_needs(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1), site(0.5, 0.1)};
	struct causal_result c = result(sites, 2);
	struct causal_report r;
	struct printed p;
	json_t *all, *first, *brings;

	(void)state;
	assert_int_equal(
		causal_report_make(&r, "unit@completed", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "work", 1e-5);
	p = print(&r, causal_json_print);
	all = json_loads(p.text, 0, NULL);
	assert_non_null(all);
	assert_string_equal(json_string_value(json_object_get(all, "schema")), "scprof-causal/1");
	assert_int_equal(json_integer_value(json_object_get(all, "windows")), 400);
	first = json_array_get(json_object_get(all, "sites"), 0);
	brings = json_object_get(first, "brings_10_percent");
	/* 1 us of 100, twice: 2 % less time a unit */
	double percent = json_number_value(json_object_get(brings, "percent"));
	double kappa = json_number_value(json_object_get(json_object_get(first, "kappa"), "value"));
	assert_true(fabs(percent - 100 * (1 / (1 - 0.02 * kappa) - 1)) < 1e-6);
	assert_true(json_number_value(json_object_get(brings, "ci_low")) < percent);
	assert_string_equal(json_string_value(json_object_get(first, "basis")), "cpu");
	assert_int_equal(json_array_size(json_object_get(first, "levels")), 3);
	assert_true(json_is_null(json_object_get(all, "confirmed")));
	json_decref(all);
	free(p.text);
	causal_report_free(&r);
}

/* Removing 2 calls of 10 us of 100 leaves 80: +25 %. Not where the line bends or may be flat. */
static void test_a_removal_is_predicted_where_it_can_be_known(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.01), site(1, 0.01), site(1, 0.01)};
	struct causal_result c = result(sites, 3);
	struct causal_report r;
	size_t told = 0;

	(void)state;
	sites[1].slopes.shape = SLOPES_CONCAVE;
	sites[2].slopes.q = 0.2;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	for (size_t i = 0; i < 3; i++) {
		know(&r, i, "work", 1e-5);
		told += isfinite(r.row[i].removed.percent);
		if (r.row[i].site == &sites[0])
			assert_true(fabs(r.row[i].removed.percent - 25) < 0.01);
	}
	assert_int_equal(told, 1);
	/* its own mean may be anything */
	r.row[0].site = &sites[0];
	r.row[0].found.mean.error = 1e-4;
	r.row[0].removed.percent = NAN;
	causal_report_predict(&c, &r.row[0]);
	assert_true(r.row[0].ten.low < 0 && isnan(r.row[0].removed.percent));
	causal_report_free(&r);
}

static void test_where_nothing_is_certain_the_result_is_said(void **state)
{
	struct causal_result_site sites[] = {site(0, 0.1), site(0.1, 0.1)};
	struct causal_result c = result(sites, 2);
	struct causal_report r;
	struct printed p;
	struct words said;

	(void)state;
	sites[0].slopes.q = sites[1].slopes.q = 0.4;
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "work", 1e-5);
	know(&r, 1, "other", 1e-5);
	p = print(&r, causal_text_print);
	assert_non_null(strstr(p.text, "No site is certain to have an effect"));
	assert_non_null(strstr(p.text, "at most: what holds it up is elsewhere"));
	free(p.text);
	r.row[0].ten.high = 7;
	said = causal_report_verdict(&r);
	assert_non_null(strstr(said.text, "reaches to +7 %"));
	sites[1].slopes.q = 0.01;
	said = causal_report_verdict(&r);
	assert_string_equal(said.text, "");
	causal_report_free(&r);
}

/* A recv that would have blocked is no unit. */
static void test_the_unit_has_one_call_a_unit(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1), site(2, 0.1)};
	struct causal_result c = result(sites, 1);
	struct causal_report r;
	struct words said;

	(void)state;
	c.slopes.latency = (struct slopes_value){2e-5, 1e-7, 1000};
	assert_int_equal(
		causal_report_make(&r, "recv@completed", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "recv", 1.5e-6);
	causal_report_count_unit(&r);
	assert_true(fabs(r.row[0].calls_unit - 1) < 1e-12);
	said = causal_report_unit(&r, false);
	assert_non_null(strstr(said.text, "takes 20.00 us from its begin to its end"));
	assert_non_null(strstr(said.text, "not in its MEAN, 1.500 us"));
	causal_report_free(&r);
	c = result(sites, 2); /* from two places: each has a mean of its own */
	c.slopes.latency = (struct slopes_value){2e-5, 1e-7, 1000};
	assert_int_equal(causal_report_make(&r, "recv", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	know(&r, 0, "recv", 1.5e-6);
	know(&r, 1, "recv", 2.5e-6);
	causal_report_count_unit(&r);
	assert_false(fabs(r.row[1].calls_unit - 1) < 1e-12);
	said = causal_report_unit(&r, false);
	assert_string_equal(said.text + strlen(said.text) - 15, "not in its MEAN");
	causal_report_free(&r);
}

static void test_percentages(void **state)
{
	char text[64];

	(void)state;
	strcpy(text, causal_report_percent(3.14, 2.4, 3.8).text);
	assert_string_equal(text, "+3.1 % [2.4, 3.8]");
	strcpy(text, causal_report_percent(-0.001, -0.3, 0.2).text);
	assert_string_equal(text, "+0.0 % [-0.3, 0.2]");
	strcpy(text, causal_report_percent(NAN, NAN, NAN).text);
	assert_string_equal(text, "-");
	strcpy(text, causal_report_percent(50, 10, INFINITY).text);
	assert_string_equal(text, "+50 % [10, more]");
	strcpy(text, causal_report_percent(INFINITY, 10, INFINITY).text);
	assert_string_equal(text, "over +1000 %");
	strcpy(text, causal_report_percent(1, NAN, NAN).text);
	assert_string_equal(text, "+1.0 % [not known]");
}

static bool has_frame(const void *context, const char *glob)
{
	static const char *const frames[] = {"handle", "handle:88", "app.c:88"};

	for (size_t i = 0; context && i < sizeof(frames) / sizeof(*frames); i++)
		if (!fnmatch(glob, frames[i], 0))
			return true;
	return false;
}

static bool matches(const char *patterns, bool path)
{
	return causal_sites_glob(patterns, "write", has_frame, path ? "" : NULL);
}

static void test_patterns_of_sites(void **state)
{
	(void)state;
	assert_true(matches("write", true));
	assert_false(matches("writev", true));
	assert_true(matches("send*,wr*@handle", true));
	assert_true(matches("write@app.c:88", true));
	assert_false(matches("write@app.c:89,read@handle", true));
	assert_true(matches("*@handle:8*", true));
	assert_false(matches("write@handle", false));
}

/* Names are those of modules: nothing else is known of code that is not there. */
static void sample(struct profile *p, const char *module, uint32_t count)
{
	struct prof_sample one = {.kind = SCP_SAMPLE_COMPUTING};
	struct prof_frame f = {.offset = 64, .exact = 1};

	f.module = intern_module(p, module, NULL, 0) & PROF_NO_MODULE;
	one.path = samples_path(p, &f, 1, 0);
	for (unsigned i = 0; i < SCP_SAMPLE_BATCHES; i++)
		one.count[i] = count / SCP_SAMPLE_BATCHES;
	assert_int_equal(samples_add(p, &one), 0);
}

static void assert_in_order(const char *text, const char *const *words)
{
	for (; *words; words++) {
		text = strstr(text, *words);
		assert_non_null(text);
	}
}

static void test_what_is_computed_outside_of_calls_is_told(void **state)
{
	static const char *const in_text[] = {"computing outside of calls: 6.400 s of CPU time",
					      "\n",
					      " %",
					      "(",
					      "parse<script>",
					      " %",
					      "render",
					      "scprof.h",
					      NULL};
	static const char *const in_page[] = {"computing outside of calls", "parse&lt;script&gt;",
					      "render", NULL};
	struct causal_result_site sites[] = {site(1, 0.1)};
	struct causal_result c = result(sites, 1);
	struct profile *p = profile_new();
	struct causal_report r;
	struct printed text, page, json;

	(void)state;
	assert_non_null(p);
	p->sampling = (struct prof_sampling){.period_ns = 5000000, .cpu_ns = UINT64_C(6400000000)};
	sample(p, "/nowhere/render", SCP_SAMPLE_BATCHES * 6);
	sample(p, "/nowhere/parse<script>", SCP_SAMPLE_BATCHES * 33);
	sample(p, "/nowhere/little", SCP_SAMPLE_BATCHES);
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	assert_int_equal(causal_computing_find(&r, p), 0);
	assert_int_equal(r.warnings, 0);
	assert_int_equal(causal_computing_rows(&r), 2);
	text = print(&r, causal_text_print);
	page = print(&r, causal_html_print);
	json = print(&r, causal_json_print);
	assert_in_order(text.text, in_text);
	assert_null(strstr(text.text, "little"));
	assert_in_order(page.text, in_page);
	json_t *all = json_loads(json.text, 0, NULL);
	assert_non_null(all);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(all, "computing"), "rows")), 3);
	json_decref(all);
	free(text.text);
	free(page.text);
	free(json.text);
	causal_report_free(&r);
	profile_free(p);
}

static void test_without_samples_it_is_told_why(void **state)
{
	struct causal_result_site sites[] = {site(1, 0.1)};
	struct causal_result c = result(sites, 1);
	struct profile *p = profile_new();
	struct causal_report r;
	struct printed text;

	(void)state;
	assert_non_null(p);
	filters_note(p, PROF_FILTER_UNSAMPLED "the kernel forbids it");
	assert_int_equal(causal_report_make(&r, "unit", &c, NULL, SCP_CAUSAL_BY_PATH, false), 0);
	assert_int_equal(causal_computing_find(&r, p), 0);
	assert_int_equal(causal_computing_rows(&r), 0);
	text = print(&r, causal_text_print);
	assert_non_null(strstr(text.text, "! not-sampled  what is computed outside of calls is not "
					  "known: the kernel forbids it"));
	assert_null(strstr(text.text, "scprof.h"));
	free(text.text);
	causal_report_free(&r);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_slope_per_call_and_its_marks),
		cmocka_unit_test(test_no_call_takes_less_than_nothing),
		cmocka_unit_test(test_delays_that_help_are_told),
		cmocka_unit_test(test_what_may_be_anything_has_no_figures),
		cmocka_unit_test(test_what_cannot_be_told_is_not),
		cmocka_unit_test(test_large_figures_have_no_exponent),
		cmocka_unit_test(test_windows_without_progress_are_told),
		cmocka_unit_test(test_names_are_only_text),
		cmocka_unit_test(test_json_has_what_a_reader_needs),
		cmocka_unit_test(test_a_removal_is_predicted_where_it_can_be_known),
		cmocka_unit_test(test_where_nothing_is_certain_the_result_is_said),
		cmocka_unit_test(test_the_unit_has_one_call_a_unit),
		cmocka_unit_test(test_percentages),
		cmocka_unit_test(test_patterns_of_sites),
		cmocka_unit_test(test_what_is_computed_outside_of_calls_is_told),
		cmocka_unit_test(test_without_samples_it_is_told_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The JSON report is valid whatever the names are, and has every field of its
 * schema, with the right type. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <jansson.h>

static json_t *load(const struct profile *p, enum report_by by, uint32_t top)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	json_error_t error;
	json_t *doc;
	char *text;

	o.format = REPORT_JSON;
	o.by = by;
	o.top = top;
	text = fixture_print(p, &o);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
	doc = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	assert_non_null(doc);
	free(text);
	return doc;
}

/* A letter a field: s text, n number, b boolean, o object, a array; upper case
 * allows null as well. */
static void check_fields(const json_t *object, const char *const *fields)
{
	for (; *fields; fields++) {
		const json_t *value = json_object_get(object, *fields + 2);
		char kind = **fields;

		if (!value)
			fail_msg("no field %s", *fields + 2);
		if (kind >= 'A' && kind <= 'Z') {
			if (json_is_null(value))
				continue;
			kind = (char)(kind + 32);
		}
		if (!((kind == 's' && json_is_string(value)) ||
		      (kind == 'n' && json_is_number(value)) ||
		      (kind == 'b' && json_is_boolean(value)) ||
		      (kind == 'o' && json_is_object(value)) ||
		      (kind == 'a' && json_is_array(value))))
			fail_msg("field %s has the wrong type", *fields + 2);
	}
}

static const char *const top_fields[] = {"s schema",
					 "s by",
					 "o program",
					 "o clock",
					 "O slow_clock",
					 "n confidence",
					 "o totals",
					 "a sites",
					 "a gaps",
					 "a threads",
					 "a processes",
					 "n skipped_calls",
					 "n overflow_calls",
					 "a warnings",
					 "n abandoned_calls",
					 "n unmatched_ends",
					 "n uncopied_calls",
					 "s warm_up",
					 NULL};
static const char *const program_fields[] = {"s name",	"s exe",    "a argv", "a pids",
					     "S start", "N wall_s", NULL};
static const char *const clock_fields[] = {"s name",	   "n tick_ns",	    "n read_ns",
					   "b randomized", "B synchronous", NULL};
static const char *const site_fields[] = {"s symbol",
					  "s library",
					  "s outcome",
					  "n calls",
					  "n bytes",
					  "n ticks",
					  "N mean_ns",
					  "N ci_low_ns",
					  "N ci_high_ns",
					  "s method",
					  "n overhead_ns",
					  "n total_ns",
					  "N share",
					  "O percentiles_ns",
					  "N per_call_ns",
					  "N per_byte_ns",
					  "N min_ns",
					  "O slow",
					  "a stack",
					  "N per_byte_ci_low_ns",
					  "N per_byte_ci_high_ns",
					  "N per_call_ci_low_ns",
					  "N per_call_ci_high_ns",
					  "N standard_error_ns",
					  "n degrees_of_freedom",
					  "N design_effect",
					  "N apriori_error_ns",
					  "N raw_mean_ns",
					  "n overhead_error_ns",
					  "n inner_calls",
					  "n inner_overhead_ns",
					  "a doubts",
					  "O steadiness",
					  NULL};
static const char *const percentile_fields[] = {"n p50",     "n p90",	 "n p99",    "n p999",
						"n max",     "a p50_ci", "a p90_ci", "a p99_ci",
						"a p999_ci", "o doubts", NULL};
static const char *const steadiness_fields[] = {
	"O warm_up", "o first_call", "O drift", "A modes", "O outliers", "N longest_after_s", NULL};
static const char *const total_fields[] = {
	"n calls",  "n calls_ns",	 "n recording_ns",	  "n recordings",
	"n walks",  "N perturbation_ns", "N perturbation_low_ns", "N perturbation_high_ns",
	"O ticker", "n overhead_ns",	 "N overhead_outside_ns", NULL};
static const char *const frame_fields[] = {"S function", "S module",  "n offset", "S file",
					   "N line",	 "b inlined", NULL};
static const char *const gap_fields[] = {"s from",     "s to",	  "N from_site",
					 "N to_site",  "n calls", "N mean_ns",
					 "n total_ns", "N share", NULL};
static const char *const thread_fields[] = {
	"s name",      "n tid",		 "n threads",	   "n time_ns", "n calls_ns", "n gaps_ns",
	"n nested_ns", "n recording_ns", "n remainder_ns", "b live",	NULL};
static const char *const warning_fields[] = {"s code", "s text", NULL};

static void check_all(const json_t *array, const char *const *fields)
{
	size_t i;
	json_t *item;

	json_array_foreach(array, i, item) check_fields(item, fields);
}

static void check_schema(const json_t *doc)
{
	size_t i;
	json_t *site;

	check_fields(doc, top_fields);
	assert_string_equal(json_string_value(json_object_get(doc, "schema")), "scprof-report/1");
	check_fields(json_object_get(doc, "program"), program_fields);
	check_fields(json_object_get(doc, "clock"), clock_fields);
	check_fields(json_object_get(doc, "totals"), total_fields);
	check_all(json_object_get(doc, "gaps"), gap_fields);
	check_all(json_object_get(doc, "threads"), thread_fields);
	check_all(json_object_get(doc, "warnings"), warning_fields);
	json_array_foreach(json_object_get(doc, "sites"), i, site)
	{
		json_t *percentiles = json_object_get(site, "percentiles_ns");

		check_fields(site, site_fields);
		check_all(json_object_get(site, "stack"), frame_fields);
		if (!json_is_null(percentiles))
			check_fields(percentiles, percentile_fields);
		if (!json_is_null(json_object_get(site, "steadiness")))
			check_fields(json_object_get(site, "steadiness"), steadiness_fields);
	}
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static void test_every_field_is_there(void **state)
{
	(void)state;
	for (enum report_by by = REPORT_BY_PATH; by <= REPORT_BY_PROCESS; by++) {
		json_t *doc = load(fixture_profile(), by, REPORT_TOP_DEFAULT);

		check_schema(doc);
		json_decref(doc);
	}
}

static void test_values(void **state)
{
	json_t *doc = load(fixture_profile(), REPORT_BY_PATH, REPORT_TOP_DEFAULT), *site, *frame;

	(void)state;
	assert_int_equal(json_array_size(json_object_get(doc, "sites")), 5);
	site = json_array_get(json_object_get(doc, "sites"), 0);
	assert_string_equal(json_string_value(json_object_get(site, "symbol")), "recv");
	assert_string_equal(json_string_value(json_object_get(site, "outcome")), "completed");
	assert_float_equal(number(site, "mean_ns"), 2000, 1e-9);
	assert_float_equal(number(site, "calls"), 4000, 0);
	frame = json_array_get(json_object_get(site, "stack"), 0);
	assert_string_equal(json_string_value(json_object_get(frame, "module")),
			    "/nonexistent/lib/libnet.so.1");
	assert_float_equal(number(frame, "offset"), 0x1000, 0);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(doc, "program"), "start")),
		"2023-11-14T22:13:20.123Z");
	assert_float_equal(number(json_object_get(doc, "program"), "wall_s"), 0.01, 1e-12);
	json_decref(doc);
}

static bool first_thread_lives(uint32_t end_state, uint32_t pid)
{
	static char self[512];
	struct profile *p = fixture_profile();
	json_t *doc, *thread;
	bool live;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	p->table[0].live = p->table[1].live = true;
	p->process[0].end_state = end_state;
	p->process[0].pid = pid;
	p->process[0].exe = self;
	p->losses.abandoned_calls = 7;
	doc = load(p, REPORT_BY_PATH, REPORT_TOP_DEFAULT);
	assert_float_equal(number(doc, "abandoned_calls"), 7, 0);
	thread = json_array_get(json_object_get(doc, "threads"), 0);
	live = json_is_true(json_object_get(thread, "live"));
	json_decref(doc);
	return live;
}

/* A thread that exit() ends cannot close its table, nor one that is killed. */
static void test_threads_live_no_longer_than_their_process(void **state)
{
	uint32_t self = (uint32_t)getpid();

	(void)state;
	assert_true(first_thread_lives(SCP_END_RUNNING, self));
	assert_false(first_thread_lives(SCP_END_RUNNING, INT32_MAX));
	assert_false(first_thread_lives(SCP_END_EXIT, self));
	assert_false(first_thread_lives(SCP_END_EXEC, self));
}

static void test_one_call_has_no_upper_bound(void **state)
{
	json_t *doc = load(fixture_profile(), REPORT_BY_PATH, REPORT_TOP_DEFAULT);
	json_t *site = json_array_get(json_object_get(doc, "sites"), 4);

	(void)state;
	assert_float_equal(number(site, "calls"), 1, 0);
	assert_true(json_is_null(json_object_get(site, "ci_high_ns")));
	json_decref(doc);
}

static void test_hostile_names_stay_data(void **state)
{
	json_t *doc = load(fixture_hostile(), REPORT_BY_PATH, 2), *site;
	const char *symbol;

	(void)state;
	check_schema(doc);
	assert_int_equal(json_array_size(json_object_get(doc, "sites")), 2);
	site = json_array_get(json_object_get(doc, "sites"), 0);
	symbol = json_string_value(json_object_get(site, "symbol"));
	assert_memory_equal(symbol, "\033]0;owned\007", 10);
	assert_non_null(strstr(symbol, "\xef\xbf\xbd"));
	json_decref(doc);
}

static void test_empty_profile(void **state)
{
	struct profile *p = profile_new();
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;
	json_t *doc;

	(void)state;
	o.format = REPORT_JSON;
	text = fixture_print(p, &o);
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	assert_int_equal(json_array_size(json_object_get(doc, "sites")), 0);
	json_decref(doc);
	free(text);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_field_is_there),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_threads_live_no_longer_than_their_process),
		cmocka_unit_test(test_one_call_has_no_upper_bound),
		cmocka_unit_test(test_hostile_names_stay_data),
		cmocka_unit_test(test_empty_profile),
	};

	return cmocka_run_group_tests_name("report json", tests, NULL, NULL);
}

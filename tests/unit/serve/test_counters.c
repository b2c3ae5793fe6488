// SPDX-License-Identifier: GPL-3.0-or-later
/* Names become labels, limits hold and nothing that is beyond them is lost, and both formats
 * are written as their specifications say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/serve/sums/counters.h"
#include "report/serve/pages/metrics.h"

static void cleans_names(void **state)
{
	char out[LABEL_BYTES], name[600];

	(void)state;
	label_clean(out, "plain <b>\"\\name\"");
	assert_string_equal(out, "plain <b>\"\\name\"");
	label_clean(out, "a\nb\x01\x7f\xc2\x85");
	assert_string_equal(out, "a\xef\xbf\xbd"
				 "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	/* over-long, lone continuation, surrogate, beyond U+10FFFF, cut */
	label_clean(out, "\xc0\xaf|\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82");
	assert_null(strpbrk(out, "\xc0\xaf\xed\xf4\x90"));
	label_clean(out, "\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_string_equal(out, "\xe2\x82\xac\xf0\x9f\x98\x80");
	label_clean(out, "a\xe2\x80\xae.b\xc2\xad"); /* what turns the direction, or hides */
	assert_string_equal(out, "a\xef\xbf\xbd.b\xef\xbf\xbd");
	label_clean(out, "");
	assert_string_equal(out, "unknown");
	for (size_t i = 0; i + 3 <= sizeof(name) - 1; i += 3)
		memcpy(name + i, "\xe2\x82\xac", 3);
	name[597] = '\0';
	label_clean(out, name);
	assert_int_equal(strlen(out), 252 + 3);
	assert_string_equal(out + 252, "...");
	memset(name, 'x', LABEL_BYTES - 1);
	name[LABEL_BYTES - 1] = '\0';
	label_clean(out, name);
	assert_string_equal(out, name); /* as long as may be */
}

static void names_users(void **state)
{
	char out[LABEL_BYTES];

	(void)state;
	strcpy(out, "app");
	label_add_user(out, 1000);
	assert_string_equal(out, "app@1000");
	memset(out, 'x', LABEL_BYTES - 1);
	memcpy(out + LABEL_BYTES - 1 - 15, "\xe2\x82\xac", 3); /* across the cut */
	out[LABEL_BYTES - 1] = '\0';
	label_add_user(out, 4294967295u);
	assert_int_equal(strlen(out), LABEL_BYTES - 1 - 1);
	assert_string_equal(out + LABEL_BYTES - 1 - 16, "x...@4294967295");
}

/* What `write` writes. */
static char *written(void (*write)(FILE *out))
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	write(out);
	fclose(out);
	return text;
}

static void write_label(FILE *out)
{
	label_write(out, "n", "a\"b\\c\nd{},=");
}

static void escapes_values(void **state)
{
	char *text = written(write_label);

	(void)state;
	assert_string_equal(text, "n=\"a\\\"b\\\\c\\nd{},=\"");
	free(text);
}

static void write_both(FILE *out)
{
	for (int openmetrics = 0; openmetrics < 2; openmetrics++) {
		struct metrics m = {.out = out, .openmetrics = openmetrics};

		metrics_write_family(&m, METRICS_COUNTER, "x_seconds", "seconds", "Time.");
		METRICS_SAMPLE(&m, "a", "1");
		metrics_write_label(&m, "b", "2");
		metrics_write_whole(&m, (prof_u128)1 << 100);
		metrics_write_family(&m, METRICS_GAUGE, "y", "", "It.");
		METRICS_SAMPLE(&m, NULL);
		metrics_write_real(&m, -1.0 / 0.0);
		metrics_write_end(&m);
	}
}

static void writes_both_formats(void **state)
{
	char *text = written(write_both);

	(void)state;
	assert_string_equal(text,
			    "# HELP x_seconds_total Time.\n"
			    "# TYPE x_seconds_total counter\n"
			    "x_seconds_total{a=\"1\",b=\"2\"} 1267650600228229401496703205376\n"
			    "# HELP y It.\n"
			    "# TYPE y gauge\n"
			    "y -Inf\n"
			    "# TYPE x_seconds counter\n"
			    "# UNIT x_seconds seconds\n"
			    "# HELP x_seconds Time.\n"
			    "x_seconds_total{a=\"1\",b=\"2\"} 1267650600228229401496703205376\n"
			    "# TYPE y gauge\n"
			    "# HELP y It.\n"
			    "y -Inf\n"
			    "# EOF\n");
	free(text);
}

static void count(struct counters *c, const char *program, const char *function, uint64_t calls)
{
	struct counters_service *s = counters_service(c, program, NULL);
	struct counters_function *f = counters_function(c, s, function, "libc.so.6");
	struct counters_sums more = {.calls = calls, .seconds = 1};

	counters_add(counters_row(f, SCP_COMPLETED, SCP_CLOCK_TSC), &more, false);
}

static uint64_t calls_of(const struct counters_service *s, const char *name)
{
	const struct counters_function *f;

	for (f = s->functions; f; f = f->hh.next)
		if (!strcmp(f->name, name))
			return (uint64_t)f->row[SCP_COMPLETED][SCP_CLOCK_TSC]->sums.calls;
	return 0;
}

static void keeps_functions_within_the_limit(void **state)
{
	struct counters_service *s;
	struct counters c;
	char name[32];

	(void)state;
	c = (struct counters){.most_services = 2, .most_functions = 3};
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "function_%d", i);
			count(&c, "a", name, 1);
		}
	s = counters_service(&c, "a", NULL);
	assert_int_equal(HASH_COUNT(s->functions), 4);
	assert_int_equal(calls_of(s, "function_0"), 2);
	assert_int_equal(calls_of(s, "function_2"), 2);
	assert_int_equal(calls_of(s, "function_3"), 0);
	assert_int_equal(calls_of(s, LABEL_OTHER), 2 * 97);
	counters_end(&c);
}

static void keeps_services_within_the_limit(void **state)
{
	struct counters c;
	char name[32];

	(void)state;
	c = (struct counters){.most_services = 2, .most_functions = 3};
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "program_%d", i);
		count(&c, name, "send", 1);
	}
	assert_int_equal(HASH_COUNT(c.services), 3);
	assert_int_equal(c.unnamed, 48);
	assert_int_equal(calls_of(c.other, "send"), 48);
	assert_string_equal(c.other->name, LABEL_OTHER);
	counters_end(&c);
}

/* A program, or a function, that is called "other" is no way into a series of its own, and
 * does not mix with a name. */
static void a_name_that_is_other_is_one_of_the_others(void **state)
{
	struct counters c;

	(void)state;
	c = (struct counters){.most_services = 10, .most_functions = 10};
	count(&c, LABEL_OTHER, LABEL_OTHER, 1);
	assert_ptr_equal(counters_service(&c, LABEL_OTHER, NULL), c.other);
	assert_non_null(c.other->other);
	assert_int_equal(c.named, 0);
	assert_int_equal(c.other->named, 0);
	counters_end(&c);
}

static void refuses_rows_that_cannot_be(void **state)
{
	struct counters_function *f;
	struct counters c;

	(void)state;
	c = (struct counters){.most_services = 1, .most_functions = 1};
	f = counters_function(&c, counters_service(&c, "a", NULL), "f", "l");
	assert_null(counters_row(f, COUNTERS_OUTCOMES, SCP_CLOCK_TSC));
	assert_null(counters_row(f, SCP_ERROR, SCP_CLOCK_NONE));
	assert_null(counters_row(f, SCP_ERROR, SCP_CLOCK_DUAL));
	assert_non_null(counters_row(f, COUNTERS_OVERFLOW, SCP_CLOCK_THREAD_CPU));
	counters_end(&c);
}

/* Past calls, of which nobody knows the time, are in the sums and in no batch. */
static void makes_batches_of_readings(void **state)
{
	const struct counters_sums past = {.calls = 1000, .seconds = 77},
				   first = {.calls = 10, .seconds = 0.1},
				   second = {.calls = 20, .seconds = 0.26};
	struct counters c;
	struct counters_row *row;

	(void)state;
	c = (struct counters){.most_services = 10, .most_functions = 10};
	row = counters_row(counters_function(&c, counters_service(&c, "p", NULL), "f", "l"),
			   SCP_COMPLETED, SCP_CLOCK_TSC);
	assert_non_null(row);
	counters_add(row, &past, true);
	counters_add(row, &first, false);
	counters_close_batches(&c);
	assert_true(row->spread.calls == 10 && row->sums.calls == 1010);
	assert_true(row->spread.batches == 0 && row->spread.variance == 0);
	counters_add(row, &second, false);
	counters_close_batches(&c);
	counters_close_batches(&c); /* nothing happened in between */
	assert_true(row->spread.batches == 1);
	assert_true(fabs(row->spread.variance - 0.0018) < 0.00005);
	counters_end(&c);
}

/* 30 functions, of which two get the same name when they are cleaned, and one has that of the rest.
 */
static void keeps_what_is_computed_within_its_limit(void **state)
{
	static struct counters_computing c;
	double sum = 0;

	(void)state;
	counters_computing_add(&c, "same\n", "lib", 8);
	counters_computing_add(&c, "same\r", "lib", 4);
	counters_computing_add(&c, LABEL_OTHER, "lib", 2);
	assert_int_equal(c.rows, 2);
	assert_true(c.row[0].cpu_s == 12);
	assert_string_equal(c.row[1].library, LABEL_OTHER);
	for (int i = 0; i < 30; i++) {
		char name[] = "functionX";

		name[8] = (char)('A' + i);
		counters_computing_add(&c, name, "lib", 1);
	}
	counters_computing_add(&c, "functionA", "lib", 1);
	assert_int_equal(c.rows, COUNTERS_COMPUTING);
	assert_true(c.row[1].cpu_s == 2 + 30 - (COUNTERS_COMPUTING - 2) && c.row[2].cpu_s == 2);
	c = (struct counters_computing){0};
	for (int i = 0; i < 30; i++) {
		char name[] = "functionX";

		name[8] = (char)('A' + i);
		counters_computing_add(&c, name, "lib", 1);
	}
	assert_int_equal(c.rows, COUNTERS_COMPUTING + 1);
	assert_string_equal(c.row[COUNTERS_COMPUTING].function, LABEL_OTHER);
	for (uint32_t i = 0; i < c.rows; i++)
		sum += c.row[i].cpu_s;
	assert_true(sum == 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_batches_of_readings),
		cmocka_unit_test(cleans_names),
		cmocka_unit_test(names_users),
		cmocka_unit_test(escapes_values),
		cmocka_unit_test(writes_both_formats),
		cmocka_unit_test(keeps_functions_within_the_limit),
		cmocka_unit_test(keeps_services_within_the_limit),
		cmocka_unit_test(a_name_that_is_other_is_one_of_the_others),
		cmocka_unit_test(refuses_rows_that_cannot_be),
		cmocka_unit_test(keeps_what_is_computed_within_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

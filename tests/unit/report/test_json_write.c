// SPDX-License-Identifier: GPL-3.0-or-later
/* What is written without a tree of values is what jansson would have written of one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/render/json/json_write.h"

static struct json_writer writer;
static char *text;
static size_t bytes;

static void begin(void)
{
	writer = (struct json_writer){.out = open_memstream(&text, &bytes)};
	assert_non_null(writer.out);
}

#define JSON_FLAGS (JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

/* Takes the value that should have been written. */
static void expect(json_t *value)
{
	char *wanted = json_dumps(value, JSON_FLAGS | (writer.indent ? JSON_INDENT(2) : 0));

	assert_int_equal(fclose(writer.out), 0);
	assert_non_null(wanted);
	assert_string_equal(text, wanted);
	json_decref(value);
	free(wanted);
	free(text);
}

static void check_number(double value)
{
	json_t *read;
	char wanted[32];

	begin();
	json_write_number(&writer, NULL, value);
	if (!isfinite(value)) {
		expect(json_null());
		return;
	}
	assert_int_equal(fclose(writer.out), 0);
	read = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_true(json_is_real(read));
	snprintf(wanted, sizeof(wanted), "%.15g", value);
	assert_true(json_real_value(read) == strtod(wanted, NULL));
	json_decref(read);
	free(text);
}

static uint64_t random_next(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void numbers(void **state)
{
	static const double some[] = {
		0,	-0.0, 1,	-1,	  0.1,	   100,	      1e5,
		1e14,	1e15, 1e16,	1e20,	  1e100,   1e308,     1e-4,
		1e-5,	1e-9, 5e-324,	1e-100,	  1.0 / 3, 2.0 / 3e7, 123456789.125,
		1.5e20, NAN,  INFINITY, -INFINITY};

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		check_number(some[i]);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = random_next();
		double value;

		memcpy(&value, &bits, sizeof(value));
		check_number(value);
		check_number((double)(bits >> (bits & 63)) / 1000);
	}
}

static void counts(void **state)
{
	static const uint64_t some[] = {0,	   1, 1000000, INT64_MAX, (uint64_t)INT64_MAX + 1,
					UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		begin();
		json_write_count(&writer, NULL, some[i]);
		if (some[i] > INT64_MAX) {
			fclose(writer.out);
			assert_true(strtod(text, NULL) == strtod("1.84467440737096e+19", NULL) ||
				    strtod(text, NULL) == strtod("9.22337203685478e+18", NULL));
			free(text);
			continue;
		}
		expect(json_integer((json_int_t)some[i]));
	}
}

/* What is written of any bytes is a text that jansson reads, and writes likewise. */
static void check_text(const char *raw)
{
	json_t *read;
	char *again;

	begin();
	json_write_text(&writer, NULL, raw);
	assert_int_equal(fclose(writer.out), 0);
	read = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_non_null(read);
	again = json_dumps(read, JSON_FLAGS);
	assert_string_equal(text, again);
	json_decref(read);
	free(again);
	free(text);
}

static void check_written(const char *raw, const char *wanted)
{
	begin();
	json_write_text(&writer, NULL, raw);
	assert_int_equal(fclose(writer.out), 0);
	assert_string_equal(text, wanted);
	free(text);
}

/* Of bytes that begin, continue and break characters. */
static void texts(void **state)
{
	static const char bytes_of[] =
		"a\"\\/\b\f\n\r\t\x01\x1f\x7f\x80\xbf\xc3\xa9\xe2\x82\xac\xf0\x9f"
		"\x98\x80\xed\xa0\xf4\x8f\xff<&'";

	(void)state;
	check_written(NULL, "null");
	check_written("a\xff"
		      "b\xed\xa0\x80",
		      "\"a\\uFFFDb\\uFFFD\\uFFFD\\uFFFD\"");
	check_written("\xc3\xa9\xf0\x9f\x98\x80", "\"\\u00E9\\uD83D\\uDE00\"");
	check_text("");
	check_text("plain");
	check_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf");
	for (int i = 0; i < 20000; i++) {
		char raw[9] = "";

		for (int k = 0; k < 8; k++)
			raw[k] = bytes_of[random_next() % (sizeof(bytes_of) - 1)];
		check_text(raw);
	}
}

static void check_members(bool indent)
{
	json_t *o = json_object(), *list = json_array(), *none = json_array();

	begin();
	writer.indent = indent;
	json_write_open(&writer, NULL, '{');
	json_write_flag(&writer, "yes", true);
	json_write_null(&writer, "nothing");
	json_write_open(&writer, "list", '[');
	json_write_count(&writer, NULL, 1);
	json_write_text(&writer, NULL, "two");
	json_write_close(&writer, ']');
	json_write_open(&writer, "none", '[');
	json_write_close(&writer, ']');
	json_write_flag(&writer, "no", false);
	json_write_close(&writer, '}');
	json_object_set_new(o, "yes", json_true());
	json_object_set_new(o, "nothing", json_null());
	json_array_append_new(list, json_integer(1));
	json_array_append_new(list, json_string("two"));
	json_object_set_new(o, "list", list);
	json_object_set_new(o, "none", none);
	json_object_set_new(o, "no", json_false());
	expect(o);
}

static void members_and_elements(void **state)
{
	(void)state;
	check_members(false);
	check_members(true);
}

static void rows_stand_on_lines_of_their_own(void **state)
{
	(void)state;
	begin();
	json_write_open_lines(&writer, NULL, '{');
	json_write_open_lines(&writer, "rows", '[');
	for (unsigned i = 0; i < 2; i++) {
		json_write_open(&writer, NULL, '[');
		json_write_count(&writer, NULL, i);
		json_write_count(&writer, NULL, i + 1);
		json_write_close(&writer, ']');
	}
	json_write_close(&writer, ']');
	json_write_open_lines(&writer, "none", '[');
	json_write_close(&writer, ']');
	json_write_close(&writer, '}');
	assert_int_equal(fclose(writer.out), 0);
	assert_string_equal(text,
			    "{\n  \"rows\": [\n    [0, 1],\n    [1, 2]\n  ],\n  \"none\": []\n}");
	free(text);
}

/* Whatever a name has: the HTML parser sees no markup, JavaScript no end of line, and JSON's
 * parser gets the text as the page shows it. */
static void no_text_ends_a_script_element(void **state)
{
	static const char raw[] = "</script><!--&\"\\\n\xe2\x80\xa8\xff\xc3\xa9";
	json_t *read;

	(void)state;
	begin();
	writer.page = true;
	json_write_text(&writer, NULL, raw);
	assert_int_equal(fclose(writer.out), 0);
	assert_null(strpbrk(text, "<>&\n"));
	assert_null(strstr(text, "\xe2\x80\xa8"));
	read = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_string_equal(json_string_value(read),
			    "</script><!--&\"\\\\x0a\\u{2028}\\xff\xc3\xa9");
	json_decref(read);
	free(text);
}

/* A page writes ten digits, and rounds to fewer what it read: as the text rounds the value. */
static void test_a_page_rounds_as_the_text_does(void **state)
{
	static const struct {
		double value, unit;
		int decimals;
	} c[] = {{21.205000000000002, 1, 2},
		 {21.204999999999998, 1, 2},
		 {0.0625, 1, 3},
		 {34250.00000000001, 1000, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		char wanted[32], read[32];

		begin();
		writer.page = true;
		json_write_number(&writer, NULL, c[i].value);
		assert_int_equal(fclose(writer.out), 0);
		snprintf(wanted, sizeof(wanted), "%.*f", c[i].decimals, c[i].value / c[i].unit);
		snprintf(read, sizeof(read), "%.*f", c[i].decimals, strtod(text, NULL) / c[i].unit);
		assert_string_equal(read, wanted);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_page_rounds_as_the_text_does),
		cmocka_unit_test(numbers),
		cmocka_unit_test(counts),
		cmocka_unit_test(texts),
		cmocka_unit_test(members_and_elements),
		cmocka_unit_test(rows_stand_on_lines_of_their_own),
		cmocka_unit_test(no_text_ends_a_script_element),
	};

	return cmocka_run_group_tests_name("JSON without a tree", tests, NULL, NULL);
}

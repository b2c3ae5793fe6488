// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers and names as they are printed. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/wording/numbers.h"
#include "report/wording/utf8.h"
#include "profile/base/demangle.h"

static void test_durations(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} row[] = {
		{0, "0 s"},
		{0.37, "0.370 ns"},
		{12.5, "12.50 ns"},
		{999.94, "999.9 ns"},
		{999.96, "1.000 us"},
		{1234, "1.234 us"},
		{45678901, "45.68 ms"},
		{123456789e3, "123.5 s"},
		{-2500, "-2.500 us"},
		{-0.0, "0 s"},
		{0.0004, "<0.001 ns"},
		{-0.0001, "<0.001 ns"},
		{NAN, "-"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_string_equal(numbered_duration(row[i].ns, false).text, row[i].text);
}

static void test_significant_digits_without_exponents(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} row[] = {
		{7120.4, 3, "7,120"}, {130.2, 2, "130"},    {99.6, 2, "100"},
		{999.6, 3, "1,000"},  {12.34, 3, "12.3"},   {8.72, 2, "8.7"},
		{999.4, 3, "999"},    {100, 2, "100"},	    {1234567, 3, "1,230,000"},
		{2e15, 3, "2e+15"},   {0.0123, 2, "0.012"}, {0, 3, "0"},
		{-1234, 3, "-1230"},  {123.46, 4, "123.5"}, {NAN, 3, "-"},
		{INFINITY, 3, "-"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_string_equal(numbered_digits(row[i].value, row[i].digits).text, row[i].text);
}

static void check_mean(double mean, double low, double high, const char *want)
{
	struct number_mean m = numbers_mean(mean, low, high, false);
	char text[96];

	snprintf(text, sizeof(text), "%s %s %s", m.mean, m.interval, m.unit);
	assert_string_equal(text, want);
}

static void test_means_have_the_digits_they_deserve(void **state)
{
	(void)state;
	check_mean(1234.5, 1222.1, 1246.9, "1.234 +/-0.012 us");
	check_mean(1234.5, 1000, 1469, "1.23 +/-0.23 us");
	check_mean(1234567, 1234566, 1234568, "1.235 +/-0.001 ms");
	check_mean(500, 100, 2000, "500 [100, 2000] ns");
	check_mean(1000, 0, 2270, "1.0 [0.0, 2.3] us");
	check_mean(0, 0, 3.2e6, "< 3.2  ms");
	check_mean(31660, 0, 69e6, "< 69  ms");
	check_mean(-3, -5, -1, "-3.0 +/-2.0 ns");
	check_mean(261500, 0, INFINITY, "261.5 +/-? us");
	check_mean(NAN, NAN, NAN, "-  ");
	/* no sign of nothing, and the unit of what is known */
	check_mean(2.1, -0.01, 6.6, "2.1 [0.0, 6.6] ns");
	check_mean(-0.6, -0.6, 443557, "0 [0, 444] us");
	check_mean(-0.01, -4, 4, "0.0 +/-4.0 ns");
}

static void test_counts_bytes_shares(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(numbered_count(1234567).text, "1,234,567");
	assert_string_equal(numbered_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(numbered_bytes(999).text, "999 B");
	assert_string_equal(numbered_bytes(999999).text, "1.00 MB");
	assert_string_equal(numbered_share(0.0001).text, "<0.1 %");
	assert_string_equal(numbered_share(-0.0001).text, "<0.1 %");
	assert_string_equal(numbered_share(-0.0).text, "0.0 %");
	assert_string_equal(numbered_share(NAN).text, "-");
	assert_string_equal(numbered_plain(21712966).text, "21,700,000");
	snprintf(text, sizeof(text), "%+.1f %+.1f", numbers_tidy(-0.04, 1), numbers_tidy(-0.06, 1));
	assert_string_equal(text, "+0.0 -0.1");
	assert_string_equal(numbered_plain(-0.0).text, "0.00");
}

static void check_text(char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void test_names_are_cleaned(void **state)
{
	(void)state;
	check_text(utf8_clean("a\033[31mb\n", true), "a\\x1b[31mb\\x0a");
	check_text(utf8_clean("\xc2\x9b"
			      "31m",
			      true),
		   "\\u{9b}31m");
	check_text(utf8_clean("\xe2\x80\xae"
			      "x",
			      true),
		   "\\u{202e}x");
	check_text(utf8_clean("na\xc3\xafve \xff\xc3", true), "na\xc3\xafve \\xff\\xc3");
	check_text(utf8_clean("na\xc3\xafve", false), "na?ve");
	check_text(utf8_clean("\xed\xa0\x80", true), "\\xed\\xa0\\x80"); /* a surrogate */
}

static void test_names_keep_their_beginning_and_their_place(void **state)
{
	(void)state;
	check_text(utf8_shorten("abcdefghij", 10, true), "abcdefghij");
	check_text(utf8_shorten("abcdefghij", 7, true), "abcd\xe2\x80\xa6ij");
	check_text(utf8_shorten("abcdefghij", 7, false), "abcd..j");
	check_text(utf8_shorten("epoll_pwait [waits]", 14, true), "epoll\xe2\x80\xa6 [waits]");
	check_text(utf8_shorten("get_proc_stat_ll (redis-server)", 22, true),
		   "get_proc_stat_ll (red\xe2\x80\xa6");
	check_text(utf8_shorten("get_proc_stat_ll (redis-server)", 17, true),
		   "get_proc_stat_ll\xe2\x80\xa6");
	check_text(utf8_shorten("_SelectorSocketTransport.write (streams.py:343)", 30, true),
		   "_SelectorSoc\xe2\x80\xa6 (streams.py:343)");
	check_text(utf8_shorten("processInputBuffer at networking.c:2345", 28, false),
		   "processInputBuffer..g.c:2345");
	check_text(utf8_shorten("a < bcd < efg < h", 16, true), "a < bcd < \xe2\x80\xa6 < h");
	check_text(utf8_shorten("a < bcd < efg < h", 13, true), "a < \xe2\x80\xa6 < h");
	check_text(utf8_shorten("a < bcd < efghijk", 12, false), "a < bcd < ..");
	check_text(utf8_shorten(".. < bcd < ef < g", 13, false), ".. < bcd < ..");
	/* what distinguishes two paths is told, if in half of the line */
	check_text(utf8_shorten("<net::socket::Socket>::send < main::{{closure}} < <thread>::start",
				48, false),
		   "<net::socket::So..>::send < .. < <thread>::start");
	check_text(utf8_shorten("send < main < std::backtrace::begin_short_backtrace", 40, true),
		   "send < main < std::backtrace::b…acktrace");
	check_text(utf8_shorten("std::net::socket::send < std::begin_short", 40, false),
		   "std::net::soc..::send < std::begin_short");
	check_text(utf8_shorten("f (a_file_of_a_very_long_name.py:343)", 12, true),
		   "f (a_fil\xe2\x80\xa6"
		   "43)");
	check_text(utf8_shorten("abcdefghij", 1, true), "a");
	assert_int_equal(utf8_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
	check_text(utf8_shorten("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5, true),
		   "\xe6\x97\xa5\xe6\x9c\xac\xe2\x80\xa6");
}

static void test_names_are_demangled(void **state)
{
	(void)state;
	check_text(demangle_full("_ZN3net6Socket4readEPcm"),
		   "net::Socket::read(char*, unsigned long)");
	check_text(demangle_brief("_ZN3net6Socket4readEPcm"), "net::Socket::read");
	check_text(demangle_full("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
	check_text(demangle_full("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
	check_text(demangle_full("_DYNAMIC"), "_DYNAMIC");
	check_text(demangle_full("main"), "main");
	check_text(demangle_full("_Zgarbage"), "_Zgarbage");
}

/* Each writes a type that has the one before it twice: 2^levels in the end. */
static void write_cplus(char *to, int levels)
{
	to += sprintf(to, "_Z1f1AIiiE");
	for (int i = 0, last = 0; i < levels; i++, last += 2)
		to += sprintf(to, last < 10 ? "1BIS%d_S%d_E" : "1BIS%c_S%c_E",
			      last < 10 ? last : 'A' + last - 10,
			      last < 10 ? last : 'A' + last - 10);
}

static void write_rust(char *to, int levels)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *start = to;
	size_t last = 0, here;

	to += sprintf(to, "_RINvC1a1f");
	for (int i = 0; i <= levels; i++, last = here) {
		here = (size_t)(to - start) - 2;
		if (!i)
			to += sprintf(to, "TllE");
		else if (last < 63)
			to += sprintf(to, "TB%c_B%c_E", digits[last - 1], digits[last - 1]);
		else
			to += sprintf(to, "TB%c%c_B%c%c_E", digits[(last - 1) / 62],
				      digits[(last - 1) % 62], digits[(last - 1) / 62],
				      digits[(last - 1) % 62]);
	}
	strcpy(to, "E");
}

static void test_names_that_explode_stay_mangled(void **state)
{
	void (*const write[])(char *, int) = {write_cplus, write_rust};
	char name[512], *plain;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		write[i](name, 4);
		plain = demangle_full(name);
		assert_non_null(plain);
		assert_true(strlen(plain) > 100 && strcmp(plain, name) != 0);
		free(plain);
		write[i](name, 17);
		check_text(demangle_full(name), name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_significant_digits_without_exponents),
		cmocka_unit_test(test_means_have_the_digits_they_deserve),
		cmocka_unit_test(test_counts_bytes_shares),
		cmocka_unit_test(test_names_are_cleaned),
		cmocka_unit_test(test_names_keep_their_beginning_and_their_place),
		cmocka_unit_test(test_names_are_demangled),
		cmocka_unit_test(test_names_that_explode_stay_mangled),
	};

	return cmocka_run_group_tests_name("report numbers", tests, NULL, NULL);
}

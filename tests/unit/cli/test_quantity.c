// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers as people write them: each way to get one wrong is refused, and what
 * is refused changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/usage/options.h"

static void refuses_count(const char *text, uint64_t least, uint64_t most)
{
	uint64_t count = 77;

	if (!quantity_count(text, least, most, &count) || count != 77)
		fail_msg("'%s' from %llu to %llu gave %llu", text, (unsigned long long)least,
			 (unsigned long long)most, (unsigned long long)count);
}

static void test_counts(void **state)
{
	uint64_t count;

	(void)state;
	assert_int_equal(quantity_count("12", 1, 12, &count), 0);
	assert_int_equal(count, 12);
	assert_int_equal(quantity_count("0", 0, 5, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(quantity_count("007", 7, 7, &count), 0);
	assert_int_equal(count, 7);
	assert_int_equal(quantity_count("18446744073709551615", 0, UINT64_MAX, &count), 0);
	assert_true(count == UINT64_MAX);
}

static void test_no_counts(void **state)
{
	static const char *const texts[] = {"",	   "-1",  "+1",	 " 1",	"1 ",
					    "1e3", "0x1", "1.0", "one", "12\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		refuses_count(texts[i], 0, UINT64_MAX);
	refuses_count("0", 1, 5);
	refuses_count("6", 1, 5);
	refuses_count("18446744073709551616", 0, UINT64_MAX);
	refuses_count("-18446744073709551615", 0, 5);
}

static void test_shares(void **state)
{
	static const char *const none[] = {"",	  "0",	  "0%",	 "-1",	  "nan",  "inf", "0x1p-1",
					   " .9", "5 %%", "5%%", "1e400", "0.5x", "%",	 "."};
	double share = 77;

	(void)state;
	assert_int_equal(quantity_share("5%", &share), 0);
	assert_true(share == 0.05);
	assert_int_equal(quantity_share(".25", &share), 0);
	assert_true(share == 0.25);
	assert_int_equal(quantity_share("2", &share), 0);
	assert_true(share == 2);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		share = 77;
		if (!quantity_share(none[i], &share) || share != 77)
			fail_msg("'%s' gave %g", none[i], share);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_no_counts),
		cmocka_unit_test(test_shares),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

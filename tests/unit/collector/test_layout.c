// SPDX-License-Identifier: GPL-3.0-or-later
/* A run's own layout: the environment is as long as it was asked to be, and addresses are drawn
 * anew also where the caller had switched that off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>

#include <cmocka.h>

#include "collector/launch/environment.h"

static size_t padding(void)
{
	const char *value = getenv(ENVIRONMENT_LAYOUT_VARIABLE);

	assert_non_null(value);
	return strlen(value);
}

static void test_environment_is_padded(void **state)
{
	(void)state;
	assert_int_equal(environment_set_layout(0), 0);
	assert_int_equal(padding(), 0);
	assert_int_equal(environment_set_layout(17), 0);
	assert_int_equal(padding(), 17);
	assert_int_equal(environment_set_layout(1000000), 0);
	assert_int_equal(padding(), ENVIRONMENT_LAYOUT_MOST);
}

/* 64 equal draws of 4097 are a sign of something else than chance. */
static void test_lengths_are_drawn(void **state)
{
	size_t first, differ = 0;

	(void)state;
	assert_int_equal(environment_draw_layout(), 0);
	first = padding();
	for (int i = 0; i < 64; i++) {
		assert_int_equal(environment_draw_layout(), 0);
		assert_true(padding() <= ENVIRONMENT_LAYOUT_MOST);
		differ += padding() != first;
	}
	assert_true(differ > 0);
}

static void test_addresses_are_drawn_again(void **state)
{
	int before = personality(0xffffffff);

	(void)state;
	if (before == -1 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) == -1)
		skip();
	assert_int_equal(environment_set_layout(1), 0);
	assert_int_equal(personality(0xffffffff) & ADDR_NO_RANDOMIZE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment_is_padded),
		cmocka_unit_test(test_lengths_are_drawn),
		cmocka_unit_test(test_addresses_are_drawn_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

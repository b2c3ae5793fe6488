// SPDX-License-Identifier: GPL-3.0-or-later
/* Pairs get numbers in the order in which they are met, and keep them; arrays by number grow and
 * keep what is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/containers/string_index.h"
#include "profile/base/array.h"

#define SIDE 300u

/* Close together, far apart, and at the ends. */
static uint32_t spread(uint32_t i)
{
	return i % 3 == 0 ? i : i % 3 == 1 ? i << 22 : UINT32_MAX - i;
}

static void pairs_keep_the_numbers_they_got(void **state)
{
	struct pairs p = {0};

	(void)state;
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		assert_int_equal(pairs_add(&p, spread(i % SIDE), spread(i / SIDE)), i);
	assert_int_equal(p.count, SIDE * SIDE);
	for (uint32_t i = SIDE * SIDE; i-- > 0;) {
		assert_int_equal(pairs_add(&p, spread(i % SIDE), spread(i / SIDE)), i);
		assert_int_equal(p.pair[i].a, spread(i % SIDE));
		assert_int_equal(p.pair[i].b, spread(i / SIDE));
	}
	assert_int_equal(p.count, SIDE * SIDE);
	pairs_clear(&p);
	assert_int_equal(pairs_add(&p, 7, 8), 0);
	pairs_clear(&p);
}

static void the_order_of_a_pair_counts(void **state)
{
	struct pairs p = {0};

	(void)state;
	assert_int_equal(pairs_add(&p, 1, 2), 0);
	assert_int_equal(pairs_add(&p, 2, 1), 1);
	assert_int_equal(pairs_add(&p, 1, 2), 0);
	pairs_clear(&p);
}

static void arrays_grow_and_keep_what_they_hold(void **state)
{
	uint32_t *array = NULL, room = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i = 3 * i + 1) {
		assert_true(array_reach((void **)&array, &room, i, sizeof(*array), 0xff));
		assert_true(room > i);
		assert_int_equal(array[i], UINT32_MAX);
		assert_int_equal(array[room - 1], UINT32_MAX);
		array[i] = i;
	}
	for (uint32_t i = 0; i < 100000; i = 3 * i + 1)
		assert_int_equal(array[i], i);
	assert_false(array_reach((void **)&array, &room, UINT32_MAX, sizeof(*array), 0));
	assert_int_equal(array[1], 1);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_keep_the_numbers_they_got),
		cmocka_unit_test(the_order_of_a_pair_counts),
		cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
	};

	return cmocka_run_group_tests_name("pairs of numbers", tests, NULL, NULL);
}

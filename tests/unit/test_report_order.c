// SPDX-License-Identifier: GPL-3.0-or-later
/* The sort of a report's rows, against the library's, on what makes quicksorts slow or
 * wrong; and codes that keep the order of what they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "order.h"

#define COUNT 20000

static uint64_t compared;

/* Rows 0, 3, 6, ... are equal but for their numbers, as the others are. */
static int by_rest(uint32_t a, uint32_t b, const void *context)
{
	(void)context;
	compared++;
	return (int)(a % 3) - (int)(b % 3);
}

static int expected(const void *left, const void *right)
{
	const struct order_item *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	if (a->row % 3 != b->row % 3)
		return a->row % 3 < b->row % 3 ? -1 : 1;
	return a->row < b->row ? -1 : 1;
}

enum shape { RISING, FALLING, EQUAL, ORGAN_PIPE, FEW, RANDOM, SHAPES };

static uint64_t key_of(enum shape shape, uint32_t i, uint64_t random)
{
	switch (shape) {
	case RISING:
		return i;
	case FALLING:
		return UINT64_MAX - i;
	case EQUAL:
		return 7;
	case ORGAN_PIPE:
		return i < COUNT / 2 ? i : COUNT - i;
	case FEW:
		return random % 5;
	default:
		return random;
	}
}

static void test_sorts_as_the_library_does(void **state)
{
	struct order_item *item = calloc(COUNT, sizeof(*item)),
			  *want = calloc(COUNT, sizeof(*want));
	uint64_t random = 88172645463325252u;

	(void)state;
	assert_true(item && want);
	for (enum shape shape = 0; shape < SHAPES; shape++)
		for (uint32_t count = 0; count <= COUNT;
		     count = count < 40 ? count + 1 : count * 7) {
			for (uint32_t i = 0; i < count; i++) {
				random ^= random << 13, random ^= random >> 7,
					random ^= random << 17;
				item[i] = (struct order_item){key_of(shape, i, random),
							      random >> 60, (i * 7919u) % COUNT};
			}
			memcpy(want, item, count * sizeof(*item));
			qsort(want, count, sizeof(*want), expected);
			order_sort(item, count, by_rest, NULL);
			assert_memory_equal(item, want, count * sizeof(*item));
		}
	free(item);
	free(want);
}

/* Musser's: a sequence that the middle of three divides as badly as can be. */
static void test_no_order_makes_it_slow(void **state)
{
	struct order_item *item = calloc(COUNT, sizeof(*item));

	(void)state;
	assert_non_null(item);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t half = COUNT / 2;

		/* rows tell, so that comparisons are counted */
		item[i].row = i < half ? (i % 2 ? half + i - 1 : i) : 2 * (i - half) + 1;
		item[i].row *= 3;
	}
	compared = 0;
	order_sort(item, COUNT, by_rest, NULL);
	for (uint32_t i = 1; i < COUNT; i++)
		assert_true(item[i - 1].row <= item[i].row);
	assert_true(compared < UINT64_C(60) * COUNT * 15); /* 60 n log n */
	free(item);
}

static void test_codes_keep_the_order(void **state)
{
	uint32_t last = 0;

	(void)state;
	assert_int_equal(order_code(0), 0);
	for (unsigned bit = 0; bit < 64; bit++)
		for (int off = -2; off <= 2; off++) {
			uint64_t number = (UINT64_C(1) << bit) + (uint64_t)(int64_t)off;

			if (bit < 3)
				continue;
			assert_true(order_code(number) >= last);
			last = order_code(number);
		}
	assert_true(order_code(UINT64_MAX) >= last);
	assert_true(order_code(1000) > order_code(999));
	assert_true(order_code(1u << 27) > order_code((1u << 27) - 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorts_as_the_library_does),
		cmocka_unit_test(test_no_order_makes_it_slow),
		cmocka_unit_test(test_codes_keep_the_order),
	};

	return cmocka_run_group_tests_name("report order", tests, NULL, NULL);
}

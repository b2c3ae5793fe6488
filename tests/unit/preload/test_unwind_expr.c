// SPDX-License-Identifier: GPL-3.0-or-later
/* DWARF expressions (DWARF 5, section 2.5), operator by operator: a frame that
 * is found by a wrong sum would give call paths that nobody took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "preload/unwind/unwind.h"

#define N(...)	 (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define MINUS(n) ((uint64_t)0 - (n))
/* clang-format off */
#define TOP 0x80 /* const1s -128 is 0x09, TOP */

static const struct expression {
	const char *what;
	const uint8_t *code;
	size_t size;
	uint64_t value;
} good[] = {
	{"lit and plus", N(0x35, 0x33, 0x22), 8},
	{"minus", N(0x33, 0x35, 0x1c), MINUS(2)},
	{"mul", N(0x36, 0x37, 0x1e), 42},
	{"and", N(0x3c, 0x3a, 0x1a), 8},
	{"shl", N(0x33, 0x34, 0x24), 48},
	{"shl by 64", N(0x33, 0x08, 64, 0x24), 0},
	{"plus_uconst", N(0x31, 0x23, 0x80, 0x01), 129},
	{"ge is signed", N(0x09, TOP, 0x31, 0x2a), 0},
	{"ge of equals", N(0x33, 0x33, 0x2a), 1},
	{"drop", N(0x33, 0x34, 0x13), 3},
	{"const2s", N(0x0b, 0xfe, 0xff), MINUS(2)},
	{"const4u", N(0x0c, 0xfe, 0xff, 0xff, 0xff), 0xfffffffe},
	{"consts", N(0x11, 0x7e), MINUS(2)},
}, bad[] = {
	{"nothing", NULL, 0, 0},
	{"one value for two", N(0x31, 0x22), 0},
	{"an end within an operand", N(0x0c, 1, 2), 0},
	{"an operator that needs a frame base", N(0x91, 0), 0},
	{"a jump", N(0x31, 0x2f, 1, 0), 0},
	{"an unknown operator", N(0x31, 0xff), 0},
};
/* clang-format on */

static bool evaluate(const struct expression *e, uint64_t *value)
{
	static struct unwind_work work;
	struct unwind_cursor c = {.work = &work};
	uint8_t block[64] = {(uint8_t)e->size};
	assert_true(e->size < sizeof(block));
	if (e->size)
		memcpy(block + 1, e->code, e->size);
	return unwind_expr_evaluate(&c, (uint64_t)(uintptr_t)block, false, 0, value);
}

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t value = 0xdead;
		if (!evaluate(&good[i], &value) || value != good[i].value)
			fail_msg("%s: %#llx, not %#llx", good[i].what, (unsigned long long)value,
				 (unsigned long long)good[i].value);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t value;
		if (evaluate(&bad[i], &value))
			fail_msg("%s: has a value", bad[i].what);
	}
}

static void test_the_initial_value(void **state)
{
	(void)state;
	static struct unwind_work work;
	struct unwind_cursor c = {.work = &work};
	const uint8_t block[] = {2, 0x38, 0x22}; /* lit8, plus */
	uint64_t value;
	assert_true(unwind_expr_evaluate(&c, (uint64_t)(uintptr_t)block, true, 100, &value));
	assert_int_equal(value, 108);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_the_initial_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

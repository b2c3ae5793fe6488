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
#define LEAST 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80 /* const8u: the least signed number */
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
	{"div is signed", N(0x09, TOP, 0x33, 0x1b), MINUS(42)},
	{"mod is not", N(0x09, TOP, 0x37, 0x1d), MINUS(128) % 7},
	{"and", N(0x3c, 0x3a, 0x1a), 8},
	{"or", N(0x3c, 0x3a, 0x21), 14},
	{"xor", N(0x3c, 0x3a, 0x27), 6},
	{"shl", N(0x33, 0x34, 0x24), 48},
	{"shl by 64", N(0x33, 0x08, 64, 0x24), 0},
	{"shr", N(0x09, TOP, 0x08, 60, 0x25), 15},
	{"shr by 64", N(0x09, TOP, 0x08, 64, 0x25), 0},
	{"shra", N(0x09, TOP, 0x33, 0x26), MINUS(16)},
	{"shra by 64", N(0x09, TOP, 0x08, 64, 0x26), MINUS(1)},
	{"abs", N(0x09, TOP, 0x19), 128},
	{"neg", N(0x35, 0x1f), MINUS(5)},
	{"not", N(0x30, 0x20), MINUS(1)},
	{"plus_uconst", N(0x31, 0x23, 0x80, 0x01), 129},
	{"eq", N(0x33, 0x33, 0x29), 1},
	{"ge is signed", N(0x09, TOP, 0x31, 0x2a), 0},
	{"ge of equals", N(0x33, 0x33, 0x2a), 1},
	{"gt", N(0x34, 0x33, 0x2b), 1},
	{"gt of equals", N(0x33, 0x33, 0x2b), 0},
	{"le", N(0x09, TOP, 0x31, 0x2c), 1},
	{"lt of equals", N(0x33, 0x33, 0x2d), 0},
	{"lt", N(0x09, TOP, 0x31, 0x2d), 1},
	{"ne", N(0x33, 0x33, 0x2e), 0},
	{"dup", N(0x33, 0x12, 0x1e), 9},
	{"drop", N(0x33, 0x34, 0x13), 3},
	{"over", N(0x35, 0x33, 0x14, 0x1c), MINUS(2)},
	{"swap", N(0x35, 0x33, 0x16, 0x1c), MINUS(2)},
	{"pick", N(0x35, 0x33, 0x31, 0x15, 2), 5},
	{"rot: the second on top", N(0x31, 0x32, 0x33, 0x17), 2},
	{"rot: the third below it", N(0x31, 0x32, 0x33, 0x17, 0x13), 1},
	{"rot: the top as third", N(0x31, 0x32, 0x33, 0x17, 0x13, 0x13), 3},
	{"const2s", N(0x0b, 0xfe, 0xff), MINUS(2)},
	{"const4u", N(0x0c, 0xfe, 0xff, 0xff, 0xff), 0xfffffffe},
	{"consts", N(0x11, 0x7e), MINUS(2)},
	{"nop", N(0x33, 0x96), 3},
	{"bra taken", N(0x31, 0x31, 0x28, 1, 0, 0x13), 1},
	{"bra not taken", N(0x31, 0x30, 0x28, 1, 0, 0x1f), MINUS(1)},
	{"skip", N(0x31, 0x2f, 1, 0, 0x1f), 1},
}, bad[] = {
	{"nothing", NULL, 0, 0},
	{"one value for two", N(0x31, 0x22), 0},
	{"division by 0", N(0x31, 0x30, 0x1b), 0},
	{"mod by 0", N(0x31, 0x30, 0x1d), 0},
	{"a quotient that does not fit", N(LEAST, 0x09, 0xff, 0x1b), 0},
	{"an end within an operand", N(0x0c, 1, 2), 0},
	{"pick of what is not there", N(0x31, 0x15, 1), 0},
	{"a jump past the end", N(0x31, 0x2f, 1, 0), 0},
	{"round and round", N(0x31, 0x2f, 0xfd, 0xff), 0},
	{"a stack that is full", N(0x31, 0x12, 0x2f, 0xfc, 0xff), 0},
	{"an operator that needs a frame base", N(0x91, 0), 0},
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

/* The length before the block, 0x30, would be lit0, which ends the loop. */
static void test_no_jump_before_the_start(void **state)
{
	(void)state;
	static struct unwind_work work;
	struct unwind_cursor c = {.work = &work};
	uint8_t block[49] = {0x30, 0x28, 0xfc, 0xff};
	memset(block + 4, 0x96, 44);
	block[48] = 0x35;
	uint64_t value;
	assert_false(unwind_expr_evaluate(&c, (uint64_t)(uintptr_t)block, true, 1, &value));
	block[2] = 0xfd; /* to the start itself: there the stack is empty */
	assert_false(unwind_expr_evaluate(&c, (uint64_t)(uintptr_t)block, true, 1, &value));
	block[2] = block[3] = 0;
	assert_true(unwind_expr_evaluate(&c, (uint64_t)(uintptr_t)block, true, 1, &value));
	assert_int_equal(value, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_the_initial_value),
		cmocka_unit_test(test_no_jump_before_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

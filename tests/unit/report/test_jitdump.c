// SPDX-License-Identifier: GPL-3.0-or-later
/* A jitdump that is made here: code that is loaded and replaced, and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/symbols/generated.h"

static char dump[65536];
static uint64_t bytes;
static struct symbolize_files files;

static void put(const void *from, uint64_t count)
{
	assert_true(bytes + count <= sizeof(dump));
	memcpy(dump + bytes, from, count);
	bytes += count;
}

static void put_u32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void put_u64(uint64_t v)
{
	put(&v, sizeof(v));
}

static void begin(uint64_t flags)
{
	static const uint32_t head[] = {0x4a695444, 1, 40, 62, 0, 4711};

	bytes = 0;
	put(head, sizeof(head));
	put_u64(0);
	put_u64(flags);
}

static void put_record(uint32_t type, uint32_t size, uint64_t at_ns)
{
	put_u32(type);
	put_u32(size);
	put_u64(at_ns);
}

/* With as many bytes of code as a maker would put behind the name. */
static void put_load(uint64_t at_ns, uint64_t start, uint32_t size, uint64_t index,
		     const char *name)
{
	static const char code[64];

	put_record(0, 56 + (uint32_t)strlen(name) + 1 + size, at_ns);
	put_u64(4711);
	put_u64(start);
	put_u64(start);
	put_u64(size);
	put_u64(index);
	put(name, strlen(name) + 1);
	put(code, size);
}

/* The code at an address: "?" several, NULL nothing. */
static const char *find(uint64_t address)
{
	struct code_map m = {0};
	struct code_answer a;
	const char *name;

	assert_true(jitdump_read(&m, &files, dump, bytes));
	code_map_divide(&m, &files, false);
	a = code_map_find(&m, address);
	name = a.ambiguous ? "?" : a.piece ? a.piece->name : NULL;
	code_map_clear(&m);
	return name;
}

static void fill(void)
{
	begin(0);
	put_load(100, 0x1000, 16, 1, "one");
	put_load(200, 0x2000, 16, 2, "two");
	put_load(300, 0x1008, 16, 3, "three"); /* over the end of one */
	put_load(400, 0x1008, 16, 4, "three"); /* the same again */
}

static void test_names_by_address(void **state)
{
	(void)state;
	fill();
	assert_string_equal(find(0x1000), "one");
	assert_string_equal(find(0x100f), "?");
	assert_string_equal(find(0x1017), "three");
	assert_null(find(0x1018));
	assert_null(find(0xfff));
	assert_string_equal(find(0x200f), "two");
}

/* Every byte of a dump in turn is set to extreme values, and the dump is cut at every byte. */
static void test_damage(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	static char whole[sizeof(dump)];
	uint64_t all;

	(void)state;
	fill();
	all = bytes;
	memcpy(whole, dump, all);
	for (uint64_t i = 0; i < all * sizeof(values) + all; i++) {
		/* at the end of memory of just that size, so that a reader beyond it is caught */
		uint64_t count = i < all ? i : all;
		char *text = malloc(count + 1);
		struct code_map m = {0};

		assert_non_null(text);
		memcpy(text, whole, count);
		text[count] = '\0';
		if (i >= all)
			text[(i - all) / sizeof(values)] = (char)values[(i - all) % sizeof(values)];
		if (jitdump_read(&m, &files, text, count)) {
			code_map_divide(&m, &files, false);
			for (uint64_t at = 0x0ff0; at < 0x2020; at += 8)
				code_map_find(&m, at);
		}
		code_map_clear(&m);
		free(text);
	}
}

static void test_too_many_overlapping_pieces_cost_no_more_than_allowed(void **state)
{
	struct symbolize_files few = {.guarded = true,
				      .steps = SYMBOLIZE_MOST_STEPS_GUARDED - 1000};
	struct code_map m = {0};

	(void)state;
	for (uint64_t i = 0; i < 2000; i++)
		code_map_add(&m, &few,
			     &(struct code_piece){.start = i, .end = 1u << 20, .name = "f"});
	code_map_divide(&m, &few, false);
	assert_true(few.left_out);
	assert_null(code_map_find(&m, 5).piece);
	code_map_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_by_address),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_too_many_overlapping_pieces_cost_no_more_than_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

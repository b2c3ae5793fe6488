// SPDX-License-Identifier: GPL-3.0-or-later
/* A jitdump that is made here: code that is loaded, moved and replaced, its lines, and damage. */
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

static void put_move(uint64_t at_ns, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	put_record(1, 64, at_ns);
	put_u64(4711);
	put_u64(from);
	put_u64(from);
	put_u64(to);
	put_u64(size);
	put_u64(index);
}

static void put_line(uint64_t address, uint32_t line, const char *file)
{
	put_u64(address);
	put_u32(line);
	put_u32(0);
	put(file, strlen(file) + 1);
}

/* What lay at an address between two instants: "?" several, NULL nothing. */
static const char *find(uint64_t address, uint64_t from_ns, uint64_t until_ns)
{
	struct code_map m = {0};
	struct code_answer a;
	const char *name;
	bool comparable;

	assert_true(jitdump_read(&m, &files, dump, bytes, &comparable));
	code_map_divide(&m, &files, from_ns, until_ns);
	a = code_map_find(&m, address);
	name = a.ambiguous ? "?" : a.piece ? a.piece->name : NULL;
	code_map_clear(&m);
	return name;
}

static void test_names_by_address_and_time(void **state)
{
	(void)state;
	begin(0);
	put_load(100, 0x1000, 16, 1, "one");
	put_load(200, 0x2000, 16, 2, "two");
	put_load(300, 0x1008, 16, 3, "three"); /* over the end of one */
	put_load(400, 0x1008, 16, 4, "three"); /* the same again */
	assert_string_equal(find(0x1000, 0, 1000), "one");
	assert_string_equal(find(0x100f, 0, 1000), "?");
	assert_string_equal(find(0x100f, 0, 250), "one");
	assert_string_equal(find(0x100f, 300, 1000), "three");
	assert_string_equal(find(0x1017, 0, 1000), "three");
	assert_null(find(0x1018, 0, 1000));
	assert_null(find(0xfff, 0, 1000));
	assert_null(find(0x2000, 0, 199));
	assert_string_equal(find(0x200f, 0, 1000), "two");
}

static void test_code_that_moves(void **state)
{
	(void)state;
	begin(0);
	put_load(100, 0x1000, 16, 1, "one");
	put_load(100, 0x3000, 16, 2, "two");
	put_move(200, 0x1000, 0x2000, 16, 1);
	put_move(200, 0x3000, 0x4000, 16, 9);		   /* of no such number */
	assert_string_equal(find(0x1001, 0, 1000), "one"); /* nothing took its place */
	assert_string_equal(find(0x2001, 0, 1000), "one");
	assert_null(find(0x4001, 0, 1000));
}

static void check_line(const struct code_piece *piece, uint64_t address, int wanted,
		       const char *wanted_file)
{
	const char *file = NULL;
	int line = 0;

	assert_int_equal(jitdump_read_line(piece, &files, address, &file, &line), wanted != 0);
	assert_int_equal(line, wanted);
	if (wanted_file)
		assert_string_equal(file, wanted_file);
}

static void test_lines(void **state)
{
	struct code_map m = {0};
	bool comparable;

	(void)state;
	begin(1);
	put_record(2, 32 + 3 * 16 + 7 + 2 + 7, 100);
	put_u64(0x1000);
	put_u64(4000000000); /* more entries than there are */
	put_line(0x1004, 12, "app.js");
	put_line(0x1008, 13, "\xff");
	put_line(0x100c, 1, "lib.js");
	put_load(100, 0x1000, 16, 1, "one");
	put_load(100, 0x2000, 16, 2, "two"); /* the lines are not of this one */
	put_record(2, 32 + 16 + 7, 100);
	put_u64(0x3000);
	put_u64(1);
	put_line(0x3044, 7, "app.js");
	put_load(100, 0x3000, 16, 3, "JS:*three app.js:5:1");
	assert_true(jitdump_read(&m, &files, dump, bytes, &comparable));
	assert_false(comparable);
	assert_int_equal(m.pieces, 3);
	check_line(&m.piece[0], 0x1000, 0, NULL);
	check_line(&m.piece[0], 0x1004, 12, "app.js");
	check_line(&m.piece[0], 0x100b, 13, "app.js");
	check_line(&m.piece[0], 0x100f, 1, "lib.js");
	check_line(&m.piece[1], 0x2004, 0, NULL);
	check_line(&m.piece[2], 0x3003, 0, NULL);
	check_line(&m.piece[2], 0x3004, 7, "app.js");
	code_map_clear(&m);
}

/* Every byte of a dump in turn is set to extreme values, and the dump is cut at every byte. */
static void test_damage(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	static char whole[sizeof(dump)];
	uint64_t all;

	(void)state;
	test_lines(NULL);
	put_move(200, 0x1000, 0x2000, 16, 1);
	all = bytes;
	memcpy(whole, dump, all);
	for (uint64_t i = 0; i < all * sizeof(values) + all; i++) {
		/* at the end of memory of just that size, so that a reader beyond it is caught */
		uint64_t count = i < all ? i : all;
		char *text = malloc(count + 1);
		struct code_map m = {0};
		const char *file;
		bool comparable;
		int line;

		assert_non_null(text);
		memcpy(text, whole, count);
		text[count] = '\0';
		if (i >= all)
			text[(i - all) / sizeof(values)] = (char)values[(i - all) % sizeof(values)];
		if (jitdump_read(&m, &files, text, count, &comparable)) {
			code_map_divide(&m, &files, 0, 1000);
			for (uint64_t at = 0x0ff0; at < 0x2020; at += 8) {
				struct code_answer a = code_map_find(&m, at);

				if (a.piece)
					jitdump_read_line(a.piece, &files, at, &file, &line);
			}
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
		code_map_add(
			&m, &few,
			&(struct code_piece){.start = i, .end = 1u << 20, .name = "f", .at_ns = 1});
	code_map_divide(&m, &few, 0, 10);
	assert_true(few.left_out);
	assert_null(code_map_find(&m, 5).piece);
	code_map_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_by_address_and_time),
		cmocka_unit_test(test_code_that_moves),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_too_many_overlapping_pieces_cost_no_more_than_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

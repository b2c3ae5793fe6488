// SPDX-License-Identifier: GPL-3.0-or-later
/* A row of a live view is found again when new paths come: its functions and lines of Python have
 * other indices then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "report/live/live_rows.h"

static char send_name[] = "send", libc[] = "libc.so.6", reply[] = "Service.reply",
	    other[] = "other", file[] = "/srv/service.py";

/* The line that is asked for is the last of `lines`; its function the last of as many. */
static uint64_t key(uint32_t lines, const struct prof_source_line *asked, char *name)
{
	struct prof_function called = {.name = send_name, .library = libc};
	struct prof_source_function function[4] = {{other, file, 1, 1}, {other, file, 2, 1}};
	struct prof_source_line line[4] = {{.line = 1}, {.line = 2}};
	struct profile p = {.function = &called,
			    .functions = 1,
			    .source_function = function,
			    .source_functions = lines,
			    .source_line = line,
			    .source_lines = lines};
	struct prof_frame frame = {.module = PROF_SOURCE, .offset = lines - 1};
	struct group_row row = {0};

	function[lines - 1] = (struct prof_source_function){name, file, 130, 1};
	line[lines - 1] = *asked;
	line[lines - 1].function = lines - 1;
	return row_key_of(&p, &row, (struct group_path){&frame, 1, 0});
}

static void a_row_keeps_its_key_where_its_line_has_another_index(void **state)
{
	struct prof_source_line at = {.line = 142, .instruction = 16};

	(void)state;
	assert_true(key(1, &at, reply) == key(3, &at, reply));
}

static void other_functions_lines_instructions_and_addresses_are_other_rows(void **state)
{
	struct prof_source_line at = {.line = 142, .instruction = 16}, line = at, instruction = at,
				address = at;

	(void)state;
	line.line++;
	instruction.instruction++;
	address.address[1]++;
	assert_true(key(1, &at, reply) != key(1, &at, other));
	assert_true(key(1, &at, reply) != key(1, &line, reply));
	assert_true(key(1, &at, reply) != key(1, &instruction, reply));
	assert_true(key(1, &at, reply) != key(1, &address, reply));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_keeps_its_key_where_its_line_has_another_index),
		cmocka_unit_test(other_functions_lines_instructions_and_addresses_are_other_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

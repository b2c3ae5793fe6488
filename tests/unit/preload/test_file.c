// SPDX-License-Identifier: GPL-3.0-or-later
/* What a profile file that cannot be made costs the program. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/process/arena.h"
#include "preload/process/file.h"

#define FILE_BYTES (1u << 20)

static void test_address_space_given_back(void **state)
{
	const struct rlimit file = {4096, RLIM_INFINITY};
	const struct rlimit space = {1u << 30, RLIM_INFINITY}; /* of which 1/32 may be ours */
	const struct file_wish wish = {FILE_NAMED, "/tmp", "test_file", getpid()};
	static struct profile_file f;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &file), 0);
	assert_int_equal(setrlimit(RLIMIT_AS, &space), 0);
	for (int i = 0; i < 64; i++)
		assert_int_equal(file_create(&f, &wish, FILE_BYTES), -EFBIG);
	assert_true(file_address_space_allows(FILE_BYTES));
}

static void test_address_space_of_released_memory(void **state)
{
	(void)state;
	for (int i = 0; i < 64; i++) {
		struct arena a = {.first = FILE_BYTES, .limit = FILE_BYTES};
		assert_non_null(arena_take(&a, 64));
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"files that could not be made take none of the address space that others may need",
		 test_address_space_given_back, NULL, NULL, NULL},
		{"nor does memory that was released", test_address_space_of_released_memory, NULL,
		 NULL, NULL},
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

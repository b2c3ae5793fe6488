// SPDX-License-Identifier: GPL-3.0-or-later
/* What is said of a process whose code cannot be called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef __x86_64__

#include "collector/attach/safe_point/safe_points.h"

static uint64_t no_code(struct safe_points *s, const uint8_t *code, size_t bytes)
{
	(void)s, (void)code, (void)bytes;
	return 0;
}

#define safe_points_code no_code
#include "collector/attach/attach_work_x86_64.c"

static void a_program_that_was_replaced_meanwhile_has_no_bad_libc(void **state)
{
	static struct attach_working w;
	struct profile_error err = {""};

	(void)state;
	w.remote.target.pid = getpid();
	w.err = &err;
	assert_true(proc_maps_list(&w.maps, getpid(), NULL));
	w.points = safe_points_open(getpid(), &err);
	assert_non_null(w.points);
	assert_int_equal(find_code(&w), -1);
	assert_non_null(strstr(err.text, "glibc is needed"));
	w.maps.executable ^= 1; /* of another program */
	assert_int_equal(find_code(&w), -1);
	assert_non_null(strstr(err.text, "it executes another program now; try again"));
	safe_points_close(w.points);
	proc_maps_free(&w.maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_was_replaced_meanwhile_has_no_bad_libc)};

	return cmocka_run_group_tests_name("the order of an attach", tests, NULL, NULL);
}

#else
int main(void)
{
	return 0;
}
#endif

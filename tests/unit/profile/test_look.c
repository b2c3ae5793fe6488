// SPDX-License-Identifier: GPL-3.0-or-later
/* Looks at what passed through: what a file says, what contradicts itself, sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/model_open.h"
#include "tests/unit/support/scp_build.h"

static const char *save_sample(const char *name)
{
	const char *path = scp_build_name(name);
	struct scp_sample s;
	struct scp_build b;

	scp_build_sample(&b, &s);
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

static void expect(const struct profile *p, uint32_t at, const char *function, uint64_t calls,
		   uint64_t timed, uint64_t units)
{
	const struct prof_look *k = &p->look[at];

	assert_string_equal(p->function[k->function].name, function);
	assert_int_equal(k->calls, calls);
	assert_int_equal(k->timed, timed);
	assert_int_equal(k->units, units);
}

static void test_looks_are_those_of_the_file_but_for_one_that_contradicts_itself(void **state)
{
	const char *path = save_sample("look.scp");
	struct profile_error err;
	struct profile *p = profile_open(&path, 1, &err);

	(void)state;
	assert_non_null(p);
	assert_null(model_check(p));
	assert_int_equal(p->looks, 4);
	expect(p, 0, "send", 20, 20, 700);
	expect(p, 1, "connect", 100, 10, 5000);
	expect(p, 2, "connect", 3, 3, 40);
	expect(p, 3, "connect", 1, 0, 0);
	assert_true(p->look[1].units_sq == ((prof_u128)1 << 64) + 25000000);
	assert_int_equal(p->look[2].table, 0);
	assert_int_equal(p->look[3].table, 1);
	profile_free(p);
}

static void test_folding_adds_up_and_what_is_written_reads_back(void **state)
{
	const char *paths[] = {save_sample("one.scp"), save_sample("two.scp")}, *merged;
	struct profile_error err;
	struct profile *p = profile_open(paths, 2, &err), *again;

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->looks, 8);
	fold_model(p, 1);
	assert_null(model_check(p));
	assert_int_equal(p->looks, 3);
	expect(p, 0, "send", 40, 40, 1400);
	expect(p, 1, "connect", 206, 26, 10080);
	expect(p, 2, "connect", 2, 0, 0);
	merged = scp_build_name("merged.scp");
	assert_int_equal(write_profile(p, merged, &err), 0);
	again = profile_open(&merged, 1, &err);
	assert_non_null(again);
	assert_null(model_difference(p, again));
	profile_free(again);
	profile_free(p);
}

static void test_the_difference_of_two_readings_has_none(void **state)
{
	const char *path = save_sample("live.scp");
	struct profile_error err;
	struct model_mark mark;
	struct profile *p = profile_open(&path, 1, &err);

	(void)state;
	assert_int_equal(model_difference_mark(p, &mark), 0);
	assert_int_equal(profile_add(p, path, &err), 0);
	assert_int_equal(model_difference_make(p, &mark), 0);
	assert_int_equal(p->looks, 0);
	model_difference_mark_free(&mark);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_looks_are_those_of_the_file_but_for_one_that_contradicts_itself),
		cmocka_unit_test(test_folding_adds_up_and_what_is_written_reads_back),
		cmocka_unit_test(test_the_difference_of_two_readings_has_none),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	scp_build_cleanup();
	return result;
}

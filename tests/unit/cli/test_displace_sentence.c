// SPDX-License-Identifier: GPL-3.0-or-later
/* What the result says in words, from made-up summaries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/displace/displace_command.h"

/* 2 s of CPU time, 8 s of the CPUs. */
static struct displacement_summary summary(double mean, double low, double high)
{
	return (struct displacement_summary){
		.uncharged = {mean, low, high},
		.accounting = {.rusage = 2},
		.all = {.wall = 8},
		.verdict = low > 0 ? DISPLACEMENT_UNCHARGED : DISPLACEMENT_ALL_CHARGED,
	};
}

static void test_a_bound_is_said_to_be_one(void **state)
{
	struct displacement_summary s = summary(0.05, 0.04, 1.06);
	char text[512];

	(void)state;
	s.bound = true;
	s.hidden = 1;
	displace_text_sentence(&s, text, sizeof(text));
	assert_non_null(strstr(text, "took at least 0.0400 s for the program"));
	assert_non_null(strstr(text, "0.0500 s were seen"));
	assert_non_null(strstr(text, "up to 53.0 %"));
	assert_non_null(strstr(text, "other tasks had the CPUs for 1.0000 s"));
	s = summary(0, -0.01, 1.01);
	s.bound = true;
	s.hidden = 1;
	displace_text_sentence(&s, text, sizeof(text));
	assert_non_null(strstr(text, "No uncharged time was seen, but other tasks had the CPUs"));
	assert_non_null(strstr(text, "50.5 %"));
}

static void test_without_others_there_are_two_limits(void **state)
{
	struct displacement_summary s = summary(0.05, 0.04, 0.06);
	char text[512];

	(void)state;
	displace_text_sentence(&s, text, sizeof(text));
	assert_null(strstr(text, "at least"));
	assert_non_null(strstr(text, "took 0.0500 s for the program"));
	s = summary(0, -0.01, 0.01);
	displace_text_sentence(&s, text, sizeof(text));
	assert_non_null(strstr(text, "No uncharged time was found"));
	s.verdict = DISPLACEMENT_NOTHING_SAID;
	s.bound = true;
	displace_text_sentence(&s, text, sizeof(text));
	assert_non_null(strstr(text, "Nothing can be said"));
}

/* perf's counter was beside the first run alone. */
static void test_task_clock_is_compared_with_its_own_run(void **state)
{
	struct displacement_run run[2] = {{.displacement = {3, 0.1, 30}},
					  {.displacement = {5, 0.1, 30}}};
	struct displacement_summary s = summary(0.05, 0.04, 0.06);
	char *command[] = {(char *)"true", NULL}, *text;
	struct displace_wishes wishes = {.command = command};
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	s.run = run;
	s.runs = 2;
	s.displacement = (struct displacement_interval){4, 3, 5};
	s.accounting.task_clock = 1.5;
	assert_int_equal(displace_text_print(out, &wishes, &s, NULL), 0);
	fclose(out);
	assert_non_null(strstr(text, "+1.5000 s  +100.00 %   of the first run"));
	assert_non_null(strstr(text, "+2.0000 s  +100.00 %   with the children"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_bound_is_said_to_be_one),
		cmocka_unit_test(test_without_others_there_are_two_limits),
		cmocka_unit_test(test_task_clock_is_compared_with_its_own_run),
	};

	return cmocka_run_group_tests_name("displace sentence", tests, NULL, NULL);
}

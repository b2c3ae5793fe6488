// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the threads' time went, behind a report of calls that did not end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/dump_text.h"
#include "profile/profile.h"

/* This process's time since `before` as that of a recording of a millisecond. */
static char *after(const struct dump_times *before)
{
	struct dump_thread thread = {.tid = getpid(), .state = 'S', .for_s = 1};
	struct dump d = {.pid = getpid(), .thread = &thread, .threads = 1, .names = profile_new()};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_true(d.names && out);
	dump_text_after(&d, before, 0.001, false, out);
	fclose(out);
	profile_free(d.names);
	return text;
}

static void burn(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

/* Attaching and reporting take time besides, in which threads run, too. */
static void shares_are_of_the_time_between_the_counts(void **state)
{
	struct dump_times before = dump_times(getpid());
	char *text;

	(void)state;
	assert_int_equal(before.threads, 1);
	burn(0.05);
	usleep(100000);
	text = after(&before);
	assert_non_null(strstr(text, "of the threads' time on CPU"));
	if (strstr(text, "  100.0 % of the threads' time on CPU") || strstr(text, " 0.0 % asleep"))
		fail_msg("it slept for most of the time: %s", text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_of_the_time_between_the_counts),
	};

	return cmocka_run_group_tests_name("dump in words", tests, NULL, NULL);
}

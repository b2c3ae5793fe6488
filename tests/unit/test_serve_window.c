// SPDX-License-Identifier: GPL-3.0-or-later
/* A window's profile is the difference of two readings, whatever becomes of the files in between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/place.h"
#include "serve/pprof_window.h"
static bool next_chapter(void *context, double seconds)
{
	struct place *x = context;

	(void)seconds;
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 25);
	unlink(place_path(x, "scprof.a.1.scp"));
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 7);
	agent_scan(&x->agent); /* the first file is gone for it */
	return true;
}

/* 15 calls of a process that ended meanwhile, 7 of one that began. */
static void a_window_is_the_difference(void **state)
{
	struct place *x = *state;
	struct window w;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.3.scp", 3, "/bin/a", 1000);
	place_look(x);
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, next_chapter, x),
			 WINDOW_DONE);
	assert_int_equal(w.profile->entries, 1);
	assert_int_equal(w.profile->entry[0].sums.calls, 22);
	assert_int_equal(w.profile->entry[0].sums.units, 22000);
	assert_int_equal(w.profile->entry[0].sums.bytes, 2200);
	assert_int_equal(w.left_out, 0);
	assert_int_equal(w.profile->process[0].end_mono_ns - w.profile->process[0].start_mono_ns,
			 2500000000);
	window_free(&w);
}

static bool cut_short(void *context, double seconds)
{
	struct place *x = context;

	(void)seconds;
	place_rewrite(x, "scprof.a.2.scp", 2, "/bin/a", 1030);
	return truncate(place_path(x, "scprof.a.1.scp"), 100) == 0;
}

static bool five_calls(void *context, double seconds)
{
	(void)seconds;
	place_rewrite(context, "scprof.a.2.scp", 2, "/bin/a", 1035);
	return true;
}

static bool cut_short_and_gone(void *context, double seconds)
{
	struct place *x = context;
	bool done = cut_short(context, seconds) && unlink(place_path(x, "scprof.a.1.scp")) == 0;

	agent_scan(&x->agent);
	return done;
}

/* 30 calls of one process; what the other had done before is not to be taken off them. */
static void a_window_with_a_file_that_breaks_is_none(void **state)
{
	struct place *x = *state;
	struct window w;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 1000);
	place_look(x);
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, cut_short, x),
			 WINDOW_UNREADABLE);
	window_free(&w);
	/* broken from the beginning, it is left out */
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, five_calls, x),
			 WINDOW_DONE);
	assert_int_equal(w.profile->entry[0].sums.calls, 5);
	assert_int_equal(w.left_out, 1);
	window_free(&w);
	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 11);
	place_look(x);
	assert_int_equal(
		window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 2.5, cut_short_and_gone, x),
		WINDOW_UNREADABLE);
	window_free(&w);
}

static bool one_begins(void *context, double seconds)
{
	struct place *x = context;

	(void)seconds;
	place_save(x, "scprof.a.3.scp", 3, "/bin/a", 9);
	return true;
}

/* Nobody has looked for new files since it began. */
static void a_window_finds_what_began_in_it(void **state)
{
	struct place *x = *state;
	struct window w;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	assert_int_equal(window_take(&w, &x->agent, NULL, SCP_CLOCK_NONE, 1, one_begins, x),
			 WINDOW_DONE);
	assert_int_equal(w.profile->entries, 1);
	assert_int_equal(w.profile->entry[0].sums.calls, 9);
	window_free(&w);
}

/* Copies leave some descriptors to others, and say that there are too few. */
static void a_window_says_that_descriptors_are_too_few(void **state)
{
	struct place *x = *state;
	struct rlimit before, few;
	struct window w;
	int lowest;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/bin/b", 10);
	place_look(x);
	lowest = dup(0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	/* free ones, but a quarter must be left */
	few.rlim_cur = (rlim_t)lowest + (rlim_t)lowest / 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(window_take(&w, &x->agent, "a", SCP_CLOCK_NONE, 0, NULL, NULL),
			 WINDOW_NO_DESCRIPTORS);
	window_free(&w);
	assert_int_equal(dup(0), lowest);
	close(lowest);
	few.rlim_cur = 2 * (rlim_t)lowest + 8;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(window_take(&w, &x->agent, NULL, SCP_CLOCK_NONE, 0, NULL, NULL),
			 WINDOW_DONE);
	window_free(&w);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_window_is_the_difference, place_begin, place_end),
		cmocka_unit_test_setup_teardown(a_window_with_a_file_that_breaks_is_none,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(a_window_finds_what_began_in_it, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(a_window_says_that_descriptors_are_too_few,
						place_begin, place_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

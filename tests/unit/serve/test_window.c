// SPDX-License-Identifier: GPL-3.0-or-later
/* A window's profile is the difference of two readings, whatever becomes of the files in between.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/place.h"
#include "report/serve/render/renderer.h"

/* As the agent and a renderer do it together. */
static enum rendering_result take(struct pprof_window *w, struct place *x, const char *service,
				  double seconds, void (*meanwhile)(struct place *x))
{
	struct snapshot first, last;
	enum rendering_result result;

	assert_int_equal(snapshot_take(&first, &x->agent, service, SCP_CLOCK_NONE), 0);
	result = pprof_window_begin(w, &first, true);
	assert_int_equal(result, RENDERING_DONE);
	meanwhile(x);
	agent_scan(&x->agent);
	assert_int_equal(snapshot_take(&last, &x->agent, service, first.clock), 0);
	result = pprof_window_end(w, &first, &last, seconds);
	snapshot_free(&first);
	snapshot_free(&last);
	return result;
}

static void next_chapter(struct place *x)
{
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 25);
	unlink(place_path(x, "scprof.a.1.scp"));
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 7);
	agent_scan(&x->agent); /* the first file is gone for it */
}

/* 15 calls of a process that ended meanwhile, 7 of one that began. */
static void a_window_is_the_difference(void **state)
{
	struct place *x = *state;
	struct pprof_window w;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.3.scp", 3, "/bin/a", 1000);
	place_look(x);
	assert_int_equal(take(&w, x, "a", 2.5, next_chapter), RENDERING_DONE);
	assert_int_equal(w.profile->entries, 1);
	assert_int_equal(w.profile->entry[0].sums.calls, 22);
	assert_int_equal(w.profile->entry[0].sums.units, 22000);
	assert_int_equal(w.profile->entry[0].sums.bytes, 2200);
	assert_int_equal(w.left_out, 0);
	assert_int_equal(w.profile->process[0].end_mono_ns - w.profile->process[0].start_mono_ns,
			 2500000000);
	pprof_window_free(&w);
}

static void cut_short(struct place *x)
{
	place_rewrite(x, "scprof.a.2.scp", 2, "/bin/a", 1030);
	assert_int_equal(truncate(place_path(x, "scprof.a.1.scp"), 100), 0);
}

static void five_calls(struct place *x)
{
	place_rewrite(x, "scprof.a.2.scp", 2, "/bin/a", 1035);
}

static void cut_short_and_gone(struct place *x)
{
	cut_short(x);
	assert_int_equal(unlink(place_path(x, "scprof.a.1.scp")), 0);
}

/* 30 calls of one process; what the other did before is not subtracted from them. */
static void a_window_with_a_file_that_breaks_is_none(void **state)
{
	struct place *x = *state;
	struct pprof_window w;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 1000);
	place_look(x);
	assert_int_equal(take(&w, x, "a", 2.5, cut_short), RENDERING_UNREADABLE);
	pprof_window_free(&w);
	/* broken from the beginning, it is left out */
	assert_int_equal(take(&w, x, "a", 2.5, five_calls), RENDERING_DONE);
	assert_int_equal(w.profile->entry[0].sums.calls, 5);
	assert_int_equal(w.left_out, 1);
	pprof_window_free(&w);
	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 11);
	place_look(x);
	assert_int_equal(take(&w, x, "a", 2.5, cut_short_and_gone), RENDERING_UNREADABLE);
	pprof_window_free(&w);
}

static void one_begins(struct place *x)
{
	place_save(x, "scprof.a.3.scp", 3, "/bin/a", 9);
}

/* Nobody has looked for new files since it began. */
static void a_window_finds_what_began_in_it(void **state)
{
	struct place *x = *state;
	struct pprof_window w;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	assert_int_equal(take(&w, x, NULL, 1, one_begins), RENDERING_DONE);
	assert_int_equal(w.profile->entries, 1);
	assert_int_equal(w.profile->entry[0].sums.calls, 9);
	pprof_window_free(&w);
}

/* And gives back those that it had. */
static void a_snapshot_says_that_descriptors_are_too_few(void **state)
{
	struct place *x = *state;
	struct rlimit before, few;
	struct snapshot s;
	int lowest;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/bin/b", 10);
	place_look(x);
	lowest = dup(0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)lowest + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(snapshot_take(&s, &x->agent, NULL, SCP_CLOCK_NONE), EMFILE);
	snapshot_free(&s);
	assert_int_equal(dup(0), lowest);
	close(lowest);
	few.rlim_cur = (rlim_t)lowest + 8;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(snapshot_take(&s, &x->agent, NULL, SCP_CLOCK_NONE), 0);
	snapshot_free(&s);
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
		cmocka_unit_test_setup_teardown(a_snapshot_says_that_descriptors_are_too_few,
						place_begin, place_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

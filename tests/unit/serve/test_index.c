// SPDX-License-Identifier: GPL-3.0-or-later
/* The page /: its table of processes in any order, and names as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/clocks/clocks_read.h"
#include "report/serve/pages/index.h"
#include "tests/unit/support/place.h"

static char *page_of(struct place *x, enum index_column column, bool reversed)
{
	struct index_order order = {column, reversed};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	/* as if they were of runs: finished profiles have a table of their own */
	for (struct source *s = x->agent.sources; s; s = s->hh.next)
		s->listed = false;
	assert_non_null(out);
	assert_int_equal(index_page_print(&x->agent, &order, out), 0);
	fclose(out);
	return text;
}

/* Of the rows of processes, which are before all services. */
static void expect_order(struct place *x, enum index_column column, bool reversed, const char *want)
{
	char *page = page_of(x, column, reversed), *at = strstr(page, "<table id=processes>"),
	     seen[8] = "";
	size_t count = 0;

	assert_non_null(at);
	*strstr(at, "</table>") = '\0';
	while ((at = strstr(at, "<tr><td><bdi class=name>")) && count < sizeof(seen) - 1) {
		at = strstr(at, "service=") + strlen("service=");
		seen[count++] = *at;
	}
	assert_string_equal(seen, want);
	free(page);
}

static void processes_come_in_any_order(void **state)
{
	struct place *x = *state;

	place_save(x, "scprof.a.1.scp", 30, "/bin/a", 10);
	place_save(x, "scprof.b.2.scp", 10, "/bin/b", 30);
	place_save(x, "scprof.c.3.scp", 20, "/bin/c", 20);
	place_look(x);
	expect_order(x, INDEX_PROGRAM, false, "abc");
	expect_order(x, INDEX_PROGRAM, true, "cba");
	expect_order(x, INDEX_CALLS, false, "bca");
	expect_order(x, INDEX_CALLS, true, "acb");
	expect_order(x, INDEX_PID, false, "acb");
	expect_order(x, INDEX_PID, true, "bca");
}

/* The clock was set by a day while they lived. */
static void how_long_a_process_lives_is_not_the_time_of_day(void **state)
{
	struct place *x = *state;
	uint64_t day = clocks_read_ns(CLOCK_REALTIME), now = clocks_read_ns(CLOCK_MONOTONIC_RAW);

	place_save(x, "scprof.a.1.scp", 30, "/bin/a", 10);
	place_save(x, "scprof.b.2.scp", 10, "/bin/b", 30);
	place_look(x);
	for (struct source *s = x->agent.sources; s; s = s->hh.next) {
		bool older = s->identity.pid == 30;

		s->alive = true;
		s->identity.start_mono_ns = now - (older ? 2 : 1) * SOURCE_SECOND_NS;
		s->identity.start_real_ns = day - (older ? 1 : 86400) * SOURCE_SECOND_NS;
	}
	expect_order(x, INDEX_WALL, false, "ab");
	expect_order(x, INDEX_WALL, true, "ba");
}

static void heads_say_the_order_and_lead_to_the_other(void **state)
{
	struct place *x = *state;
	char *page;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	page = page_of(x, INDEX_CALLS, false);
	assert_non_null(strstr(page, "aria-sort=descending><a href=\"/?sort=-calls\""));
	assert_non_null(strstr(page, "href=\"/?sort=program\""));
	free(page);
	page = page_of(x, INDEX_CALLS, true);
	assert_non_null(strstr(page, "aria-sort=ascending><a href=\"/?sort=calls\""));
	free(page);
}

static void names_are_text(void **state)
{
	struct place *x = *state;
	char *page;

	place_save(x, "scprof.a.1.scp", 1, "/bin/<img src=x>\"'&", 10);
	place_look(x);
	page = page_of(x, INDEX_PROGRAM, false);
	assert_null(strstr(page, "<img"));
	assert_non_null(strstr(page, "&lt;img src=x&gt;"));
	free(page);
}

static void what_recorded_nothing_has_no_row(void **state)
{
	struct place *x = *state;
	char *page;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.b.2.scp", 2, "/bin/b", 0);
	place_look(x);
	page = page_of(x, INDEX_PROGRAM, false);
	assert_non_null(strstr(page, "1 process ended without a recorded call."));
	assert_null(strstr(page, "<h2><bdi class=name>b</bdi>"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(processes_come_in_any_order, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(how_long_a_process_lives_is_not_the_time_of_day,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(heads_say_the_order_and_lead_to_the_other,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(names_are_text, place_begin, place_end),
		cmocka_unit_test_setup_teardown(what_recorded_nothing_has_no_row, place_begin,
						place_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

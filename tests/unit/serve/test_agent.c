// SPDX-License-Identifier: GPL-3.0-or-later
/* The agent's sums over files that grow, end, go away and are copied: they never go back, and
 * nothing is counted twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/clocks/clocks_read.h"
#include "profile/live/run_files.h"
#include "report/serve/pages/metrics.h"
#include "tests/unit/support/place.h"
static void sums_are_those_of_the_files(void **state)
{
	struct place *x = *state;
	const struct counters_row *row;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/opt/a", 30);
	place_save(x, "scprof.b.3.scp", 3, "/bin/b", 5);
	place_save(x, "else.scp", 4, "/bin/b", 1000);
	place_look(x);
	row = place_row(x, "a", "send");
	assert_non_null(row);
	assert_true(row->sums.calls == 40 && row->sums.bytes == 4000 && row->sums.ticks == 40000);
	assert_float_equal((double)row->sums.seconds, 40e-6, 1e-15);
	assert_float_equal((double)row->sums.square_seconds, 40e-12, 1e-20);
	assert_int_equal(place_calls(x, "b"), 5);
}

static void files_that_grow_are_added_once(void **state)
{
	struct place *x = *state;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 25);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 25);
}

/* What was written after the last reading counts, though the file is gone. */
static void what_is_gone_stays_in_the_sums(void **state)
{
	struct place *x = *state;
	struct gauges g;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 18);
	unlink(place_path(x, "scprof.a.1.scp"));
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 18);
	assert_int_equal(HASH_COUNT(x->agent.sources), 0);
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 4);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 22);
	assert_int_equal(gauges_build(&g, &x->agent), 0);
	assert_int_equal(g.count, 1);
	assert_int_equal(g.gauge[0].calls, 22); /* means are of the ended one, too */
	gauges_free(&g);
}

static void sums_never_go_back(void **state)
{
	struct place *x = *state;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 4);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
	assert_true(x->agent.faults[SOURCE_FAULT_BACKWARDS] > 0);
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 12);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 12);
	assert_int_equal(truncate(place_path(x, "scprof.a.1.scp"), 100), 0);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 12);
	assert_true(x->agent.faults[SOURCE_FAULT_CONTENT] > 0);
}

static void save_lossy(const struct place *x, const char *name, uint32_t pid, uint64_t skipped)
{
	struct scp_build b;

	place_build(&b, pid, "/bin/a", 1);
	scp_build_header(&b)->losses.skipped_calls = skipped;
	scp_build_save(&b, place_path(x, name));
	scp_build_free(&b);
}

/* For an agent that reads everybody's: 1000 calls that somebody else says were ours. */
static void nobody_speaks_as_a_service_of_ours(void **state)
{
	struct place *x = *state;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 1000);
	if (chown(place_path(x, "scprof.a.2.scp"), 65534, 65534))
		skip(); /* root's right */
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
	assert_int_equal(place_calls(x, "a@65534"), 1000);
}

/* Whatever two files say together: what comes after is added to it. */
static void no_file_makes_a_sum_wrap(void **state)
{
	struct place *x = *state;

	save_lossy(x, "scprof.a.1.scp", 1, UINT64_MAX);
	save_lossy(x, "scprof.a.2.scp", 2, UINT64_MAX);
	place_look(x);
	save_lossy(x, "scprof.a.3.scp", 3, 5);
	place_look(x);
	assert_true(x->agent.counters.services->lost[COUNTERS_SKIPPED] ==
		    2 * (prof_u128)UINT64_MAX + 5);
}

static void a_process_counts_once(void **state)
{
	struct place *x = *state;
	char command[300];

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	assert_int_equal(link(place_path(x, "scprof.a.1.scp"), place_path(x, "scprof.b.1.scp")), 0);
	snprintf(command, sizeof(command), "cp %s %s", place_path(x, "scprof.a.1.scp"),
		 place_path(x, "scprof.c.1.scp"));
	assert_int_equal(system(command), 0);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
	assert_int_equal(place_files(x, SOURCE_DUPLICATE), 2);
	/* and still, when the first of them is gone */
	unlink(place_path(x, "scprof.a.1.scp"));
	unlink(place_path(x, "scprof.b.1.scp"));
	place_look(x);
	snprintf(command, sizeof(command), "cp %s %s", place_path(x, "scprof.c.1.scp"),
		 place_path(x, "scprof.d.1.scp"));
	assert_int_equal(system(command), 0);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
}

static void of_a_copy_and_what_grows_that_is_counted(void **state)
{
	struct place *x = *state;

	/* a copy that is met first; and one that is made after the last look */
	place_save(x, "scprof.copy.scp", 1, "/bin/a", 10);
	place_look(x);
	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 12);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 12);
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 20);
	place_save(x, "scprof.later.scp", 1, "/bin/a", 19);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 20);
	place_rewrite(x, "scprof.a.1.scp", 1, "/bin/a", 30);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 30);
	assert_int_equal(place_files(x, SOURCE_DUPLICATE), 2);
	assert_int_equal(x->agent.counters.services->processes, 1);
}

static void merged_profiles_are_results(void **state)
{
	struct place *x = *state;
	struct profile *p = profile_new();
	struct profile_error err;

	place_save(x, "input.scp", 1, "/bin/a", 10);
	assert_int_equal(profile_add(p, place_path(x, "input.scp"), &err), 0);
	assert_int_equal(write_profile(p, place_path(x, "scprof.a.9.scp"), &err), 0);
	profile_free(p);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 0);
	assert_int_equal(place_files(x, SOURCE_MERGED), 2); /* the other one by its name */
}

/* It is the process's beginning that counts, not when its file was found or could be read. */
static void counts_from_now_if_told_to(void **state)
{
	struct place *x = *state;
	uint64_t start_ns;

	agent_close(&x->agent);
	assert_int_equal(place_begin_with(x, &(struct agent_options){.from_now = true}), 0);
	start_ns = x->agent.started_real_ns;
	place_save_begun(x, "scprof.a.1.scp", 1, start_ns - 1, 10);
	scp_build_save_bytes("rubbish", 7, place_path(x, "scprof.a.3.scp"));
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 0);
	place_save_begun(x, "scprof.a.1.scp", 1, start_ns - 1, 15);
	place_save_begun(x, "scprof.a.2.scp", 2, start_ns + 1, 100);
	place_save_begun(x, "scprof.a.3.scp", 3, start_ns - 1, 1000);
	place_save_begun(x, "scprof.a.4.scp", 4, start_ns - 1, 10000);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 105);
	place_save_begun(x, "scprof.a.3.scp", 3, start_ns - 1, 1001);
	place_save_begun(x, "scprof.a.4.scp", 4, start_ns - 1, 10001);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 107);
}

/* Since the agent began, the time of day was set back by an hour. */
static void what_is_new_is_told_by_a_clock_that_nobody_sets(void **state)
{
	struct place *x = *state;
	struct scp_build b;

	agent_close(&x->agent);
	assert_int_equal(place_begin_with(x, &(struct agent_options){.from_now = true}), 0);
	place_build(&b, (uint32_t)getpid(), "/bin/a", 10);
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	scp_build_header(&b)->process_start = run_files_process_start(getpid(), NULL);
	scp_build_header(&b)->start_mono_ns = clocks_read_ns(CLOCK_MONOTONIC_RAW);
	scp_build_header(&b)->start_real_ns = x->agent.started_real_ns - 3600 * SOURCE_SECOND_NS;
	scp_build_save(&b, place_path(x, "scprof.a.1.scp"));
	scp_build_free(&b);
	place_look(x);
	assert_int_equal(place_calls(x, "a"), 10);
}

static void prints_metrics_of_nothing(void **state)
{
	struct place *x = *state;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(metrics_print(&x->agent, true, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "# TYPE scprof_calls counter\n"));
	assert_string_equal(text + bytes - 6, "# EOF\n");
	free(text);
}

/* What a process did before the agent began has no time that is known: it is in no batch. */
static void readings_are_batches(void **state)
{
	struct place *x = *state;
	uint64_t start_ns = x->agent.started_real_ns;

	place_save_begun(x, "scprof.a.1.scp", 1, start_ns - 1, 1000);
	place_look(x);
	assert_true(place_row(x, "a", "send")->spread.waiting == 0);
	place_save_begun(x, "scprof.a.1.scp", 1, start_ns - 1, 1010);
	place_save_begun(x, "scprof.a.2.scp", 2, start_ns + 1, 5);
	place_look(x);
	assert_true(place_row(x, "a", "send")->spread.waiting == 15);
	place_save_begun(x, "scprof.a.2.scp", 2, start_ns + 1, 8);
	place_look(x);
	assert_true(place_row(x, "a", "send")->spread.batches == 1);
	place_look(x);
	assert_true(place_row(x, "a", "send")->spread.batches == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_are_those_of_the_files, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(files_that_grow_are_added_once, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(what_is_gone_stays_in_the_sums, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(sums_never_go_back, place_begin, place_end),
		cmocka_unit_test_setup_teardown(nobody_speaks_as_a_service_of_ours, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(no_file_makes_a_sum_wrap, place_begin, place_end),
		cmocka_unit_test_setup_teardown(a_process_counts_once, place_begin, place_end),
		cmocka_unit_test_setup_teardown(of_a_copy_and_what_grows_that_is_counted,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(merged_profiles_are_results, place_begin,
						place_end),
		cmocka_unit_test_setup_teardown(counts_from_now_if_told_to, place_begin, place_end),
		cmocka_unit_test_setup_teardown(what_is_new_is_told_by_a_clock_that_nobody_sets,
						place_begin, place_end),
		cmocka_unit_test_setup_teardown(prints_metrics_of_nothing, place_begin, place_end),
		cmocka_unit_test_setup_teardown(readings_are_batches, place_begin, place_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

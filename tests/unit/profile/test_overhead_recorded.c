// SPDX-License-Identifier: GPL-3.0-or-later
/* What the library measures of itself is in the profile, where and when it should be,
 * and leaves no other trace. How large it is, is for tests/bench/overhead.py to say. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "profile/profile.h"

#define FILES_MOST 4

static char directory[64];

static int make_directory(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/scprof-overhead.XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

/* Remove what lies in the directory; the names it had in `path` (FILES_MOST of 128), if not NULL.
 */
static int for_files(char (*path)[128], bool remove_them)
{
	DIR *d = opendir(directory);
	int count = 0;

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		char name[400];

		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", directory, e->d_name);
		if (remove_them)
			unlink(name);
		else if (count < FILES_MOST)
			snprintf(path[count], sizeof *path, "%.127s", name);
		count++;
	}
	if (d)
		closedir(d);
	return count;
}

static int remove_directory(void **state)
{
	char expected[128];

	(void)state;
	for_files(NULL, true);
	snprintf(expected, sizeof expected, "%s.expect", directory);
	unlink(expected);
	return rmdir(directory);
}

/* Run the program; its profiles are all that lies in the directory. Returns how many. */
static int run(const char *clock, const char *how, char (*path)[128])
{
	char preload[256], out[128], name[64], expect[160];
	char *argv[] = {PROGRAM, (char *)(uintptr_t)how, NULL};
	char *environment[] = {preload, out, name, expect, NULL};
	int status = -1;
	pid_t pid;

	for_files(NULL, true);
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s", LIBRARY);
	snprintf(out, sizeof out, "SCPROF_OUT=%s", directory);
	snprintf(name, sizeof name, "SCPROF_CLOCK=%s", clock);
	snprintf(expect, sizeof expect, "EXPECT=%s.expect", directory);
	assert_int_equal(posix_spawn(&pid, PROGRAM, NULL, NULL, argv, environment), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		fail_msg("%s %s: status %#x", clock, how, status);
	return for_files(path, false);
}

static struct profile *open_one(const char *path)
{
	struct profile_error err;
	struct profile *p = profile_open(&path, 1, &err);

	if (!p)
		fail_msg("%s", err.text);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	return p;
}

static uint64_t calls_in(const struct profile *p)
{
	uint64_t calls = p->losses.skipped_calls + p->losses.overflow_calls;

	for (uint32_t i = 0; i < p->entries; i++) {
		assert_string_equal(p->function[p->entry[i].function].name, "send");
		calls += p->entry[i].sums.calls;
	}
	return calls;
}

static void expect_no_trace(const struct profile *p)
{
	assert_int_equal(p->losses.abandoned_calls, 0);
	assert_int_equal(p->losses.memo_flushes, 0);
	assert_int_equal(p->losses.overflow_gaps, 0);
	for (uint32_t i = 0; i < p->tables; i++)
		assert_int_equal(p->table[i].call_units - p->table[i].nested_units +
					 p->table[i].gap_units + p->table[i].recording_units,
				 p->table[i].time_units);
}

static void test_every_clock_is_measured_at_both_ends(void **state)
{
	static const char *const clocks[] = {"tsc", "coarse", "monotonic", "thread-cpu", "dual"};
	char path[FILES_MOST][128];

	(void)state;
	for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
		struct profile *p;
		const struct prof_overhead *o;

		assert_int_equal(run(clocks[i], "exit", path), 1);
		p = open_one(path[0]);
		o = &p->clock.overhead;
		if (o->measurements != 2)
			fail_msg("%s: %u measurements", clocks[i], o->measurements);
		/* what is measured has an error, and what is not has none */
		for (int k = 0; k < 2; k++)
			if (!(o->cost[k].inside_error_ns > 0) || !(o->cost[k].outside_error_ns > 0))
				fail_msg("%s: nothing measured", clocks[i]);
		if (!strcmp(clocks[i], "dual")) {
			assert_int_equal(p->slow.overhead.measurements, 2);
			assert_true(p->slow.overhead.cost[0].inside_error_ns > 0);
			assert_true(p->slow.overhead.cost[1].inside_error_ns > 0);
		} else {
			assert_int_equal(p->slow.overhead.measurements, 0);
		}
		assert_int_equal(calls_in(p), 100);
		expect_no_trace(p);
		profile_free(p);
	}
}

static void expect_first_only(const char *how)
{
	char path[FILES_MOST][128];
	struct profile *p;

	assert_int_equal(run("tsc", how, path), 1);
	p = open_one(path[0]);
	assert_int_equal(p->clock.overhead.measurements, 1);
	assert_int_equal(calls_in(p), 100);
	expect_no_trace(p);
	profile_free(p);
}

static void test_other_ends_are_not_delayed(void **state)
{
	(void)state;
	expect_first_only("quick");
}

static void test_no_system_call_is_made_in_a_sandbox(void **state)
{
	(void)state;
	expect_first_only("sandbox");
}

static void test_a_forbidden_counter_is_not_read(void **state)
{
#ifdef __x86_64__
	(void)state;
	expect_first_only("no-tsc");
#else
	(void)state;
	skip();
#endif
}

static void test_a_forked_child_has_its_parents_measurement(void **state)
{
	char path[FILES_MOST][128];
	struct profile *p, *q;

	(void)state;
	assert_int_equal(run("tsc", "fork", path), 2);
	p = open_one(path[0]);
	q = open_one(path[1]);
	assert_int_equal(p->clock.overhead.measurements, 1);
	assert_int_equal(q->clock.overhead.measurements, 1);
	assert_memory_equal(p->clock.overhead.cost, q->clock.overhead.cost,
			    sizeof p->clock.overhead.cost);
	assert_true(p->process[0].pid != q->process[0].pid);
	profile_free(p);
	profile_free(q);
}

/* A handler's call that came during the measurement would be lost, were it not held. */
static void test_handlers_calls_are_not_taken_for_ours(void **state)
{
	char path[FILES_MOST][128], line[64], expected[128];
	uint64_t calls = 0;
	unsigned long made = 0;
	FILE *f;
	int files;

	(void)state;
	snprintf(expected, sizeof expected, "%s.expect", directory);
	unlink(expected);
	files = run("tsc", "timer", path);
	f = fopen(expected, "re");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	fclose(f);
	unlink(expected);
	assert_int_equal(sscanf(line, "send %lu", &made), 1);
	assert_true(made > 10);
	for (int i = 0; i < files; i++) {
		struct profile *p = open_one(path[i]);

		calls += calls_in(p);
		expect_no_trace(p);
		profile_free(p);
	}
	assert_int_equal(calls, made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_clock_is_measured_at_both_ends),
		cmocka_unit_test(test_other_ends_are_not_delayed),
		cmocka_unit_test(test_no_system_call_is_made_in_a_sandbox),
		cmocka_unit_test(test_a_forbidden_counter_is_not_read),
		cmocka_unit_test(test_a_forked_child_has_its_parents_measurement),
		cmocka_unit_test(test_handlers_calls_are_not_taken_for_ours),
	};

	return cmocka_run_group_tests_name("overhead as recorded", tests, make_directory,
					   remove_directory);
}

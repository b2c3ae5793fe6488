// SPDX-License-Identifier: GPL-3.0-or-later
/* Counts read while a file is written: they belong to the windows at whose edges they were
 * read, and to the entry that they are of. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/scp_build.h"
#include "collector/displacement/sites/site_samples.h"

static uint64_t count_at[3]; /* in the file, of entry i + 1 */

/* Entries 2, 1 and 3 in that order: the order of the file is not that of the ids. */
static void save(const char *path)
{
	static const uint32_t id[] = {2, 1, 3};
	uint64_t frame[1] = {SCP_FRAME(0, 0, 0x1234)};
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "x");
	scp_build_path(&b, 1, frame, 1);
	for (size_t i = 0; i < 3; i++)
		count_at[id[i] - 1] = offsetof(struct scp_entry, calls) +
				      scp_build_offset(&b, scp_build_entry(&b, id[i], 1, 1, 0));
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->pid = (uint32_t)getpid();
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void set_calls(const char *path, uint32_t id, uint64_t calls)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0 && pwrite(fd, &calls, sizeof calls, (off_t)count_at[id - 1]) ==
				       (ssize_t)sizeof calls);
	close(fd);
}

static size_t of_id(const struct site_samples *s, uint32_t id)
{
	size_t missed, n = site_samples_entries(s, &missed);

	for (size_t i = 0; i < n; i++)
		if (site_samples_entry(s, i).ordinal == id - 1)
			return i;
	fail_msg("entry %u is not there", id);
	return 0;
}

static void test_calls_belong_to_their_windows(void **state)
{
	char path[256], directory[256];
	struct site_samples *s;
	struct site_reading r;
	cpu_set_t cpus;
	size_t missed;

	(void)state;
	snprintf(path, sizeof(path), "%s", scp_build_name("scprof.x.1.scp"));
	snprintf(directory, sizeof(directory), "%s", path);
	*strrchr(directory, '/') = '\0';
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	s = site_samples_open(directory, &cpus);
	assert_non_null(s);
	/* a tick and an edge before there is anything */
	site_samples_tick(s, 0.99);
	site_samples_edge(s, 0, 4);
	save(path);
	site_samples_tick(s, 1.0);
	site_samples_edge(s, 0, 5);
	set_calls(path, 1, 10);
	set_calls(path, 3, 7);
	site_samples_edge(s, 0, 6);
	set_calls(path, 1, 30);
	site_samples_tick(s, 1.01);
	site_samples_edge(s, 0, 7);
	site_samples_end(s);
	set_calls(path, 1, 99);
	site_samples_edge(s, 0, 8);

	assert_int_equal(site_samples_entries(s, &missed), 3);
	assert_int_equal(missed, 0);
	assert_int_equal(site_samples_entry(s, 0).of, 3);
	assert_string_equal(site_samples_entry(s, 0).file, "scprof.x.1.scp");
	assert_int_equal(site_samples_readings(s, 0), 3);
	r = site_samples_reading(s, 0, 0);
	assert_int_equal(r.window, 5);
	assert_int_equal(r.entries, 3);
	r = site_samples_reading(s, 0, 1);
	assert_int_equal(r.window, 6);
	assert_int_equal(r.calls[of_id(s, 1)], 10);
	assert_int_equal(r.calls[of_id(s, 2)], 0);
	assert_int_equal(r.calls[of_id(s, 3)], 7);
	assert_true(isnan(r.program));
	r = site_samples_reading(s, 0, 2);
	assert_int_equal(r.calls[of_id(s, 1)], 20);
	assert_int_equal(r.calls[of_id(s, 3)], 0);
	/* ticks have counts of their own */
	assert_int_equal(site_samples_readings(s, 1), 3);
	r = site_samples_reading(s, 1, 1);
	assert_true(r.incomplete);
	r = site_samples_reading(s, 1, 2);
	assert_true(r.at > 1.009 && r.at < 1.011 && !r.incomplete && r.program > 0);
	assert_int_equal(r.calls[of_id(s, 1)], 30);
	site_samples_close(s);
}

/* A count that goes back is no count: a file that was damaged, or replaced. */
static void test_counts_never_go_back(void **state)
{
	char path[256], directory[256];
	struct site_samples *s;
	cpu_set_t cpus;

	(void)state;
	snprintf(path, sizeof(path), "%s", scp_build_name("scprof.y.1.scp"));
	snprintf(directory, sizeof(directory), "%s", path);
	*strrchr(directory, '/') = '\0';
	unlink(scp_build_name("scprof.x.1.scp"));
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	save(path);
	s = site_samples_open(directory, &cpus);
	set_calls(path, 1, 50);
	site_samples_tick(s, 1);
	set_calls(path, 1, 20);
	site_samples_tick(s, 2);
	set_calls(path, 1, 60);
	site_samples_tick(s, 3);
	site_samples_end(s);
	assert_int_equal(site_samples_reading(s, 1, 1).calls[of_id(s, 1)], 0);
	assert_int_equal(site_samples_reading(s, 1, 2).calls[of_id(s, 1)], 10);
	site_samples_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_belong_to_their_windows),
		cmocka_unit_test(test_counts_never_go_back),
	};

	return cmocka_run_group_tests_name("site_samples", tests, NULL, NULL);
}

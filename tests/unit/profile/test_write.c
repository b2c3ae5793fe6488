// SPDX-License-Identifier: GPL-3.0-or-later
/* What is written reads back as the same model; a failed write leaves nothing. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/path_file.h"
#include "tests/unit/support/scp_build.h"

static struct profile *read_one(const char *path)
{
	struct profile_error err;
	struct profile *p = profile_open(&path, 1, &err);

	if (!p)
		fail_msg("%s", err.text);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	return p;
}

static void write_one(const struct profile *p, const char *path)
{
	struct profile_error err;

	if (write_profile(p, path, &err))
		fail_msg("%s", err.text);
}

static void save_sample(const char *path, void (*change)(struct scp_build *, struct scp_sample *))
{
	struct scp_build b;
	struct scp_sample s;

	scp_build_sample(&b, &s);
	if (change)
		change(&b, &s);
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void expect_round_trip(const struct profile *p)
{
	const char *path = scp_build_name("merged.scp"), *again = scp_build_name("again.scp");
	struct profile *q, *r;

	write_one(p, path);
	q = read_one(path);
	if (model_difference(p, q))
		fail_msg("after one trip: %s", model_difference(p, q));
	assert_true(q->flags & SCP_FILE_MERGED);
	write_one(q, again);
	r = read_one(again);
	if (model_difference(p, r))
		fail_msg("after two trips: %s", model_difference(p, r));
	profile_free(q);
	profile_free(r);
}

static void make_torn(struct scp_build *b, struct scp_sample *s)
{
	((struct scp_entry *)(void *)(b->bytes + s->entry))->seq = 1;
}

static void make_tsc(struct scp_build *b, struct scp_sample *s)
{
	struct scp_clock *c = &scp_build_header(b)->clock;

	(void)s;
	c->kind = SCP_CLOCK_TSC;
	c->unit_ps = 0;
	c->first = (struct scp_anchor){987654321, 1000, 31};
	c->last = (struct scp_anchor){987654321 + 7654321987u, 1000 + 3061728795u, 33};
}

static void test_one_file_round_trips(void **state)
{
	const char *path = scp_build_name("one.scp");
	struct profile *p;

	(void)state;
	save_sample(path, NULL);
	p = read_one(path);
	expect_round_trip(p);
	profile_free(p);
}

static void test_two_files_with_a_counter_and_a_torn_entry_round_trip(void **state)
{
	const char *one = scp_build_name("one.scp");
	struct profile_error err;
	struct profile *p;

	(void)state;
	save_sample(one, make_tsc);
	p = read_one(one);
	assert_float_equal(p->clock.ns_per_unit, 3061728795.0 / 7654321987.0, 1e-15);
	assert_float_equal(p->clock.rate_error, 64 / 3061728795.0, 1e-15);
	save_sample(one, make_torn);
	assert_int_equal(profile_add(p, one, &err), -1);
	assert_non_null(strstr(err.text, "\"monotonic\""));
	profile_free(p);
	p = read_one(one);
	assert_int_equal(profile_add(p, one, &err), 0);
	assert_int_equal(p->torn_entries, 2);
	expect_round_trip(p);
	profile_free(p);
	save_sample(one, make_tsc);
	p = read_one(one);
	expect_round_trip(p);
	profile_free(p);
}

static void test_table_time_check_survives(void **state)
{
	const char *path = scp_build_name("one.scp"), *merged = scp_build_name("merged.scp");
	struct profile *p, *q;

	(void)state;
	save_sample(path, NULL);
	p = read_one(path);
	write_one(p, merged);
	q = read_one(merged);
	assert_int_equal(q->table[0].call_units - q->table[0].nested_units + q->table[0].gap_units +
				 q->table[0].recording_units,
			 q->table[0].time_units);
	profile_free(p);
	profile_free(q);
}

static unsigned files_in_directory(const char *path)
{
	char directory[192];
	struct dirent *e;
	unsigned n = 0;
	DIR *d;

	snprintf(directory, sizeof directory, "%s", path);
	*strrchr(directory, '/') = 0;
	d = opendir(directory);
	assert_non_null(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void test_a_full_disk_leaves_nothing_behind(void **state)
{
	const char *path = scp_build_name("one.scp"), *target = scp_build_name("full.scp");
	struct rlimit old, tight = {9000, 9000};
	struct profile_error err;
	struct profile *p;
	unsigned before;

	(void)state;
	save_sample(path, NULL);
	p = read_one(path);
	before = files_in_directory(target);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	tight.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &tight);
	assert_int_equal(write_profile(p, target, &err), -1);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_non_null(strstr(err.text, "No file was made"));
	assert_int_equal(files_in_directory(target), before);
	profile_free(p);
}

static void test_what_is_no_file_is_not_replaced(void **state)
{
	const char *path = scp_build_name("one.scp"), *link = scp_build_name("link.scp");
	struct profile_error err;
	struct profile *p;
	struct stat st;

	(void)state;
	save_sample(path, NULL);
	p = read_one(path);
	assert_int_equal(symlink("/dev/null", link), 0);
	assert_int_equal(write_profile(p, link, &err), -1);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(write_profile(p, "/nonexistent/x.scp", &err), -1);
	profile_free(p);
}

static void test_the_file_is_private_and_replaces_an_old_one(void **state)
{
	const char *path = scp_build_name("one.scp");
	struct profile *p;
	struct stat st;

	(void)state;
	save_sample(path, NULL);
	chmod(path, 0644);
	p = read_one(path);
	write_one(p, path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	profile_free(p);
}

static void test_an_empty_model_is_not_written(void **state)
{
	struct profile *p = profile_new();
	struct profile_error err;

	(void)state;
	assert_int_equal(write_profile(p, scp_build_name("never.scp"), &err), -1);
	profile_free(p);
}

/* It is written in several pieces; the sizes at its beginning are known at its end. */
static void test_a_large_model_round_trips(void **state)
{
	const uint32_t entries = 4000;
	struct profile *p, *q;
	struct scp_build b;
	struct stat st;

	(void)state;
	path_file_begin(&b);
	for (uint32_t i = 1; i <= entries; i++) {
		uint64_t frame = SCP_FRAME(1, 0, i);

		path_file_path(&b, i, 0, 0, 1, &frame);
		path_file_entry(&b, i, i, 100 + i);
	}
	p = path_file_read_one(path_file_finish(&b, "large.scp"));
	q = path_file_read_again(p);
	assert_null(model_difference(p, q));
	assert_int_equal(q->entries, entries);
	assert_int_equal(stat(scp_build_name("written.scp"), &st), 0);
	assert_true(st.st_size > 1000000);
	profile_free(p);
	profile_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_file_round_trips),
		cmocka_unit_test(test_two_files_with_a_counter_and_a_torn_entry_round_trip),
		cmocka_unit_test(test_table_time_check_survives),
		cmocka_unit_test(test_a_full_disk_leaves_nothing_behind),
		cmocka_unit_test(test_what_is_no_file_is_not_replaced),
		cmocka_unit_test(test_the_file_is_private_and_replaces_an_old_one),
		cmocka_unit_test(test_an_empty_model_is_not_written),
		cmocka_unit_test(test_a_large_model_round_trips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

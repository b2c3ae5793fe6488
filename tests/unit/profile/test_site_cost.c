// SPDX-License-Identifier: GPL-3.0-or-later
/* Costs of sites in a profile: read, written, refused where no regression gives them; and
 * the counts of a file that is being written. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "tests/unit/support/scp_build.h"
#include "profile/live/live.h"

static const struct scp_site_cost sound = {
	.entry = 1,
	.state = SCP_SITE_COST_KNOWN,
	.run = 1234567890123,
	.group = 3,
	.spans = 250,
	.kept_ppm = 912345,
	.inflation_ppk = 1250,
	.uncharged_ps = -1234567,
	.uncharged_error_ps = 2345678,
	.true_ps = 9876543210,
	.true_error_ps = 87654,
	.uncharged_freedom_ppk = 15250,
	.true_freedom_ppk = 16000,
	.busy_ppm = 43210,
};

/* A file with two entries, the first with `cost`. */
static void save(const char *path, const struct scp_site_cost *cost)
{
	uint64_t frame[2] = {SCP_FRAME(1, 0, 0x1234), SCP_FRAME(1, 0, 0x2345)};
	struct scp_build b;

	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_module(&b, 1, "/bin/x");
	scp_build_function(&b, 1, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "x");
	scp_build_path(&b, 1, frame, 2);
	scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED)->calls = 10;
	scp_build_entry(&b, 2, 1, 1, SCP_ERROR)->calls = 20;
	if (cost) {
		struct scp_site_cost *c = scp_build_record(&b, SCP_REC_SITE_COST, sizeof *c);
		struct scp_record rec = c->rec;

		*c = *cost;
		c->rec = rec;
	}
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->end_state = SCP_END_EXIT;
	scp_build_save(&b, path);
	scp_build_free(&b);
}

static void check(const struct profile *p)
{
	const struct prof_site_cost *c = site_cost_find(p, 0);

	assert_int_equal(p->entries, 2);
	assert_non_null(c);
	assert_int_equal(c->state, SCP_SITE_COST_KNOWN);
	assert_int_equal(c->run, sound.run);
	assert_int_equal(c->group, 3);
	assert_int_equal(c->spans, 250);
	assert_true(fabs(c->kept - 0.912345) < 1e-9 && fabs(c->busy - 0.04321) < 1e-9);
	assert_true(fabs(c->inflation - 1.25) < 1e-9);
	assert_true(fabs(c->uncharged.ns + 1234.567) < 1e-6);
	assert_true(fabs(c->uncharged.error_ns - 2345.678) < 1e-6);
	assert_true(fabs(c->uncharged.freedom - 15.25) < 1e-9);
	assert_true(fabs(c->true_cost.ns - 9876543.210) < 1e-3);
	assert_true(fabs(c->true_cost.error_ns - 87.654) < 1e-6);
	assert_null(site_cost_find(p, 1));
}

static void test_costs_are_read_and_written(void **state)
{
	const char *path = scp_build_name("a.scp"), *copy = scp_build_name("b.scp");
	struct profile_error err;
	struct profile *p = profile_new(), *q = profile_new();

	(void)state;
	save(path, &sound);
	assert_int_equal(profile_add(p, path, &err), 0);
	check(p);
	assert_int_equal(write_profile(p, copy, &err), 0);
	assert_int_equal(profile_add(q, copy, &err), 0);
	check(q);
	profile_free(p);
	profile_free(q);
}

static void test_folding_keeps_a_cost(void **state)
{
	const char *path = scp_build_name("a.scp"), *plain = scp_build_name("b.scp");
	struct profile_error err;
	struct profile *p = profile_new();

	(void)state;
	save(plain, NULL);
	save(path, &sound);
	assert_int_equal(profile_add(p, plain, &err), 0);
	assert_int_equal(profile_add(p, path, &err), 0);
	fold_model(p, 1);
	check(p);
	profile_free(p);
}

static void refused(const struct scp_site_cost *cost)
{
	const char *path = scp_build_name("a.scp");
	struct profile *p = profile_new();
	struct profile_error err;

	save(path, cost);
	assert_int_equal(profile_add(p, path, &err), -1);
	assert_non_null(strstr(err.text, "damaged"));
	profile_free(p);
}

static void test_what_no_regression_gives_is_refused(void **state)
{
	struct scp_site_cost c;

	(void)state;
#define REFUSED(field, value) (c = sound, c.field = (value), refused(&c))
	REFUSED(state, 0);
	REFUSED(state, SCP_SITE_COST_FEW + 1);
	REFUSED(group, 0);
	REFUSED(entry, 3);
	REFUSED(kept_ppm, 1000001);
	REFUSED(busy_ppm, 1000001);
	REFUSED(uncharged_ps, SCP_SITE_COST_MAX_PS + 1);
	REFUSED(true_ps, -SCP_SITE_COST_MAX_PS - 1);
	REFUSED(true_error_ps, -1);
	REFUSED(uncharged_freedom_ppk, 0);
#undef REFUSED
}

/* Values of a site without a number are nobody's business. */
static void test_a_site_without_a_number_has_none(void **state)
{
	const char *path = scp_build_name("a.scp"), *copy = scp_build_name("b.scp");
	struct scp_site_cost c = {.entry = 2, .state = SCP_SITE_COST_RARE, .group = 1};
	struct profile *p = profile_new(), *q = profile_new();
	struct profile_error err;

	(void)state;
	save(path, &c);
	assert_int_equal(profile_add(p, path, &err), 0);
	assert_non_null(site_cost_find(p, 1));
	assert_int_equal(site_cost_find(p, 1)->state, SCP_SITE_COST_RARE);
	assert_int_equal(write_profile(p, copy, &err), 0);
	assert_int_equal(profile_add(q, copy, &err), 0);
	assert_non_null(site_cost_find(q, 1));
	assert_int_equal(site_cost_find(q, 1)->state, SCP_SITE_COST_RARE);
	profile_free(p);
	profile_free(q);
}

/* ---- watching ---- */

static void put(const char *path, uint64_t at, const void *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0 && pwrite(fd, bytes, count, (off_t)at) == (ssize_t)count);
	close(fd);
}

static void test_entries_are_found_when_they_are_complete(void **state)
{
	const char *path = scp_build_name("a.scp");
	uint64_t frame[1] = {SCP_FRAME(0, 0, 0x1234)}, chunk, first, calls = 41;
	struct scp_chunk *c;
	struct scp_build b;
	struct watch w;

	(void)state;
	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	chunk = scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 7);
	scp_build_table(&b, 7, "x");
	scp_build_path(&b, 1, frame, 1);
	first = scp_build_offset(&b, scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED));
	scp_build_entry(&b, 2, 1, 1, SCP_ERROR)->calls = 5;
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	/* the writer has yet to say that the second entry is complete */
	c = (struct scp_chunk *)(void *)(b.bytes + chunk);
	c->used -= sizeof(struct scp_entry);
	scp_build_save(&b, path);
	assert_int_equal(entry_watch_open(&w, path), 0);
	assert_int_equal(entry_watch_look(&w), 0);
	assert_int_equal(w.entries, 1);
	assert_int_equal(w.entry[0].table, 7);
	assert_int_equal(w.entry[0].id, 1);
	assert_int_equal(entry_watch_calls(w.fd, w.entry[0].at), 0);
	put(path, first + offsetof(struct scp_entry, calls), &calls, sizeof calls);
	assert_int_equal(entry_watch_calls(w.fd, w.entry[0].at), 41);
	c->used += sizeof(struct scp_entry);
	put(path, chunk, c, sizeof *c);
	assert_int_equal(entry_watch_look(&w), 0);
	assert_int_equal(w.entries, 2);
	assert_int_equal(w.entry[1].id, 2);
	assert_int_equal(entry_watch_calls(w.fd, w.entry[1].at), 5);
	assert_int_equal(entry_watch_look(&w), 0);
	assert_int_equal(w.entries, 2);
	entry_watch_close(&w);
	scp_build_free(&b);
}

/* Nothing is found in what does not fit, and nothing is read beyond a file that was cut. */
static void test_damage_is_not_watched(void **state)
{
	const char *path = scp_build_name("a.scp");
	uint32_t bytes = 64 * 1000;
	struct scp_sample s;
	struct scp_build b;
	struct watch w;

	(void)state;
	scp_build_sample(&b, &s);
	scp_build_save(&b, path);
	assert_int_equal(entry_watch_open(&w, path), 0);
	assert_int_equal(entry_watch_look(&w), 0);
	assert_true(w.entries >= 2);
	assert_int_equal(truncate(path, SCP_HEADER_BYTES), 0);
	assert_true(entry_watch_calls(w.fd, w.entry[0].at) == UINT64_MAX);
	assert_int_equal(entry_watch_look(&w), 0);
	entry_watch_close(&w);

	scp_build_save(&b, path);
	put(path, s.table + offsetof(struct scp_record, bytes), &bytes, sizeof bytes);
	assert_int_equal(entry_watch_open(&w, path), 0);
	assert_int_equal(entry_watch_look(&w), 0);
	for (size_t i = 0; i < w.entries; i++)
		assert_int_not_equal(w.entry[i].table, 1);
	entry_watch_close(&w);
	assert_int_equal(entry_watch_open(&w, "/dev/null"), -1);
	assert_int_equal(entry_watch_open(&w, "/nonexistent"), -1);
	scp_build_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs_are_read_and_written),
		cmocka_unit_test(test_folding_keeps_a_cost),
		cmocka_unit_test(test_what_no_regression_gives_is_refused),
		cmocka_unit_test(test_a_site_without_a_number_has_none),
		cmocka_unit_test(test_entries_are_found_when_they_are_complete),
		cmocka_unit_test(test_damage_is_not_watched),
	};

	return cmocka_run_group_tests_name("site_cost", tests, NULL, NULL);
}

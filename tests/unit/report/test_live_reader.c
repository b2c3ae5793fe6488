// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reader of live profiles does with files that go, come, are many, or are none; and what
 * --until says of two sites of which one is not known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/live/live_rows.h"
#include "tests/unit/support/scp_build.h"

static void add_entry(struct scp_build *b, uint32_t id, uint64_t calls, uint64_t each)
{
	struct scp_entry *e = scp_build_entry(b, id, 1, id, SCP_COMPLETED);

	e->calls = calls;
	e->units = calls * each;
	e->min_units = e->max_units = each;
	e->units_sq_lo = calls * each * each;
	if (calls < 2)
		return;
	e->min_units -= 100;
	e->max_units += 100;
	e->units_sq_lo += calls * 100 * 100;
}

/* recv was called so often, and send. */
static void save(const char *name, uint64_t recv, uint64_t recv_each, uint64_t send,
		 uint64_t send_each)
{
	const uint64_t frame = SCP_FRAME(0, 0, 0x10);
	struct scp_build b;

	scp_build_begin_room(&b, 1u << 17);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	scp_build_function(&b, 2, "send", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "main");
	scp_build_path(&b, 1, &frame, 1);
	add_entry(&b, 1, recv, recv_each);
	add_entry(&b, 2, send, send_each);
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_save(&b, scp_build_name(name));
	scp_build_free(&b);
}

static int begin(struct live_reader *f, struct profile_error *err)
{
	struct target t = {.kind = TARGET_RUN};

	snprintf(t.path, sizeof(t.path), "%s", scp_build_name(""));
	return live_reader_open(f, &t, REPORT_BY_PATH, err);
}

static uint64_t calls_of(const struct live_reader *f)
{
	struct rows rows = {.confidence = 0.95};

	assert_int_equal(live_rows_update(&rows, f), 0);
	live_rows_free(&rows);
	return rows.calls;
}

static struct live_reader reader;

static void a_profile_without_its_name_stays_beside_new_ones(void **state)
{
	struct profile_error err;

	(void)state;
	save("scprof.a.1.scp", 10, 500, 10, 500);
	assert_int_equal(begin(&reader, &err), 0);
	reader.held = true;
	unlink(scp_build_name("scprof.a.1.scp"));
	save("scprof.b.2.scp", 7, 500, 7, 500);
	reader.next_find = reader.next_model = 0;
	assert_int_equal(live_reader_refresh(&reader), 0);
	assert_int_equal(reader.files, 2);
	assert_int_equal(calls_of(&reader), 34);
	live_reader_close(&reader);
	scp_build_cleanup();
}

#define FILES 40

static void as_many_are_read_as_the_hard_limit_allows(void **state)
{
	struct rlimit before, few;
	struct profile_error err;
	char name[32];

	(void)state;
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "scprof.a.%d.scp", i + 1);
		save(name, 1, 500, 1, 500);
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){FILES / 2, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(begin(&reader, &err), 0);
	assert_int_equal(reader.files, FILES);
	assert_int_equal(reader.refused, 0);
	live_reader_close(&reader);
	setrlimit(RLIMIT_NOFILE, &before);
	scp_build_cleanup();
}

static void lines_of_a_complaint_stay_lines(void **state)
{
	struct profile_error err;

	(void)state;
	scp_build_save_bytes("no profile", 10, scp_build_name("scprof.a.1.scp"));
	assert_int_equal(begin(&reader, &err), -1);
	assert_non_null(strchr(err.text, '\n'));
	assert_null(strstr(err.text, "\\x0a"));
	scp_build_cleanup();
}

/* The widest of both, at the second look. */
static double worst_of_two(uint64_t recv, uint64_t recv_each, uint64_t send, uint64_t send_each)
{
	struct precision p = {.relative = 0.05, .least_s = 1};
	struct rows rows = {.confidence = 0.95};
	struct profile_error err;

	save("scprof.a.1.scp", recv, recv_each, send, send_each);
	assert_int_equal(begin(&reader, &err), 0);
	assert_int_equal(live_rows_update(&rows, &reader), 0);
	assert_int_equal(precision_look(&p, &reader, &rows, 0), 0);
	assert_true(isnan(p.worst));
	assert_int_equal(precision_look(&p, &reader, &rows, 0.5), 0);
	assert_int_equal(p.sites, 2);
	precision_free(&p);
	live_rows_free(&rows);
	live_reader_close(&reader);
	scp_build_cleanup();
	return p.worst;
}

static void a_site_that_is_not_known_leaves_the_widest_unknown(void **state)
{
	(void)state;
	assert_false(isnan(worst_of_two(1000, 500, 1000, 500)));
	assert_true(isnan(worst_of_two(1000, 500, 1, 400000)));
	assert_true(isnan(worst_of_two(1, 400000, 1000, 500)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_without_its_name_stays_beside_new_ones),
		cmocka_unit_test(as_many_are_read_as_the_hard_limit_allows),
		cmocka_unit_test(lines_of_a_complaint_stay_lines),
		cmocka_unit_test(a_site_that_is_not_known_leaves_the_widest_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

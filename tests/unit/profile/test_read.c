// SPDX-License-Identifier: GPL-3.0-or-later
/* What is in a file is what is in the model. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "profile/read/raw.h"
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

static struct profile *read_sample(void)
{
	struct scp_build b;
	struct scp_sample s;
	const char *path = scp_build_name("sample.scp");

	scp_build_sample(&b, &s);
	scp_build_save(&b, path);
	scp_build_free(&b);
	return read_one(path);
}

static void expect_failure(const char *path, const char *text)
{
	struct profile_error err;
	struct profile *p = profile_new();

	assert_int_equal(profile_add(p, path, &err), -1);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
	assert_int_equal(p->processes + p->tables + p->entries + p->functions + p->modules, 0);
	profile_free(p);
}

static void test_process_comes_from_the_header(void **state)
{
	struct profile *p = read_sample();
	const struct prof_process *q = &p->process[0];

	(void)state;
	assert_int_equal(p->processes, 1);
	assert_int_equal(q->pid, 4711);
	assert_string_equal(q->exe, "/usr/bin/server");
	assert_int_equal(q->argc, 3);
	assert_string_equal(q->argv[0], "server");
	assert_string_equal(q->argv[2], "80");
	assert_null(q->argv[3]);
	assert_int_equal(p->losses.skipped_calls, 2);
	assert_int_equal(p->ticker_late_max_ns, 77);
	assert_float_equal(p->clock.read_ns, 22.6, 1e-12);
	assert_float_equal(p->slow.tick_ns, 4e6, 0);
	profile_free(p);
}

static void test_entries_keep_their_sums(void **state)
{
	struct profile *p = read_sample();
	const struct prof_entry *e = &p->entry[0];

	(void)state;
	assert_int_equal(p->entries, 3);
	assert_string_equal(p->function[e->function].name, "recv");
	assert_int_equal(p->function[e->function].overflow_calls, 5);
	assert_int_equal(e->sums.calls, 10);
	assert_int_equal(e->sums.units, 1000);
	assert_true(e->sums.units_sq == ((prof_u128)1 << 64) + 100000);
	assert_true(e->sums.has_bytes && e->sums.bytes == 640);
	assert_int_equal(e->sums.batches.count, 5);
	assert_int_equal(e->sums.batches.calls, 2);
	assert_int_equal(e->sums.batches.sum[4], 204);
	assert_int_equal(hist_count(e->sums.hist, 36), 10);
	assert_int_equal(e->sums.slow->units, 20);
	assert_int_equal(e->sums.slow->batches.sum[1], 3);
	assert_int_equal(e->sums.first_units, 100);
	assert_int_equal(e->sums.max_at, 1100);
	assert_int_equal(e->sums.phase->count[0], 7);
	assert_int_equal(e->sums.phase->count[31], 3);
	assert_int_equal(e->sums.line->bytes[4], 130);
	assert_true(e->sums.line->bytes_sq[1] == 8001);
	assert_true(e->sums.line->bytes_units[3] == 12801);
	assert_null(p->entry[1].sums.line);
	assert_null(p->entry[1].sums.phase);
	assert_int_equal(p->entry[1].outcome, SCP_WOULD_BLOCK);
	assert_false(p->entry[1].sums.has_bytes);
	assert_null(p->entry[1].sums.hist);
	profile_free(p);
}

static void test_states_are_those_of_the_file(void **state)
{
	struct profile *p = read_sample();
	const struct prof_states *t = p->entry[0].sums.states;
	const struct prof_table_states *table = &p->table[0].states;

	(void)state;
	assert_int_equal(p->switches.detector, SCP_SWITCH_RSEQ);
	assert_int_equal(p->switches.reading_ns, 5500);
	assert_non_null(t);
	assert_int_equal(t->detector, SCP_SWITCH_RSEQ);
	assert_int_equal(t->calls, 4);
	assert_int_equal(t->readings, 3);
	assert_true(t->units == 400 && t->units_sq == 40000 && !t->from_calls && !t->from_units);
	assert_true(t->off_cpu.known == 400 && t->off_cpu.weighted == 410);
	assert_true(t->off_cpu.runnable_ns == 50 && t->off_cpu.asleep_ns == 200);
	assert_true(t->off_cpu.ran_ns == 100 && t->off_cpu.waits == 4);
	assert_true(t->runnable_sq == 900 && t->asleep_sq == (prof_u128)1 << 64);
	assert_true(t->runnable_asleep == 3000 && t->units_runnable == 5000);
	assert_true(t->units_asleep == (prof_u128)2 << 64);
	assert_true(t->batches->calls[1] == 1 && t->batches->units[4] == 300);
	assert_true(t->batches->known[4] == 300 && t->batches->weighted[1] == 100);
	assert_true(t->batches->runnable_ns[4] == 36 && t->batches->asleep_ns[1] == 50);
	assert_int_equal(hist_count(t->hist[SCP_STATE_SWITCHED], 36), 4);
	assert_null(t->hist[SCP_STATE_LOST]);
	assert_int_equal(hist_count(t->hist[SCP_STATE_SLEPT], 36), 3);
	assert_int_equal(table->detector, SCP_SWITCH_RSEQ);
	assert_true(table->gaps == 2 && table->gap_units == 20 && table->switches == 6);
	/* calibrated: the account of the thread leaves the gaps nothing but the run delay */
	assert_true(table->gap_off_cpu.runnable_ns == 20 && table->gap_off_cpu.asleep_ns == 0);
	assert_true(table->gap_off_cpu.known == 20 && table->gap_off_cpu.waits == 1);
	assert_true(table->covered_ns == 1200 && table->cpu_ns == 900);
	assert_true(table->delay_covered_ns == 1100 && table->delay_ns == 30);
	assert_true(table->ran_ns == 800 && table->stolen_ns == 40);
	assert_int_equal(p->table[1].states.detector, SCP_SWITCH_NONE);
	assert_int_equal(p->slowest[1].state, SCP_SLOWEST_READ);
	assert_true(p->slowest[1].runnable_ns == 12 && p->slowest[1].asleep_ns == 50);
	assert_int_equal(p->slowest[0].state, SCP_SLOWEST_UNKNOWN);
	profile_free(p);
}

static void test_path_frames_name_their_modules(void **state)
{
	struct profile *p = read_sample();
	const struct prof_path *path = &p->path[p->entry[0].path];

	(void)state;
	assert_int_equal(path->frames, 3);
	assert_string_equal(p->module[path->frame[0].module].path, "/usr/bin/server");
	assert_int_equal(path->frame[0].offset, 0x1234);
	assert_int_equal(path->frame[2].module, PROF_NO_MODULE);
	assert_true(path->frame[2].exact);
	assert_int_equal(path->frame[2].offset, 0x7f0000001000);
	/* the same path and flags in another table is the same path */
	assert_int_equal(p->entry[2].path, p->entry[1].path);
	assert_int_not_equal(p->entry[2].table, p->entry[1].table);
	profile_free(p);
}

#define MANY_MODULES 20000

/* A file of so many modules, whose one path lies in the last of them. */
static const char *save_modules(const char *name, const char *folder)
{
	const char *path = scp_build_name(name);
	uint64_t frame = SCP_FRAME(MANY_MODULES, 0, 0x1234);
	struct scp_build b;
	char module[64];

	scp_build_begin_room(&b, 16u << 20);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	for (uint32_t i = 1; i <= MANY_MODULES; i++) {
		snprintf(module, sizeof module, "/%s/%u.so", folder, i);
		scp_build_module(&b, i, module);
	}
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "thread");
	scp_build_path(&b, 1, &frame, 1);
	scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED);
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_save(&b, path);
	scp_build_free(&b);
	return path;
}

/* A thread had taken its first chunk, and not yet begun its table, when the process was killed. */
static void test_a_chunk_that_is_no_table_yet_is_passed_over(void **state)
{
	const char *path = scp_build_name("killed.scp");
	uint64_t frame = SCP_FRAME(1, 0, 0x1234);
	struct profile_error err;
	struct scp_build b;

	(void)state;
	scp_build_begin(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	scp_build_module(&b, 1, "/bin/program");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 0);
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "thread");
	scp_build_path(&b, 1, &frame, 1);
	scp_build_entry(&b, 1, 1, 1, SCP_COMPLETED);
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_save(&b, path);
	scp_build_free(&b);
	struct profile *p = profile_open(&path, 1, &err);
	if (!p)
		fail_msg("%s", err.text);
	assert_int_equal(p->tables, 1);
	assert_int_equal(p->entries, 1);
	profile_free(p);
}

/* As in a file, there are 32766 of them at most: what is beyond is reported as lost. */
static void test_modules_beyond_the_limit_are_lost_and_said_to_be(void **state)
{
	const char *files[] = {save_modules("first.scp", "first"),
			       save_modules("second.scp", "second")};
	struct profile_error err;
	struct profile *p = profile_open(files, 2, &err);

	(void)state;
	if (!p)
		fail_msg("%s", err.text);
	assert_null(model_check(p));
	assert_int_equal(p->modules, PROF_SOURCE);
	assert_int_equal(p->losses.modules_lost, 2 * MANY_MODULES - PROF_SOURCE);
	assert_string_equal(p->module[p->path[0].frame[0].module].path, "/first/20000.so");
	assert_int_equal(p->path[1].frame[0].module, PROF_NO_MODULE);
	assert_int_equal(p->path[1].frame[0].offset, 0x1234);
	profile_free(p);
}

static void test_gaps_and_times_add_up(void **state)
{
	struct profile *p = read_sample();
	const struct prof_table *t = &p->table[0];

	(void)state;
	assert_int_equal(p->gaps, 3);
	assert_int_equal(p->gap[0].from, PROF_NONE);
	assert_int_equal(p->gap[0].to, 0);
	assert_int_equal(p->gap[2].from, 1);
	assert_int_equal(p->gap[2].to, PROF_NONE);
	assert_int_equal(t->call_units - t->nested_units + t->gap_units + t->recording_units,
			 t->time_units);
	assert_int_equal(t->recording_units, 8);
	assert_int_equal(t->recordings, 3);
	assert_int_equal(t->walks, 2);
	assert_int_equal(p->table[1].time_units, 100);
	assert_string_equal(p->table[1].name, "worker");
	profile_free(p);
}

static void test_two_files_share_names_not_entries(void **state)
{
	const char *path = scp_build_name("sample.scp");
	struct profile *p = read_sample();
	struct profile_error err;

	(void)state;
	assert_int_equal(profile_add(p, path, &err), 0);
	assert_null(model_check(p));
	assert_int_equal(p->processes, 2);
	assert_int_equal(p->functions, 3);
	assert_int_equal(p->modules, 2);
	assert_int_equal(p->paths, 2);
	assert_int_equal(p->entries, 6);
	assert_int_equal(p->entry[3].table, 2);
	assert_int_equal(p->table[2].process, 1);
	assert_int_equal(p->function[0].overflow_calls + p->function[1].overflow_calls, 10);
	assert_int_equal(p->losses.skipped_calls, 4);
	profile_free(p);
}

static void test_a_failed_add_leaves_the_model(void **state)
{
	const char *other = scp_build_name("other.scp");
	struct profile *p = read_sample(), *q = read_sample();
	struct profile_error err;
	struct scp_build b;
	struct scp_sample s;

	(void)state;
	scp_build_sample(&b, &s);
	scp_build_header(&b)->clock.kind = SCP_CLOCK_THREAD_CPU;
	scp_build_save(&b, other);
	scp_build_free(&b);
	assert_int_equal(profile_add(p, other, &err), -1);
	assert_non_null(strstr(err.text, "one by one"));
	assert_null(model_difference(p, q));
	profile_free(p);
	profile_free(q);
}

static void test_a_granule_without_magic_is_skipped(void **state)
{
	const char *path = scp_build_name("granule.scp");
	struct scp_build b;
	struct scp_sample s;
	struct scp_chunk *c;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	c = (struct scp_chunk *)(void *)(b.bytes + s.table_chunk);
	c->magic = 0;
	/* the others of that table */
	for (uint64_t at = s.states_chunk; at <= s.slowest_chunk; at += SCP_GRANULE)
		((struct scp_chunk *)(void *)(b.bytes + at))->magic = 0;
	((struct scp_chunk *)(void *)(b.bytes + s.tail_chunk))->magic = 0;
	((struct scp_chunk *)(void *)(b.bytes + s.look_chunk))->magic = 0;
	scp_build_header(&b)->regions[0].used += SCP_GRANULE; /* handed out, never named */
	scp_build_header(&b)->regions[0].bytes += SCP_GRANULE;
	b.used += SCP_GRANULE;
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = read_one(path);
	assert_int_equal(p->tables, 1);
	assert_string_equal(p->table[0].name, "worker");
	profile_free(p);
}

static void test_an_odd_seq_of_a_dead_process_is_torn(void **state)
{
	const char *path = scp_build_name("torn.scp");
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	((struct scp_entry *)(void *)(b.bytes + s.entry))->seq = 7;
	scp_build_save(&b, path);
	scp_build_free(&b);
	p = read_one(path);
	assert_int_equal(p->torn_entries, 1);
	assert_true(p->entry[0].torn);
	assert_false(p->entry[1].torn);
	assert_int_equal(p->entry[0].sums.calls, 10);
	profile_free(p);
}

static void test_what_is_no_profile_is_refused(void **state)
{
	const char *empty = scp_build_name("empty"), *text = scp_build_name("text");

	(void)state;
	scp_build_save_bytes("", 0, empty);
	expect_failure(empty, "is empty");
	scp_build_save_bytes("#!/bin/sh\n", 10, text);
	expect_failure(text, "not a scprof profile");
	expect_failure(scp_build_name("missing"), "No such file");
	expect_failure("/tmp", "is a directory");
	expect_failure("/dev/zero", "not a regular file");
}

static void test_a_fifo_does_not_hang(void **state)
{
	const char *fifo = scp_build_name("fifo");

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	alarm(900);
	expect_failure(fifo, "not a regular file");
	alarm(0);
}

/* Who looks at a file's size and reads it afterwards may read a larger one. */
static void test_no_more_is_read_than_was_allowed(void **state)
{
	const char *path = scp_build_name("limit.scp");
	struct profile *p = profile_new();
	struct profile_error err;
	struct scp_build b;
	struct scp_sample s;
	uint64_t end;
	int fd;

	(void)state;
	scp_build_sample(&b, &s);
	end = header_used_end(scp_build_header(&b));
	scp_build_save(&b, path);
	scp_build_free(&b);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(profile_add_open(p, fd, end - 1, &err), -1);
	assert_non_null(strstr(err.text, "holds"));
	assert_int_equal(p->entries, 0);
	assert_int_equal(profile_add_open(p, fd, end, &err), 0);
	assert_int_equal(p->entries, 3);
	assert_int_equal(close(fd), 0);
	profile_free(p);
}

/* Root takes care with what it names (symbolize.h). */
static void test_who_owns_the_files_is_known(void **state)
{
	const char *const paths[] = {scp_build_name("theirs.scp"), scp_build_name("ours.scp")};
	struct profile_error err;
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	scp_build_save(&b, paths[0]);
	scp_build_save(&b, paths[1]);
	scp_build_free(&b);
	p = read_one(paths[1]);
	assert_false(p->foreign);
	if (chown(paths[0], 65534, 65534) == 0) { /* root's right */
		assert_int_equal(profile_add(p, paths[0], &err), 0);
		assert_true(p->foreign);
		assert_int_equal(p->process[0].owner, geteuid());
		assert_int_equal(p->process[1].owner, 65534);
		assert_int_equal(profile_add(p, paths[1], &err), 0);
		assert_true(p->foreign);
	}
	profile_free(p);
}

static void test_a_sparse_giant_costs_nothing(void **state)
{
	const char *path = scp_build_name("sparse.scp");
	struct scp_build b;
	struct scp_sample s;
	struct profile *p;

	(void)state;
	scp_build_sample(&b, &s);
	scp_build_header(&b)->regions[0].bytes = UINT64_C(1) << 36;
	scp_build_save(&b, path);
	scp_build_free(&b);
	assert_int_equal(truncate(path, (off_t)(SCP_HEADER_BYTES + (UINT64_C(1) << 36))), 0);
	p = read_one(path);
	assert_int_equal(p->entries, 3);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process_comes_from_the_header),
		cmocka_unit_test(test_entries_keep_their_sums),
		cmocka_unit_test(test_states_are_those_of_the_file),
		cmocka_unit_test(test_path_frames_name_their_modules),
		cmocka_unit_test(test_modules_beyond_the_limit_are_lost_and_said_to_be),
		cmocka_unit_test(test_gaps_and_times_add_up),
		cmocka_unit_test(test_two_files_share_names_not_entries),
		cmocka_unit_test(test_a_failed_add_leaves_the_model),
		cmocka_unit_test(test_a_granule_without_magic_is_skipped),
		cmocka_unit_test(test_an_odd_seq_of_a_dead_process_is_torn),
		cmocka_unit_test(test_what_is_no_profile_is_refused),
		cmocka_unit_test(test_a_fifo_does_not_hang),
		cmocka_unit_test(test_no_more_is_read_than_was_allowed),
		cmocka_unit_test(test_who_owns_the_files_is_known),
		cmocka_unit_test(test_a_sparse_giant_costs_nothing),
		cmocka_unit_test(test_a_chunk_that_is_no_table_yet_is_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Paths that share frames with others, how they were found and checked, in files of versions 2
 * and 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "profile/model/hist.h"
#include "tests/unit/support/model_check.h"
#include "tests/unit/support/scp_build.h"

#define F(offset) SCP_FRAME(1, 0, offset)

static void begin(struct scp_build *b)
{
	scp_build_begin_room(b, 32u << 20);
	scp_build_header(b)->flags = SCP_FILE_HISTOGRAMS;
	scp_build_open_chunk(b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(b, 1, "recv", "libc.so.6");
	scp_build_module(b, 1, "/usr/bin/server");
	scp_build_module(b, 0x9001, "/usr/lib/far.so");
	scp_build_close_chunk(b);
	scp_build_open_chunk(b, SCP_CHUNK_TABLE, 1);
	scp_build_table(b, 1, "thread");
}

/* Own frames, innermost first, in front of the `shared` outermost of path `base`. */
static struct scp_path *put_path(struct scp_build *b, uint32_t id, uint32_t base, uint32_t shared,
				 uint32_t own, const uint64_t *frame)
{
	struct scp_path *p = scp_build_path(b, id, frame, own);

	p->frames = (uint16_t)(own + shared);
	p->shared = (uint16_t)shared;
	p->base = base;
	return p;
}

static struct scp_entry *put_entry(struct scp_build *b, uint32_t id, uint32_t path, uint64_t units)
{
	struct scp_entry *e = scp_build_entry(b, id, path, 1, SCP_COMPLETED);

	e->calls = 1;
	e->units = e->max_units = e->min_units = units;
	e->units_sq_lo = units * units;
	return e;
}

static const char *finish(struct scp_build *b, const char *name)
{
	const char *path = scp_build_name(name);

	if (b->used % SCP_GRANULE)
		scp_build_close_chunk(b);
	scp_build_finish(b);
	scp_build_save(b, path);
	scp_build_free(b);
	return path;
}

static struct profile *read_files(const char *const *path, size_t files)
{
	struct profile_error err;
	struct profile *p = profile_open(path, files, &err);

	if (!p)
		fail_msg("%s", err.text);
	if (model_check(p))
		fail_msg("%s", model_check(p));
	return p;
}

static struct profile *read_one(const char *path)
{
	return read_files(&path, 1);
}

static struct profile *write_and_read(const struct profile *p)
{
	const char *path = scp_build_name("written.scp");
	struct profile_error err;

	if (write_profile(p, path, &err))
		fail_msg("%s", err.text);
	return read_one(path);
}

static void expect_frames(const struct profile *p, uint32_t entry, uint32_t frames,
			  const uint64_t *offset)
{
	const struct prof_path *path = &p->path[p->entry[entry].path];

	assert_int_equal(path->frames, frames);
	for (uint32_t i = 0; i < frames; i++)
		assert_int_equal(path->frame[i].offset, offset[i]);
}

/* Path 4 shares what path 3 shares; no entry names path 2, and the base comes last. */
static void add_family(struct scp_build *b)
{
	uint64_t first[] = {F(1), F(2), F(3), F(4)}, own[] = {F(5), F(6)};

	put_path(b, 1, 0, 0, 4, first);
	put_path(b, 2, 1, 3, 1, own);
	put_path(b, 3, 2, 3, 2, own);
	put_path(b, 4, 3, 2, 0, NULL);
	put_path(b, 5, 4, 2, 1, own + 1);
	put_entry(b, 1, 5, 10);
	put_entry(b, 2, 4, 10);
	put_entry(b, 3, 3, 10);
	put_entry(b, 4, 1, 10);
}

static void expect_family(const struct profile *p)
{
	expect_frames(p, 0, 3, (uint64_t[]){6, 3, 4});
	expect_frames(p, 1, 2, (uint64_t[]){3, 4});
	expect_frames(p, 2, 5, (uint64_t[]){5, 6, 2, 3, 4});
	expect_frames(p, 3, 4, (uint64_t[]){1, 2, 3, 4});
}

static void test_a_path_has_its_bases_outer_frames(void **state)
{
	struct scp_build b;
	struct profile *p, *q;

	(void)state;
	begin(&b);
	add_family(&b);
	p = read_one(finish(&b, "family.scp"));
	expect_family(p);
	q = write_and_read(p);
	expect_family(q);
	assert_null(model_difference(p, q));
	profile_free(p);
	profile_free(q);
}

/* Each shares 191 frames with the one before, or hands on one frame. */
static void test_long_chains_of_bases_are_followed(void **state)
{
	enum { LENGTH = 100000 };
	uint64_t frame[SCP_MAX_FRAMES];
	struct scp_build b;
	struct profile *p;

	(void)state;
	for (uint32_t i = 0; i < SCP_MAX_FRAMES; i++)
		frame[i] = F(1000 + i);
	begin(&b);
	put_path(&b, 1, 0, 0, SCP_MAX_FRAMES, frame);
	for (uint32_t id = 2; id <= LENGTH; id++)
		put_path(&b, id, id - 1, SCP_MAX_FRAMES - 1, 1, &(uint64_t){F(id)});
	for (uint32_t id = LENGTH + 1; id <= 2 * LENGTH; id++)
		put_path(&b, id, id - 1, 1, 0, NULL);
	put_entry(&b, 1, LENGTH, 10);
	put_entry(&b, 2, 2 * LENGTH, 10);
	p = read_one(finish(&b, "chain.scp"));
	for (uint32_t i = 1; i < SCP_MAX_FRAMES; i++)
		assert_int_equal(p->path[p->entry[0].path].frame[i].offset, 1000 + i);
	assert_int_equal(p->path[p->entry[0].path].frame[0].offset, LENGTH);
	expect_frames(p, 1, 1, (uint64_t[]){1000 + SCP_MAX_FRAMES - 1});
	profile_free(p);
}

struct bad {
	uint32_t id, base, shared, own;
	const char *why;
};

static void expect_refusal(struct scp_build *b, const char *why)
{
	const char *path = finish(b, "bad.scp");
	struct profile_error err;

	if (profile_open(&path, 1, &err))
		fail_msg("read, instead of: %s", why);
	if (!strstr(err.text, why))
		fail_msg("%s, instead of: %s", err.text, why);
}

static void test_bases_that_cannot_be_are_refused(void **state)
{
	static const struct bad bad[] = {
		{3, 3, 1, 1, "shares 1 frames with path 3"},
		{3, 4, 1, 1, "shares 1 frames with path 4"},
		{3, 0, 1, 1, "shares 1 frames with path 0"},
		{3, 2, 1, 1, "base path 2, which does not exist"},
		{3, 1, 4, 1, "shares 4 frames with path 1, which has 3"},
		{3, 1, 180, 3, "shares 180 frames with path 1, which has 3"},
		{3, 1, 191, 3, "claims 194 frames"},
	};
	uint64_t frame[] = {F(1), F(2), F(3)};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct scp_build b;

		begin(&b);
		put_path(&b, 1, 0, 0, 3, frame);
		put_path(&b, bad[i].id, bad[i].base, bad[i].shared, bad[i].own, frame);
		if (bad[i].base == 4)
			put_path(&b, 4, 1, 1, 1, frame);
		expect_refusal(&b, bad[i].why);
	}
}

static void test_more_frames_shared_than_there_are_is_refused(void **state)
{
	uint64_t frame[] = {F(1), F(2), F(3)};
	struct scp_build b;

	(void)state;
	begin(&b);
	put_path(&b, 1, 0, 0, 3, frame);
	put_path(&b, 2, 1, 2, 1, frame)->frames = 1;
	expect_refusal(&b, "shares 2 frames with path 1");
	begin(&b);
	put_path(&b, 1, 0, 0, 3, frame);
	put_path(&b, 2, 1, 1, 1, frame)->frames = 8;
	expect_refusal(&b, "claims 8 frames");
}

/* While the file is written, what a path needs may be missing where no entry needs the path. */
static void test_unfinished_paths_of_a_running_process_are_left_out(void **state)
{
	uint64_t frame[] = {F(1), F(2), F(3)};

	(void)state;
	for (int running = 0; running < 2; running++) {
		struct scp_build b;
		struct profile *p;

		begin(&b);
		scp_build_header(&b)->end_state = running ? SCP_END_RUNNING : SCP_END_EXIT;
		put_path(&b, 1, 0, 0, 3, frame);
		put_path(&b, 3, 2, 1, 1, frame);
		put_path(&b, 4, 3, 2, 1, frame);
		put_path(&b, 5, 1, 2, 1, &(uint64_t){SCP_FRAME(7, 0, 1)});
		put_path(&b, 6, 1, 2, 1, frame + 2);
		put_entry(&b, 1, 6, 10);
		if (!running) {
			expect_refusal(&b, "names base path 2");
			continue;
		}
		p = read_one(finish(&b, "running.scp"));
		expect_frames(p, 0, 3, (uint64_t[]){3, 2, 3});
		profile_free(p);
	}
}

/* As its writers laid it out: 32 bits of frames, a word without a meaning, modules of 16 bits. */
struct path_of_version_2 {
	struct scp_record rec;
	uint32_t id, frames, flags, reserved;
	uint64_t hash, frame[];
};

static void test_version_2_is_read_as_before(void **state)
{
	struct path_of_version_2 *old;
	struct scp_build b;
	struct profile *p;

	(void)state;
	for (int wrong = 0; wrong < 2; wrong++) {
		begin(&b);
		scp_build_header(&b)->version = 2;
		old = scp_build_record(&b, SCP_REC_PATH, sizeof *old + 2 * sizeof old->frame[0]);
		old->id = 1;
		old->frames = wrong ? 0x10002 : 2;
		old->reserved = wrong ? 0 : 7;
		old->frame[0] = UINT64_C(0x9001) << 48 | UINT64_C(1) << 47 | 0x55;
		old->frame[1] = UINT64_C(1) << 48 | 0x66;
		put_entry(&b, 1, 1, 10);
		if (wrong) {
			expect_refusal(&b, "path 1");
			continue;
		}
		p = read_one(finish(&b, "two.scp"));
		expect_frames(p, 0, 2, (uint64_t[]){0x55, 0x66});
		assert_string_equal(p->module[p->path[0].frame[0].module].path, "/usr/lib/far.so");
		assert_true(p->path[0].frame[0].exact && !p->path[0].frame[0].heuristic);
		profile_free(p);
	}
}

static void test_the_next_version_is_refused(void **state)
{
	struct scp_build b;

	(void)state;
	begin(&b);
	scp_build_header(&b)->version = SCP_VERSION + 1;
	expect_refusal(&b, "has format version 4, this scprof reads 2 to 3");
}

static void test_a_heuristic_frame_is_another_frame(void **state)
{
	uint64_t frame[] = {F(1), F(2)}, marked[] = {F(1) | SCP_FRAME_HEURISTIC, F(2)};
	struct scp_build b;
	struct profile *p, *q;

	(void)state;
	begin(&b);
	put_path(&b, 1, 0, 0, 2, frame);
	put_path(&b, 2, 1, 1, 1, marked)->flags = SCP_PATH_HEURISTIC;
	put_path(&b, 3, 1, 1, 1, marked);
	put_entry(&b, 1, 1, 10);
	put_entry(&b, 2, 2, 10);
	put_entry(&b, 3, 3, 10);
	p = read_one(finish(&b, "heuristic.scp"));
	assert_int_equal(p->paths, 3);
	assert_false(p->path[0].frame[0].heuristic);
	assert_true(p->path[1].frame[0].heuristic && p->path[2].frame[0].heuristic);
	assert_false(p->path[1].frame[1].heuristic);
	assert_int_equal(p->path[1].frame[0].module, 0);
	assert_int_equal(p->path[1].flags, SCP_PATH_HEURISTIC);
	q = write_and_read(p);
	assert_null(model_difference(p, q));
	profile_free(p);
	profile_free(q);
}

/* 20 frames, of which all but the innermost are those of the path before. */
static void test_written_paths_share_their_frames(void **state)
{
	enum { PATHS = 100, FRAMES = 20 };
	uint64_t frame[FRAMES];
	struct scp_build b;
	struct profile *p, *q;
	struct stat st;

	(void)state;
	begin(&b);
	for (uint32_t i = 0; i < FRAMES; i++)
		frame[i] = F(i);
	for (uint32_t id = 1; id <= PATHS; id++) {
		frame[0] = F(100 + id);
		put_path(&b, id, 0, 0, FRAMES, frame);
		put_entry(&b, id, id, 10);
	}
	p = read_one(finish(&b, "repeated.scp"));
	q = write_and_read(p);
	assert_null(model_difference(p, q));
	assert_int_equal(stat(scp_build_name("written.scp"), &st), 0);
	/* an entry, and a record of a path that names its base; the first path, heads of chunks */
	assert_in_range(st.st_size, 1, SCP_HEADER_BYTES + PATHS * (192 + 64) + 3 * SCP_GRANULE);
	profile_free(p);
	profile_free(q);
}

static void test_one_call_needs_no_histogram(void **state)
{
	struct prof_hist room;
	struct scp_build b;
	struct profile *p, *q;
	uint64_t frame = F(1);

	(void)state;
	begin(&b);
	put_path(&b, 1, 0, 0, 1, &frame);
	put_entry(&b, 1, 1, 100);
	p = read_one(finish(&b, "one.scp"));
	assert_true(hist_is_known(&p->entry[0].sums));
	assert_int_equal(hist_find(&p->entry[0].sums, &room)->count[(6 - 2) * 8 + 4], 1);
	q = write_and_read(p);
	assert_null(model_difference(p, q));
	assert_int_equal(sums_add(&q->entry[0].sums, &p->entry[0].sums), 0);
	assert_int_equal(hist_find(&q->entry[0].sums, &room)->count[(6 - 2) * 8 + 4], 2);
	profile_free(p);
	profile_free(q);
}

/* The records of a slow clock have none, and several calls none of which is known. */
static void test_other_entries_without_a_histogram_have_none(void **state)
{
	uint64_t frame = F(1);

	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		struct scp_build b;
		struct profile *p;

		begin(&b);
		if (slow)
			scp_build_header(&b)->flags = 0;
		put_path(&b, 1, 0, 0, 1, &frame);
		put_entry(&b, 1, 1, 100)->calls = slow ? 1 : 2;
		p = read_one(finish(&b, "none.scp"));
		assert_false(hist_is_known(&p->entry[0].sums));
		assert_null(hist_find(&p->entry[0].sums, &(struct prof_hist){0}));
		profile_free(p);
	}
}

static void test_histograms_of_single_calls_add_up(void **state)
{
	struct prof_hist two = {.count[3] = 2}, room;
	struct prof_sums one = {.calls = 1, .units = 5, .hist_of_one = true}, sum = {0};
	struct prof_sums more = {.calls = 2, .units = 6, .hist = &two}, unknown = {.calls = 1};

	(void)state;
	assert_int_equal(sums_add(&sum, &one), 0);
	assert_null(sum.hist);
	assert_int_equal(hist_find(&sum, &room)->count[5], 1);
	assert_int_equal(sums_add(&sum, &more), 0);
	assert_int_equal(sums_add(&sum, &one), 0);
	assert_int_equal(hist_find(&sum, &room)->count[5], 2);
	assert_int_equal(hist_find(&sum, &room)->count[3], 2);
	sums_clear(&sum);
	assert_int_equal(sums_add(&sum, &one), 0);
	assert_int_equal(sums_add(&sum, &unknown), 0);
	assert_int_equal(hist_find(&sum, &room)->count[5], 1);
	assert_false(sum.hist_of_one);
	sums_clear(&sum);
}

static void test_a_taken_histogram_has_both_calls(void **state)
{
	struct prof_sums a = {.calls = 1, .units = 5, .hist_of_one = true};
	struct prof_sums b = {.calls = 1, .units = 6, .hist_of_one = true}, c = {0};
	struct prof_hist room;

	(void)state;
	assert_int_equal(sums_add(&c, &a), 0);
	assert_int_equal(sums_add(&c, &a), 0);
	hist_take(&b, &c);
	assert_null(c.hist);
	assert_int_equal(sums_add(&b, &c), 0);
	assert_int_equal(hist_find(&b, &room)->count[5], 2);
	assert_int_equal(hist_find(&b, &room)->count[6], 1);
	sums_clear(&b);
	b = (struct prof_sums){.calls = 1, .units = 6, .hist_of_one = true};
	hist_take(&a, &b);
	assert_int_equal(sums_add(&a, &b), 0);
	assert_int_equal(hist_find(&a, &room)->count[6], 1);
	assert_int_equal(hist_find(&a, &room)->count[5], 1);
	sums_clear(&a);
}

static const char *save_checks(const char *name, uint32_t one_in, uint32_t differences)
{
	uint64_t frame = F(1);
	struct scp_build b;

	begin(&b);
	put_path(&b, 1, 0, 0, 1, &frame);
	put_entry(&b, 1, 1, 100);
	scp_build_close_chunk(&b);
	scp_build_header(&b)->path_checks = (struct scp_path_checks){one_in, 1, 20, 10, 3, 4, 5};
	for (uint32_t id = 1; id <= differences; id++) {
		struct scp_path_difference *d;

		scp_build_open_optional(&b, SCP_OPTIONAL_CHECKS, 0);
		d = scp_build_record(&b, SCP_REC_PATH_DIFFERENCE, sizeof *d + 3 * 8);
		d->id = id;
		d->at = 2;
		d->ours = 1;
		d->theirs = 2;
		d->of = SCP_DIFFERENCE_WORDS;
		d->frame[0] = 0x7f0000000000 + id;
		d->frame[2] = 0x7fffffffffff;
		scp_build_close_chunk(&b);
	}
	return finish(&b, name);
}

static void test_checks_of_paths_add_up(void **state)
{
	const char *files[] = {save_checks("first.scp", 0, 10), save_checks("second.scp", 64, 10),
			       save_checks("third.scp", 16, 0)};
	struct profile *p = read_files(files, 3), *q = write_and_read(p);

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct profile *r = i ? q : p;

		assert_int_equal(r->path_checks.one_in, 16);
		assert_int_equal(r->path_checks.unwinder, 1);
		assert_int_equal(r->path_checks.verified, 60);
		assert_int_equal(r->path_checks.differ, 30);
		assert_int_equal(r->path_checks.undecided, 9);
		assert_int_equal(r->path_checks.heuristic, 12);
		assert_int_equal(r->path_checks.cached_walks, 15);
		assert_int_equal(r->path_differences, SCP_PATH_DIFFERENCES_MAX);
		assert_int_equal(r->path_difference[0].frame[0], 0x7f0000000001);
		assert_int_equal(r->path_difference[15].frame[0], 0x7f0000000006);
		assert_int_equal(r->path_difference[15].frame[2], 0x7fffffffffff);
		assert_int_equal(r->path_difference[15].at, 2);
		assert_int_equal(r->path_difference[15].ours, 1);
		assert_int_equal(r->path_difference[15].theirs, 2);
		assert_int_equal(r->path_difference[15].of, SCP_DIFFERENCE_WORDS);
	}
	profile_free(p);
	profile_free(q);
}

static void test_a_path_difference_beyond_its_record_is_refused(void **state)
{
	static const uint32_t frames[][2] = {{5, 5}, {0, 193}, {UINT32_MAX, 1}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct scp_path_difference *d;
		struct scp_build b;

		begin(&b);
		scp_build_close_chunk(&b);
		scp_build_open_optional(&b, SCP_OPTIONAL_CHECKS, 0);
		d = scp_build_record(&b, SCP_REC_PATH_DIFFERENCE, sizeof *d + 4 * 8);
		d->id = 1;
		d->ours = frames[i][0];
		d->theirs = frames[i][1];
		expect_refusal(&b, "path difference 1 claims");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_has_its_bases_outer_frames),
		cmocka_unit_test(test_long_chains_of_bases_are_followed),
		cmocka_unit_test(test_bases_that_cannot_be_are_refused),
		cmocka_unit_test(test_more_frames_shared_than_there_are_is_refused),
		cmocka_unit_test(test_unfinished_paths_of_a_running_process_are_left_out),
		cmocka_unit_test(test_version_2_is_read_as_before),
		cmocka_unit_test(test_the_next_version_is_refused),
		cmocka_unit_test(test_a_heuristic_frame_is_another_frame),
		cmocka_unit_test(test_written_paths_share_their_frames),
		cmocka_unit_test(test_one_call_needs_no_histogram),
		cmocka_unit_test(test_other_entries_without_a_histogram_have_none),
		cmocka_unit_test(test_histograms_of_single_calls_add_up),
		cmocka_unit_test(test_a_taken_histogram_has_both_calls),
		cmocka_unit_test(test_checks_of_paths_add_up),
		cmocka_unit_test(test_a_path_difference_beyond_its_record_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

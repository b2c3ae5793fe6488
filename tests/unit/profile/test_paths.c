// SPDX-License-Identifier: GPL-3.0-or-later
/* Paths that share frames with others, and heuristic frames, in files of versions 2 and 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/path_file.h"

#define F(offset) SCP_FRAME(1, 0, offset)

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

	path_file_path(b, 1, 0, 0, 4, first);
	path_file_path(b, 2, 1, 3, 1, own);
	path_file_path(b, 3, 2, 3, 2, own);
	path_file_path(b, 4, 3, 2, 0, NULL);
	path_file_path(b, 5, 4, 2, 1, own + 1);
	path_file_entry(b, 1, 5, 10);
	path_file_entry(b, 2, 4, 10);
	path_file_entry(b, 3, 3, 10);
	path_file_entry(b, 4, 1, 10);
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
	path_file_begin(&b);
	add_family(&b);
	p = path_file_read_one(path_file_finish(&b, "family.scp"));
	expect_family(p);
	q = path_file_read_again(p);
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
	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, SCP_MAX_FRAMES, frame);
	for (uint32_t id = 2; id <= LENGTH; id++)
		path_file_path(&b, id, id - 1, SCP_MAX_FRAMES - 1, 1, &(uint64_t){F(id)});
	for (uint32_t id = LENGTH + 1; id <= 2 * LENGTH; id++)
		path_file_path(&b, id, id - 1, 1, 0, NULL);
	path_file_entry(&b, 1, LENGTH, 10);
	path_file_entry(&b, 2, 2 * LENGTH, 10);
	p = path_file_read_one(path_file_finish(&b, "chain.scp"));
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

static void test_bases_that_cannot_be_are_refused(void **state)
{
	static const struct bad bad[] = {
		{3, 3, 1, 1,
		 "of its paths, number 3 (table 1) shares frames with no path before it"},
		{3, 4, 1, 1,
		 "of its paths, number 3 (table 1) shares frames with no path before it"},
		{3, 0, 1, 1,
		 "of its paths, number 3 (table 1) shares frames with no path before it"},
		{3, 2, 1, 1, "base path 2, which does not exist"},
		{3, 1, 4, 1, "shares 4 frames with path 1, which has 3"},
		{3, 1, 180, 3, "shares 180 frames with path 1, which has 3"},
		{3, 1, 191, 3, "claims more frames than it has"},
	};
	uint64_t frame[] = {F(1), F(2), F(3)};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct scp_build b;

		path_file_begin(&b);
		path_file_path(&b, 1, 0, 0, 3, frame);
		path_file_path(&b, bad[i].id, bad[i].base, bad[i].shared, bad[i].own, frame);
		if (bad[i].base == 4)
			path_file_path(&b, 4, 1, 1, 1, frame);
		path_file_expect_refusal(&b, bad[i].why);
	}
}

static void test_more_frames_shared_than_there_are_is_refused(void **state)
{
	uint64_t frame[] = {F(1), F(2), F(3)};
	struct scp_build b;

	(void)state;
	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 3, frame);
	path_file_path(&b, 2, 1, 2, 1, frame)->frames = 1;
	path_file_expect_refusal(&b, "shares frames with no path before it");
	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 3, frame);
	path_file_path(&b, 2, 1, 1, 1, frame)->frames = 8;
	path_file_expect_refusal(&b, "claims more frames than it has");
}

/* While the file is written, what a path needs may be missing where no entry needs the path. */
static void test_unfinished_paths_of_a_running_process_are_left_out(void **state)
{
	uint64_t frame[] = {F(1), F(2), F(3)};

	(void)state;
	for (int running = 0; running < 2; running++) {
		struct scp_build b;
		struct profile *p;

		path_file_begin(&b);
		scp_build_header(&b)->end_state = running ? SCP_END_RUNNING : SCP_END_EXIT;
		path_file_path(&b, 1, 0, 0, 3, frame);
		path_file_path(&b, 3, 2, 1, 1, frame);
		path_file_path(&b, 4, 3, 2, 1, frame);
		path_file_path(&b, 5, 1, 2, 1, &(uint64_t){SCP_FRAME(7, 0, 1)});
		path_file_path(&b, 6, 1, 2, 1, frame + 2);
		path_file_entry(&b, 1, 6, 10);
		if (!running) {
			path_file_expect_refusal(&b, "names base path 2");
			continue;
		}
		p = path_file_read_one(path_file_finish(&b, "running.scp"));
		expect_frames(p, 0, 3, (uint64_t[]){3, 2, 3});
		profile_free(p);
	}
}

static void test_other_versions_are_refused(void **state)
{
	struct scp_build b;

	(void)state;
	path_file_begin(&b);
	scp_build_header(&b)->version = SCP_VERSION + 1;
	path_file_expect_refusal(&b, "has format version 4, this scprof reads 3");
	path_file_begin(&b);
	scp_build_header(&b)->version = SCP_VERSION - 1;
	path_file_expect_refusal(&b, "has format version 2, this scprof reads 3");
}

static void test_a_heuristic_frame_is_another_frame(void **state)
{
	uint64_t frame[] = {F(1), F(2)}, marked[] = {F(1) | SCP_FRAME_HEURISTIC, F(2)};
	struct scp_build b;
	struct profile *p, *q;

	(void)state;
	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 2, frame);
	path_file_path(&b, 2, 1, 1, 1, marked)->flags = SCP_PATH_HEURISTIC;
	path_file_path(&b, 3, 1, 1, 1, marked);
	path_file_entry(&b, 1, 1, 10);
	path_file_entry(&b, 2, 2, 10);
	path_file_entry(&b, 3, 3, 10);
	p = path_file_read_one(path_file_finish(&b, "heuristic.scp"));
	assert_int_equal(p->paths, 3);
	assert_false(p->path[0].frame[0].heuristic);
	assert_true(p->path[1].frame[0].heuristic && p->path[2].frame[0].heuristic);
	assert_false(p->path[1].frame[1].heuristic);
	assert_int_equal(p->path[1].frame[0].module, 0);
	assert_int_equal(p->path[1].flags, SCP_PATH_HEURISTIC);
	q = path_file_read_again(p);
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
	path_file_begin(&b);
	for (uint32_t i = 0; i < FRAMES; i++)
		frame[i] = F(i);
	for (uint32_t id = 1; id <= PATHS; id++) {
		frame[0] = F(100 + id);
		path_file_path(&b, id, 0, 0, FRAMES, frame);
		path_file_entry(&b, id, id, 10);
	}
	p = path_file_read_one(path_file_finish(&b, "repeated.scp"));
	q = path_file_read_again(p);
	assert_null(model_difference(p, q));
	assert_int_equal(stat(scp_build_name("written.scp"), &st), 0);
	/* an entry, and a record of a path that names its base; the first path, heads of chunks */
	assert_in_range(st.st_size, 1, SCP_HEADER_BYTES + PATHS * (192 + 64) + 3 * SCP_GRANULE);
	profile_free(p);
	profile_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_has_its_bases_outer_frames),
		cmocka_unit_test(test_long_chains_of_bases_are_followed),
		cmocka_unit_test(test_bases_that_cannot_be_are_refused),
		cmocka_unit_test(test_more_frames_shared_than_there_are_is_refused),
		cmocka_unit_test(test_unfinished_paths_of_a_running_process_are_left_out),
		cmocka_unit_test(test_other_versions_are_refused),
		cmocka_unit_test(test_a_heuristic_frame_is_another_frame),
		cmocka_unit_test(test_written_paths_share_their_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

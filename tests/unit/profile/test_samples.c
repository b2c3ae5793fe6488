// SPDX-License-Identifier: GPL-3.0-or-later
/* Samples of what was computed: written and read back, added up by a fold, and refused where they
 * contradict themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/path_file.h"

#define F(offset) SCP_FRAME(1, 0, offset)

/* A process with three paths of samples, and some in calls. */
static struct profile *sampled(const char *name, uint32_t seed)
{
	uint64_t frame = F(1);
	struct scp_build b;

	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 1, &frame);
	path_file_entry(&b, 1, 1, 100);
	scp_build_close_chunk(&b);
	struct profile *p = path_file_read_one(path_file_finish(&b, name));

	for (uint32_t i = 0; i < 4; i++) {
		struct prof_frame f[] = {{.offset = 16 + i, .exact = 1}, {.offset = 99}};
		struct prof_sample s = {.path = PROF_NONE, .kind = SCP_SAMPLE_IN_CALL};

		if (i < 3)
			s = (struct prof_sample){
				.path = samples_path(p, f, 2, i == 2 ? SCP_PATH_CUT : 0)};
		s.count[i] = seed + i;
		s.count[SCP_SAMPLE_BATCHES - 1] = 7;
		assert_int_equal(samples_add(p, &s), 0);
	}
	p->sampling =
		(struct prof_sampling){.period_ns = 5000000, .lost = 3, .cut = 1, .cpu_ns = 1000};
	return p;
}

static void expect_same(const struct profile *p, const struct profile *q)
{
	assert_memory_equal(&p->sampling, &q->sampling, sizeof(p->sampling));
	assert_int_equal(p->samples, q->samples);
	for (uint32_t i = 0; i < p->samples; i++) {
		const struct prof_sample *a = &p->sample[i], *b = &q->sample[i];

		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->process, b->process);
		assert_memory_equal(a->count, b->count, sizeof(a->count));
		assert_int_equal(a->path == PROF_NONE, b->path == PROF_NONE);
		if (a->path == PROF_NONE)
			continue;
		assert_int_equal(p->path[a->path].flags, q->path[b->path].flags);
		assert_int_equal(p->path[a->path].frames, 2);
		assert_memory_equal(p->path[a->path].frame, q->path[b->path].frame,
				    2 * sizeof(struct prof_frame));
	}
}

static void test_samples_are_written_and_read(void **state)
{
	struct profile *p = sampled("samples.scp", 1), *q = path_file_read_again(p);

	(void)state;
	expect_same(p, q);
	assert_int_equal(samples_none_of(q), 1); /* the path of the call */
	profile_free(p);
	profile_free(q);
}

static void test_a_fold_adds_them_up_and_what_is_too_much_is_cut(void **state)
{
	struct profile *p = sampled("one.scp", 1), *q = sampled("two.scp", 10);
	struct profile_error err;
	char name[] = "/tmp/test_samples.XXXXXX";
	int fd = mkstemp(name);

	(void)state;
	q->sample[0].count[0] = SCP_SAMPLE_COUNT_MAX;
	assert_true(fd >= 0);
	assert_int_equal(write_profile(q, name, &err), 0);
	assert_int_equal(profile_add(p, name, &err), 0);
	assert_int_equal(p->samples, 8);
	assert_int_equal(p->sampling.lost, 6);
	assert_int_equal(p->sampling.cpu_ns, 2000);
	fold_model(p, 1);
	assert_int_equal(p->samples, 4);
	assert_int_equal(p->sample[0].count[0], SCP_SAMPLE_COUNT_MAX);
	assert_int_equal(p->sample[1].count[1], 2 + 11);
	assert_int_equal(p->sample[3].count[3], 4 + 13);
	assert_int_equal(p->sample[3].count[SCP_SAMPLE_BATCHES - 1], 14);
	close(fd);
	unlink(name);
	profile_free(p);
	profile_free(q);
}

static void test_other_rates_are_marked(void **state)
{
	struct prof_sampling all = {0}, one = {.period_ns = 1000000, .cpu_ns = 5},
			     other = {.period_ns = 2000000, .flags = SCP_SAMPLING_USER};

	(void)state;
	samples_join(&all, &one);
	samples_join(&all, &(struct prof_sampling){0});
	assert_int_equal(all.flags, 0);
	assert_int_equal(all.cpu_ns, 5);
	samples_join(&all, &other);
	assert_int_equal(all.flags, SCP_SAMPLING_USER | SCP_SAMPLING_MIXED);
	assert_int_equal(all.cpu_ns, 0);
}

/* Adds what `alone` has, as a file of samples alone, to `to`. */
static int add_alone(struct profile *to, struct profile *alone, struct profile_error *err)
{
	char name[] = "/tmp/test_samples.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	samples_stand_alone(alone);
	assert_int_equal(write_profile(alone, name, err), 0);
	int added = profile_add(to, name, err);

	close(fd);
	unlink(name);
	return added;
}

static void test_samples_alone_join_the_processes_that_they_are_of(void **state)
{
	struct profile *p = sampled("with.scp", 1), *alone = profile_new();
	struct prof_frame f = {.offset = 16, .exact = 1, .module = PROF_NO_MODULE};
	struct profile_error err;

	(void)state;
	assert_int_equal(samples_process(p, 77, 1234), 0);
	assert_int_equal(samples_process(p, 77, 5678), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct prof_sample s = {.process = i, .path = samples_path(alone, &f, 1, 0)};

		s.count[3] = 10 + i;
		assert_int_equal(samples_process(alone, 77 + i, 1234), 0);
		assert_int_equal(samples_add(alone, &s), 0);
	}
	alone->sampling = (struct prof_sampling){.period_ns = 5000000, .lost = 2};
	assert_int_equal(add_alone(p, alone, &err), 0);
	assert_int_equal(p->processes, 3);
	assert_int_equal(p->samples, 6);
	assert_int_equal(p->sample[4].process, 1);
	assert_int_equal(p->sample[4].count[3], 10);
	assert_int_equal(p->sample[5].process, 0); /* there is no 78 */
	assert_int_equal(p->sampling.lost, 5);
	assert_false(p->flags & SCP_FILE_SAMPLES);
	profile_free(p);
	p = profile_new();
	assert_int_equal(add_alone(p, alone, &err), -1);
	assert_non_null(strstr(err.text, "has samples alone"));
	profile_free(p);
	profile_free(alone);
}

/* Calls, threads and processes that such a file claims are not there. */
static void test_of_a_file_of_samples_alone_nothing_else_is_read(void **state)
{
	struct profile *p = sampled("with.scp", 1), *more = sampled("more.scp", 1);
	struct profile_error err;

	(void)state;
	assert_int_equal(add_alone(p, more, &err), 0);
	assert_int_equal(p->samples, 8);
	assert_int_equal(p->entries, 1);
	assert_int_equal(p->tables, 1);
	assert_int_equal(p->processes, 1);
	profile_free(p);
	profile_free(more);
}

/* The first record of that type in a file with samples. */
static void *find(uint8_t *bytes, size_t size, uint32_t type)
{
	for (size_t at = SCP_HEADER_BYTES; at + sizeof(struct scp_chunk) <= size;
	     at += SCP_GRANULE) {
		const struct scp_chunk *c = (const void *)(bytes + at);
		struct scp_record *r = (void *)(bytes + at + sizeof(*c));

		if (c->magic != SCP_OPTIONAL_MAGIC || c->type != SCP_OPTIONAL_SAMPLES)
			continue;
		for (; (uint8_t *)r < bytes + at + c->used; r = (void *)((uint8_t *)r + r->bytes))
			if (r->type == type)
				return r;
	}
	fail_msg("no record of type %u", type);
	return NULL;
}

static void expect_refusal(void (*damage)(uint8_t *bytes, size_t size), const char *why)
{
	static uint8_t bytes[1 << 20];
	struct profile *p = sampled("damaged.scp", 1), *q = profile_new();
	struct profile_error err = {""};
	char name[] = "/tmp/test_samples.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(write_profile(p, name, &err), 0);
	FILE *file = fopen(name, "r+e");
	size_t size = fread(bytes, 1, sizeof(bytes), file);

	damage(bytes, size);
	rewind(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	assert_int_equal(profile_add(q, name, &err), -1);
	assert_non_null(strstr(err.text, why));
	close(fd);
	unlink(name);
	profile_free(p);
	profile_free(q);
}

#define DAMAGE(name, type, record, change)                                                         \
	static void name(uint8_t *bytes, size_t size)                                              \
	{                                                                                          \
		struct record *r = find(bytes, size, type);                                        \
		change;                                                                            \
	}
DAMAGE(no_process, SCP_REC_SAMPLE, scp_sampled, r->process = 9)
DAMAGE(no_kind, SCP_REC_SAMPLE, scp_sampled, r->kind = SCP_SAMPLE_KINDS)
DAMAGE(frames_beyond, SCP_REC_SAMPLE, scp_sampled, r->frames = SCP_MAX_FRAMES)
DAMAGE(too_many_frames, SCP_REC_SAMPLE, scp_sampled, r->frames = UINT32_MAX)
DAMAGE(words_beyond, SCP_REC_SAMPLE, scp_sampled, r->words = SCP_SAMPLE_BATCHES)
DAMAGE(too_many_words, SCP_REC_SAMPLE, scp_sampled, r->words = UINT32_MAX)
DAMAGE(no_module, SCP_REC_SAMPLE, scp_sampled, r->frame[1] = SCP_FRAME(77, 0, 1))
DAMAGE(no_line, SCP_REC_SAMPLE, scp_sampled, r->frame[0] = SCP_FRAME(SCP_FRAME_SOURCE, 0, 5))
DAMAGE(no_period, SCP_REC_SAMPLING, scp_sampling, r->period_ns = 0)
DAMAGE(long_period, SCP_REC_SAMPLING, scp_sampling, r->period_ns = UINT64_MAX)
DAMAGE(much_cpu, SCP_REC_SAMPLING, scp_sampling, r->cpu_ns = UINT64_MAX)

static void test_what_contradicts_itself_is_refused(void **state)
{
	(void)state;
	expect_refusal(no_process, "process 9, which does not exist");
	expect_refusal(no_kind, "is of a kind that there is not");
	expect_refusal(frames_beyond, "claims more than it has");
	expect_refusal(too_many_frames, "claims more than it has");
	expect_refusal(words_beyond, "claims more than it has");
	expect_refusal(too_many_words, "claims more than it has");
	expect_refusal(no_module, "module 77, which does not exist");
	expect_refusal(no_line, "source line 5, which does not exist");
	expect_refusal(no_period, "says what cannot be");
	expect_refusal(long_period, "says what cannot be");
	expect_refusal(much_cpu, "says what cannot be");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_written_and_read),
		cmocka_unit_test(test_a_fold_adds_them_up_and_what_is_too_much_is_cut),
		cmocka_unit_test(test_other_rates_are_marked),
		cmocka_unit_test(test_samples_alone_join_the_processes_that_they_are_of),
		cmocka_unit_test(test_of_a_file_of_samples_alone_nothing_else_is_read),
		cmocka_unit_test(test_what_contradicts_itself_is_refused),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scp_build_cleanup();
	return failed;
}

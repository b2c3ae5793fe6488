// SPDX-License-Identifier: GPL-3.0-or-later
/* What was seen of processes' ends from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/base/error.h"
#include "tests/unit/support/path_file.h"

#define F(offset) SCP_FRAME(1, 0, offset)

/* One process that did not say how it ended; to be freed. */
static struct profile *one_process(const char *name)
{
	uint64_t frame = F(1);
	struct scp_build b;
	const char *path;

	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 1, &frame);
	path_file_entry(&b, 1, 1, 100);
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	scp_build_close_chunk(&b);
	path = path_file_finish(&b, name);
	return path_file_read_one(path);
}

static void test_an_end_is_written_and_read(void **state)
{
	static const struct prof_end ends[] = {
		{SCP_END_UNSEEN, 0}, {SCP_END_LIVED, 0},
		{SCP_END_GONE, 0},   {SCP_END_STATUS, 0},
		{SCP_END_STATUS, 3}, {SCP_END_STATUS, SCP_END_STATUS_MAX},
		{SCP_END_SIGNAL, 9}, {SCP_END_SIGNAL, SCP_END_SIGNAL_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct profile *p = one_process("end.scp"), *q;

		p->process[0].end = ends[i];
		q = path_file_read_again(p);
		assert_int_equal(q->process[0].end.seen, ends[i].seen);
		assert_int_equal(q->process[0].end.value, ends[i].value);
		assert_int_equal(q->process[0].end_state, SCP_END_RUNNING);
		profile_free(p);
		profile_free(q);
	}
}

/* Numbers of one file stay apart from those of the files before; a file of the library has none. */
static void test_which_recording_a_process_was_of_is_kept(void **state)
{
	struct profile *p = one_process("end.scp"), *two, *all;
	struct profile_error err;
	const char *plain = p->process[0].file;

	(void)state;
	assert_int_equal(p->process[0].run, 0);
	assert_int_equal(profile_add(p, plain, &err), 0);
	p->process[0].run = 3;
	two = path_file_read_again(p);
	assert_int_equal(two->process[0].run, 3);
	assert_int_equal(two->process[1].run, 0);
	assert_int_equal(two->process[0].end.seen, SCP_END_UNSEEN);
	all = path_file_read_again(p);
	assert_int_equal(profile_add(all, two->process[0].file, &err), 0);
	assert_int_equal(all->processes, 4);
	assert_int_equal(all->process[0].run, 3);
	assert_int_equal(all->process[2].run, 6);
	assert_int_equal(all->process[3].run, 0);
	profile_free(all);
	profile_free(two);
	profile_free(p);
}

/* The file of a process that was killed, with that record in place of its end. */
static void expect_refusal(uint32_t process, uint32_t seen, uint32_t value, const char *why)
{
	static uint8_t bytes[1 << 20];
	struct profile *p = one_process("end.scp"), *q = profile_new();
	struct profile_error err = {""};
	char name[] = "/tmp/test_ends.XXXXXX";
	int fd = mkstemp(name);
	size_t size, found = 0;

	p->process[0].end = (struct prof_end){SCP_END_SIGNAL, 9};
	assert_true(fd >= 0);
	assert_int_equal(write_profile(p, name, &err), 0);
	FILE *file = fopen(name, "r+e");
	size = fread(bytes, 1, sizeof(bytes), file);
	for (size_t at = SCP_HEADER_BYTES; at + sizeof(struct scp_end) <= size;
	     at += SCP_RECORD_ALIGN) {
		struct scp_end *r = (struct scp_end *)(void *)(bytes + at);

		if (r->rec.type != SCP_REC_END || r->rec.bytes != sizeof(*r) ||
		    r->seen != SCP_END_SIGNAL)
			continue;
		found++;
		r->process = process;
		r->seen = seen;
		r->value = value;
	}
	assert_int_equal(found, 1);
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

static void test_an_end_that_cannot_be_is_refused(void **state)
{
	(void)state;
	expect_refusal(1, SCP_END_SIGNAL + 1, 0,
		       "of its ends of a process, number 1 (table 0) says what cannot be");
	expect_refusal(1, SCP_END_SIGNAL, SCP_END_SIGNAL_MAX + 1,
		       "of its ends of a process, number 1 (table 0) says what cannot be");
	expect_refusal(1, SCP_END_STATUS, SCP_END_STATUS_MAX + 1,
		       "of its ends of a process, number 1 (table 0) says what cannot be");
	expect_refusal(1, SCP_END_GONE, 1,
		       "of its ends of a process, number 1 (table 0) says what cannot be");
	expect_refusal(2, SCP_END_SIGNAL, 9, "names process 2, which does not exist");
}

/* Folded into one row: how two of a kind ended. */
static struct prof_process folded(uint32_t state_a, struct prof_end a, uint32_t state_b,
				  struct prof_end b)
{
	struct profile *p = one_process("first.scp");
	struct profile_error err;
	struct prof_process result;

	assert_int_equal(profile_add(p, p->process[0].file, &err), 0);
	assert_int_equal(p->processes, 2);
	p->process[0].end_state = state_a;
	p->process[0].end = a;
	p->process[1].end_state = state_b;
	p->process[1].end = b;
	fold_model(p, 1);
	assert_int_equal(p->processes, 1);
	result = p->process[0];
	profile_free(p);
	return result;
}

static void test_a_fold_keeps_what_is_true_of_all(void **state)
{
	const struct prof_end killed = {SCP_END_SIGNAL, 9}, unseen = {0},
			      lived = {SCP_END_LIVED, 0};
	struct prof_process q;

	(void)state;
	q = folded(SCP_END_RUNNING, killed, SCP_END_RUNNING, killed);
	assert_int_equal(q.end.seen, SCP_END_SIGNAL);
	assert_int_equal(q.end.value, 9);
	q = folded(SCP_END_EXIT, unseen, SCP_END_RUNNING, killed);
	assert_int_equal(q.end_state, SCP_END_RUNNING);
	assert_int_equal(q.end.seen, SCP_END_GONE);
	q = folded(SCP_END_EXIT, unseen, SCP_END_RUNNING, unseen);
	assert_int_equal(q.end_state, SCP_END_RUNNING);
	assert_int_equal(q.end.seen, SCP_END_UNSEEN);
	q = folded(SCP_END_RUNNING, killed, SCP_END_RUNNING, lived);
	assert_int_equal(q.end.seen, SCP_END_LIVED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_end_is_written_and_read),
		cmocka_unit_test(test_which_recording_a_process_was_of_is_kept),
		cmocka_unit_test(test_an_end_that_cannot_be_is_refused),
		cmocka_unit_test(test_a_fold_keeps_what_is_true_of_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* What was done to processes that ran: the record, and sums of several. */
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

static const struct prof_attached some = {.known = true,
					  .flags = SCP_ATTACHED_DETACHED,
					  .stopped_ns = 3100000,
					  .stopped_total_ns = 4000000,
					  .ran_ns = 5000000,
					  .pid = 4711,
					  .threads = 7,
					  .in_calls = 2,
					  .slots = {.written = 21,
						    .unbound = 3,
						    .other = 4,
						    .failed = 5,
						    .put_back = 6,
						    .changed = 8,
						    .gone = 9,
						    .objects = 10,
						    .kept = 11,
						    .skipped = 12}};

/* One process that still runs; to be freed. */
static struct profile *one_process(void)
{
	uint64_t frame = F(1);
	struct scp_build b;
	const char *path;

	path_file_begin(&b);
	path_file_path(&b, 1, 0, 0, 1, &frame);
	path_file_entry(&b, 1, 1, 100);
	scp_build_close_chunk(&b);
	path = path_file_finish(&b, "attached.scp");
	return path_file_read_one(path);
}

static void test_it_is_written_and_read(void **state)
{
	struct profile *p = one_process(), *q;

	(void)state;
	q = path_file_read_again(p);
	assert_false(q->process[0].attached.known);
	profile_free(q);
	p->process[0].attached = some;
	q = path_file_read_again(p);
	assert_true(q->process[0].attached.known);
	assert_int_equal(q->process[0].attached.flags, some.flags);
	assert_int_equal(q->process[0].attached.stopped_ns, some.stopped_ns);
	assert_int_equal(q->process[0].attached.stopped_total_ns, some.stopped_total_ns);
	assert_int_equal(q->process[0].attached.ran_ns, some.ran_ns);
	assert_int_equal(q->process[0].attached.pid, some.pid);
	assert_int_equal(q->process[0].attached.threads, some.threads);
	assert_int_equal(q->process[0].attached.in_calls, some.in_calls);
	assert_memory_equal(&q->process[0].attached.slots, &some.slots, sizeof(some.slots));
	profile_free(p);
	profile_free(q);
}

/* The record of a file, changed by `change`, is refused. */
static void expect_refusal(void (*change)(struct scp_attached *r), const char *why)
{
	static uint8_t bytes[1 << 20];
	struct profile *p = one_process(), *q = profile_new();
	struct profile_error err = {""};
	char name[] = "/tmp/test_attached.XXXXXX";
	int fd = mkstemp(name);
	size_t size, found = 0;

	p->process[0].attached = some;
	assert_true(fd >= 0);
	assert_int_equal(write_profile(p, name, &err), 0);
	FILE *file = fopen(name, "r+e");
	size = fread(bytes, 1, sizeof(bytes), file);
	for (size_t at = SCP_HEADER_BYTES; at + sizeof(struct scp_attached) <= size;
	     at += SCP_RECORD_ALIGN) {
		struct scp_attached *r = (struct scp_attached *)(void *)(bytes + at);

		if (r->rec.type != SCP_REC_ATTACH || r->rec.bytes != sizeof(*r) ||
		    r->written != some.slots.written)
			continue;
		found++;
		change(r);
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

static void more_in_calls_than_threads(struct scp_attached *r)
{
	r->in_calls = r->threads + 1;
}

static void one_longer_than_all(struct scp_attached *r)
{
	r->stopped_ns = r->stopped_total_ns + 1;
}

static void unknown_flag(struct scp_attached *r)
{
	r->flags = SCP_ATTACHED_FLAGS + 1;
}

static void another_process(struct scp_attached *r)
{
	r->process = 2;
}

static void test_one_that_cannot_be_is_refused(void **state)
{
	(void)state;
	expect_refusal(more_in_calls_than_threads,
		       "of its attachments of a process, number 1 (table 0) contradicts itself");
	expect_refusal(one_longer_than_all,
		       "of its attachments of a process, number 1 (table 0) contradicts itself");
	expect_refusal(unknown_flag,
		       "of its attachments of a process, number 1 (table 0) contradicts itself");
	expect_refusal(another_process, "names process 2, which does not exist");
}

static void test_sums_do_not_wrap(void **state)
{
	struct prof_attached sum = {0}, none = {0}, huge = some;

	(void)state;
	fold_attached(&sum, &none);
	assert_false(sum.known);
	fold_attached(&sum, &some);
	assert_int_equal(sum.flags, SCP_ATTACHED_DETACHED);
	huge.flags = SCP_ATTACHED_WOKEN;
	huge.threads = huge.in_calls = huge.slots.written = UINT32_MAX;
	huge.stopped_ns = huge.stopped_total_ns = UINT64_MAX;
	fold_attached(&sum, &huge);
	assert_int_equal(sum.flags, 0);
	assert_int_equal(sum.threads, UINT32_MAX);
	assert_int_equal(sum.in_calls, UINT32_MAX);
	assert_int_equal(sum.slots.written, UINT32_MAX);
	assert_true(sum.stopped_ns == UINT64_MAX && sum.stopped_total_ns == UINT64_MAX);
	assert_int_equal(sum.slots.gone, 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_written_and_read),
		cmocka_unit_test(test_one_that_cannot_be_is_refused),
		cmocka_unit_test(test_sums_do_not_wrap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Records that hang on an entry: each is there once, wherever a handler leaves while it is made. A
 * reader refuses a profile that has one twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"
#include "preload/table/table.h"
#include "tests/unit/preload/made_thread.h"

#define CHUNK (UINT64_C(16) << 20)

static struct scp_thread *t;

static struct scp_rt *make_entry(void)
{
	static uint64_t frame;
	struct scp_site *s;

	frame++;
	s = path_tree_site(t, path_tree_find(t, &frame, 1, 0), 1);
	assert_non_null(s);
	return table_entry(t, s, SCP_COMPLETED, false, 0);
}

static void make_histogram(void *rt)
{
	table_histogram(t, rt, 1);
}

/* How often the entry's histogram is in the file, and where. */
static unsigned count(const struct scp_rt *rt, const struct scp_hist **found)
{
	const uint8_t *chunk = (const uint8_t *)t->chunk.chunk;
	unsigned n = 0;

	for (uint64_t at = sizeof(struct scp_chunk); at < t->chunk.chunk->used;) {
		const struct scp_hist *h = (const struct scp_hist *)(chunk + at);
		assert_true(h->rec.bytes > 0);
		at += h->rec.bytes;
		if (h->rec.type != SCP_REC_HIST || h->entry != rt->id)
			continue;
		assert_int_equal(h->block, 1);
		*found = h;
		n++;
	}
	return n;
}

static void test_histogram(void **state)
{
	bool gone = true;
	long n;

	(void)state;
	t = made_thread(CHUNK, 1 << 24);
	t->switches.word = &t->switches.still;
	make_entry();
#ifdef __x86_64__
	const long stride = left_stride();
#else
	const long stride = 1;
#endif
	for (n = 1; gone; n += stride) {
		struct scp_rt *rt = make_entry();
		const struct scp_hist *found = NULL;
#ifdef __x86_64__
		sys_sandboxed = 1;
		gone = left_after(n, make_histogram, rt);
		sys_sandboxed = 0;
#else
		gone = n < 10;
#endif
		make_entry(); /* another record comes between */
		if (!rt->more || !rt->more->hist[1])
			make_histogram(rt);
		assert_int_equal(count(rt, &found), 1);
		assert_ptr_equal(rt->more->hist[1], found);
	}
	assert_true(n > 10);
	made_thread_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* What came after a call last time is where the next call looks first; but no memo of a time before
 * all memos were forgotten, whose place another one may have by now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "preload/call/call_fast.h"
#include "tests/unit/preload/made_thread.h"

static struct scp_rt before, after;
static struct scp_site site;
static struct scp_gap gap;
static struct scp_memo *memo, *other;

/* As in the library: not called here. */
struct scp_memo *path_cache_search(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				   uint32_t function)
{
	return t && ra + cfa + fp + function ? memo : NULL;
}

static struct scp_memo *make_memo(uint64_t ra)
{
	struct scp_memo *m = calloc(1, sizeof *m + 4 * MEMO_BLOCK * sizeof m->word[0]);

	assert_non_null(m);
	m->ra = ra;
	m->cfa = 4096;
	m->site = &site;
	m->packed = 4 * MEMO_BLOCK;
	return m;
}

static struct scp_thread *make(void)
{
	struct scp_thread *t = made_thread(SCP_GRANULE, 1 << 16);

	memo = make_memo(100);
	other = make_memo(200);
	before = after = (struct scp_rt){.least = ~UINT64_C(0)};
	before.gap[1] = (struct scp_rt_next){&after, &gap, 0};
	site.rt[SCP_COMPLETED] = &after;
	t->previous = &before;
	return t;
}

static void release(struct scp_thread *t)
{
	free(memo);
	free(other);
	made_thread_free(t);
}

static void test_what_came_after_is_looked_at_first(void **state)
{
	struct scp_thread *t = make();
	struct scp_memo **front = &t->front[memo_slot(memo->ra, memo->cfa)];

	(void)state;
	follower_note(t, memo);
	assert_ptr_equal(before.follower.gap, &gap);
	assert_ptr_equal(before.follower.rt, &after);
	*front = other;
	follower_fetch(t, &before.follower);
	assert_ptr_equal(*front, memo);
	release(t);
}

static void test_a_forgotten_memo_is_not(void **state)
{
	struct scp_thread *t = make();
	struct scp_memo **front = &t->front[memo_slot(memo->ra, memo->cfa)];

	(void)state;
	follower_note(t, memo);
	*front = NULL;
	t->places_since++;
	follower_fetch(t, &before.follower);
	assert_null(*front);
	release(t);
}

/* The first calls have no histogram, and the first gap may not be there yet. */
static void test_where_it_is_counted_is_learned_later(void **state)
{
	struct scp_thread *t = make();
	struct scp_hist *hist = aligned_alloc(_Alignof(struct scp_hist), sizeof *hist);

	(void)state;
	before.gap[1].to = NULL;
	follower_note(t, memo);
	assert_null(before.follower.gap);
	before.gap[1].to = &after;
	after.least = 40;
	after.usual = (uintptr_t)hist; /* of block 0 */
	follower_renew(&before, &before);
	assert_null(before.follower.gap);
	follower_renew(&before, &after);
	assert_ptr_equal(before.follower.gap, &gap);
	assert_ptr_equal(before.follower.count, &hist->count[sums_bucket(40)]);
	free(hist);
	release(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_came_after_is_looked_at_first),
		cmocka_unit_test(test_a_forgotten_memo_is_not),
		cmocka_unit_test(test_where_it_is_counted_is_learned_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

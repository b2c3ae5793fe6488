// SPDX-License-Identifier: GPL-3.0-or-later
/* A memo matches as long as all words hold what they held, and no longer: words that take eight
 * bytes, words that cannot, and both. The first one that differs is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "preload/clock/clock.h"
#include "preload/call/path_cache.c"
#include "tests/unit/preload/made_thread.h"

#define WORDS	 9u
#define FUNCTION 7u
#define CALL	 1, (uint64_t)stack, 3, FUNCTION

static uint64_t stack[MEMO_DISTANCE_MOST + 2u], elsewhere[2];
static struct scp_thread *t;

static int set_up(void **state)
{
	(void)state;
	t = made_thread(SCP_GRANULE, 1 << 16);
	t->memos.first = 1 << 16;
	t->memos.limit = 1 << 24;
	t->no_site.rt[SCP_COMPLETED] = &t->no_entry; /* what a memo leads to is fetched */
	t->previous = &t->start_mark;
	for (unsigned i = 0; i < sizeof stack / sizeof stack[0]; i++)
		stack[i] = UINT64_C(0x7f0000000000) + i;
	t->found.noted_count = t->found.wide = t->found.python_words = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&t->memos);
	made_thread_free(t);
	return 0;
}

static void note(uint64_t *word)
{
	t->found.noted[t->found.noted_count++] = (struct noted_word){(uint64_t)word, *word};
}

static struct scp_memo *make_at(struct memo_place *place)
{
	t->place_missed = place;
	struct scp_memo *m = begin_memo(t, (uint64_t)stack);

	assert_non_null(m);
	assert_false(memo_matches(m, CALL)); /* not complete */
	m->ra = 1;
	m->cfa = (uint64_t)stack;
	*memo_tail(m) = (struct memo_tail){3, 0};
	m->site = &t->no_site;
	m->function = FUNCTION;
	return m;
}

static struct scp_memo *make(void)
{
	static struct memo_place place;

	place = (struct memo_place){0};
	return make_at(&place);
}

/* Each word of the memo in turn holds something else, by one bit. */
static void check(struct scp_memo *m, unsigned bit)
{
	uint32_t at;

	assert_true(memo_matches(m, CALL));
	assert_null(find_difference(m, &at));
	for (uint32_t i = 0; i < t->found.noted_count; i++) {
		uint64_t *word = (uint64_t *)t->found.noted[i].address;

		*word ^= UINT64_C(1) << bit;
		assert_false(memo_matches(m, CALL));
		assert_ptr_equal(find_difference(m, &at), word);
		assert_int_equal(at, i);
		*word ^= UINT64_C(1) << bit;
	}
	assert_true(memo_matches(m, CALL));
}

static void check_all(struct scp_memo *m)
{
	for (unsigned bit = 0; bit < 64; bit++)
		check(m, bit);
}

static void test_words_of_the_stack(void **state)
{
	(void)state;
	for (unsigned count = 0; count <= WORDS; count++) {
		t->found.noted_count = 0;
		for (unsigned i = 0; i < count; i++)
			note(&stack[3 * i]);
		struct scp_memo *m = make();
		assert_int_equal(m->wide, 0);
		assert_true(m->packed >= count && m->packed < count + MEMO_BLOCK);
		check_all(m);
	}
}

static void test_words_of_others_come_first(void **state)
{
	(void)state;
	note(&elsewhere[0]);
	note(&elsewhere[1]);
	t->found.wide = 2;
	for (unsigned i = 0; i < WORDS; i++)
		note(&stack[i]);
	struct scp_memo *m = make();
	assert_int_equal(m->wide, 2);
	assert_true(m->packed >= WORDS);
	check_all(m);
}

/* A word of the stack that does not fit: all are wide, in the order in which they were read. */
static void check_wide(uint64_t *word, uint64_t value)
{
	t->found.noted_count = 0;
	note(&stack[1]);
	*word = value;
	note(word);
	note(&stack[2]);
	struct scp_memo *m = make();
	assert_int_equal(m->wide, 3);
	assert_int_equal(m->packed, 0);
	check_all(m);
}

static void test_words_that_do_not_fit(void **state)
{
	(void)state;
	check_wide(&stack[5], UINT64_C(1) << 48);
	check_wide(&stack[5], UINT64_MAX);
	check_wide(&stack[MEMO_DISTANCE_MOST + 1u], 5);
	check_wide(&elsewhere[0], 5);
	t->found.noted_count = 0;
	stack[MEMO_DISTANCE_MOST] = (UINT64_C(1) << 48) - 1;
	note(&stack[MEMO_DISTANCE_MOST]);
	struct scp_memo *m = make();
	assert_int_equal(m->wide, 0);
	check_all(m);
}

static void test_caller_function_and_frame_pointer(void **state)
{
	uint64_t cfa = (uint64_t)stack;

	(void)state;
	note(&stack[1]);
	struct scp_memo *m = make();
	assert_false(memo_matches(m, 2, cfa, 3, FUNCTION));
	assert_false(memo_matches(m, 1, cfa + 8, 3, FUNCTION));
	assert_false(memo_matches(m, 1, cfa, 3, FUNCTION + 1));
	assert_true(memo_matches(m, 1, cfa, 4, FUNCTION));
	m->function |= MEMO_USES_FP;
	assert_true(memo_matches(m, 1, cfa, 3, FUNCTION));
	assert_false(memo_matches(m, 1, cfa, 4, FUNCTION));
}

/* Four that differ in one word fill a set, each found by way of the one before. A fifth would take
 * the place of one that leads to no other, wherever it prefers to lie. */
static void test_a_memo_that_leads_to_others_stays(void **state)
{
	struct scp_memo *m[MEMO_WAYS];

	(void)state;
	t->place = calloc(MEMO_WAYS, sizeof *t->place);
	t->places = MEMO_WAYS;
	t->places_since = 1;
	note(&stack[0]);
	for (unsigned i = 0; i < MEMO_WAYS; i++) {
		stack[0]++;
		t->found.noted[0].value = stack[0];
		assert_null(search(t, 1, (uint64_t)stack, 3, FUNCTION, false));
		m[i] = make_at(t->place_missed);
		put(t, m[i]);
		assert_ptr_equal(search(t, 1, (uint64_t)stack, 3, FUNCTION, false), m[i]);
	}
	assert_int_equal(t->places_used, MEMO_WAYS);
	for (unsigned other = 0; other < 64; other++) {
		assert_null(memo_look_up(t, (uint64_t)other << 32, 2, 2));
		assert_false(t->place_missed->memo->leads);
	}
	for (unsigned i = 0; i < MEMO_WAYS; i++)
		m[i]->leads = true;
	assert_null(memo_look_up(t, UINT64_C(2) << 32, 2, 2));
	assert_ptr_equal(t->place_missed, &t->place[2]);
	free(t->place);
	t->place = NULL;
	t->places = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words_of_the_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_words_of_others_come_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_words_that_do_not_fit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_memo_that_leads_to_others_stays, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_caller_function_and_frame_pointer, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

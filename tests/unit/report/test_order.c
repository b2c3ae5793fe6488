// SPDX-License-Identifier: GPL-3.0-or-later
/* The sort of a report's rows, against the library's: keys of several words and of none, equal
 * ones, orders that make sorts slow; and how often it asks for a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/model/sites.h"

#define COUNT 20000
#define WORDS 4

struct key {
	uint64_t word[WORDS];
	uint32_t words;
};

static struct key key[COUNT];
static uint64_t asked;

static bool word_of(uint32_t row, uint32_t level, uint64_t *word, const void *context)
{
	const struct key *k = (const struct key *)context + row;

	asked++;
	assert_true(level <= k->words);
	if (level == k->words)
		return false;
	*word = k->word[level];
	return true;
}

static const struct row_sort_keys by_all_words = {.word = word_of, .context = key};

/* A key that ends comes before one that goes on. */
static int by_words(uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < key[a].words && i < key[b].words; i++)
		if (key[a].word[i] != key[b].word[i])
			return key[a].word[i] < key[b].word[i] ? -1 : 1;
	if (key[a].words != key[b].words)
		return key[a].words < key[b].words ? -1 : 1;
	return 0;
}

static int expected(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = by_words(a, b);

	return order ? order : a < b ? -1 : 1;
}

static uint64_t random_next(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

enum shape { RISING, FALLING, EQUAL, ORGAN_PIPE, FEW, TOP_BITS, RANDOM, SHAPES };

static uint64_t word_like(enum shape shape, uint32_t i)
{
	switch (shape) {
	case RISING:
		return i;
	case FALLING:
		return UINT64_MAX - i;
	case EQUAL:
		return 7;
	case ORGAN_PIPE:
		return i < COUNT / 2 ? i : COUNT - i;
	case FEW:
		return random_next() % 5;
	case TOP_BITS:
		return random_next() << 62;
	default:
		return random_next();
	}
}

/* The last words differ little, so that all of them are needed. */
static void make_keys(enum shape shape, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		key[i].words = shape == EQUAL ? WORDS : (uint32_t)(random_next() % (WORDS + 1));
		for (uint32_t k = 0; k < WORDS; k++)
			key[i].word[k] = k ? random_next() % 3 << 8 * k : word_like(shape, i);
	}
}

static void test_sorts_as_the_library_does(void **state)
{
	static uint32_t place[COUNT], want[COUNT];

	(void)state;
	for (enum shape shape = 0; shape < SHAPES; shape++)
		for (uint32_t count = 0; count <= COUNT;
		     count = count < 60 ? count + 1 : count * 6) {
			make_keys(shape, count);
			for (uint32_t i = 0; i < count; i++)
				want[i] = i;
			qsort(want, count, sizeof(*want), expected);
			assert_int_equal(row_sort(place, count, &by_all_words), 0);
			for (uint32_t i = 0; i < count; i++)
				assert_int_equal(place[want[i]], i);
		}
}

static void test_asks_for_each_word_once_and_only_where_it_decides(void **state)
{
	uint32_t place[COUNT];

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		key[i] = (struct key){{i / 2, i % 2}, WORDS};
	asked = 0;
	assert_int_equal(row_sort(place, COUNT, &by_all_words), 0);
	assert_int_equal(asked, 2 * COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		key[i].word[0] = i;
	asked = 0;
	assert_int_equal(row_sort(place, COUNT, &by_all_words), 0);
	assert_int_equal(asked, COUNT);
}

static bool is_seventh(uint32_t row, const void *context)
{
	(void)context;
	return row % 7 == 0;
}

/* Two words always, the rest where it is asked for: in whole runs, so places are exact of all
 * rows that share their first two words with one that matters. */
static void test_rows_that_nobody_asks_for_are_told_apart_by_the_first_words(void **state)
{
	const struct row_sort_keys some = {
		.word = word_of, .context = key, .matters = is_seventh, .always = 2, .first = 1000};
	static uint32_t place[COUNT], exact[COUNT], at[COUNT];
	uint32_t count = 2000, moved = 0;

	(void)state;
	make_keys(FEW, count);
	for (uint32_t i = 0; i < count; i++)
		key[i].word[0] += i % 200; /* so that many runs have no row that matters */
	assert_int_equal(row_sort(exact, count, &by_all_words), 0);
	assert_int_equal(row_sort(place, count, &some), 0);
	memset(at, 0xff, sizeof(at));
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(at[place[i]], UINT32_MAX);
		at[place[i]] = i;
		if (exact[i] < some.first || is_seventh(i, key))
			assert_int_equal(place[i], exact[i]);
		moved += place[i] != exact[i];
	}
	assert_true(moved > 0);
	for (uint32_t i = 0; i < count; i++)
		key[i].words = key[i].words < 2 ? key[i].words : 2;
	for (uint32_t i = 1; i < count; i++)
		assert_true(by_words(at[i - 1], at[i]) <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorts_as_the_library_does),
		cmocka_unit_test(test_asks_for_each_word_once_and_only_where_it_decides),
		cmocka_unit_test(test_rows_that_nobody_asks_for_are_told_apart_by_the_first_words),
	};

	return cmocka_run_group_tests_name("report order", tests, NULL, NULL);
}

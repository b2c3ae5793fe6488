// SPDX-License-Identifier: GPL-3.0-or-later
/* Where Python functions belong among C frames. A stack is a text, its innermost frame first: `o`
 * is a function of the interpreter, `L` its loop, `s` and `S` the same that a signal interrupted,
 * else a letter is a function of another object. Each frame takes 16 bytes of the stack. Python
 * functions are digits in the path that comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "preload/call/walk.h"
#include "preload/second/second.h"

#define STACK 0x1000u
#define ROOM  16u

static struct scp_thread t;
static char path[SCP_MAX_FRAMES + 4];

static uint64_t stack_of(size_t frame)
{
	return STACK + ROOM * frame;
}

/* "2:3 -:1": three functions that frame 2 executes, one of which that is not known. */
static void set_runs(const char *runs)
{
	struct python_stack *p = &t.python;

	memset(p, 0, sizeof(*p));
	for (; *runs; runs += runs[3] ? 4 : 3) {
		struct python_run *run = &p->run[p->runs++];
		if (*runs != '-')
			run->anchor = stack_of((size_t)(*runs - '0')) + 8;
		run->first = p->frames;
		run->count = (uint32_t)(runs[2] - '0');
		for (uint32_t i = 0; i < run->count; i++, p->frames++)
			p->frame[p->frames] = (uint64_t)SCP_FRAME_SOURCE << 48 | (p->frames + 1);
	}
}

static uint8_t kind_of(char c)
{
	return c == 'L' || c == 'S' ? PYTHON_LOOP : c == 'o' || c == 's' ? PYTHON_OWN : PYTHON_NONE;
}

static bool is_interrupted(char c)
{
	return c == 'S' || c == 's';
}

static void try(const char *stack, size_t *met)
{
	struct merge m;
	size_t frames = strlen(stack);

	t.found.frame_count = t.found.flags = 0;
	merge_begin(&m, &t);
	for (*met = 0; *met < frames && !merge_is_full(&m); ++*met) {
		char c = stack[*met];
		struct merge_frame f = {.frame = (uint64_t)c | (uint64_t)is_interrupted(c) << 47,
					.sp = stack_of(*met),
					.end = *met + 1 < frames ? stack_of(*met + 1) : UINT64_MAX,
					.kind = kind_of(c)};
		merge_add(&m, &f);
	}
	merge_end(&m);
}

static char name_of(uint64_t frame)
{
	if (SCP_FRAME_MODULE(frame) == SCP_FRAME_SOURCE)
		return (char)('0' + SCP_FRAME_OFFSET(frame) - 1);
	return (char)frame;
}

/* The path, and "!" where Python frames are missing, "+" where there are more than are kept. */
static const char *merge(const char *stack, const char *runs)
{
	size_t met;

	set_runs(runs);
	try(stack, &met);
	for (uint32_t i = 0; i < t.found.frame_count; i++)
		path[i] = name_of(t.found.frame[i]);
	snprintf(path + t.found.frame_count, 3, "%s%s",
		 t.found.flags & SCP_PATH_PYTHON_CUT ? "!" : "",
		 t.found.flags & filter.full_flag ? "+" : "");
	return path;
}

#define is(stack, runs, expected) assert_string_equal(merge(stack, runs), expected)

static void test_by_address(void **state)
{
	(void)state;
	is("xoooLoooo", "4:1", "x0");
	is("xooLoLoo", "3:2 5:3", "x01234");
	is("xabLocLdo", "3:1 6:1", "xab0c1d");
	/* the innermost frame stays, unless it is the loop */
	is("ooLo", "2:1", "o0");
	is("LooLo", "0:1 3:1", "01");
	is("aLo", "1:1", "a0");
	/* a loop by another name, as where it is inlined */
	is("xooLo", "2:1 3:1", "x01");
	/* two runs of one frame */
	is("xoLo", "2:1 2:2", "x012");
	is("x", "", "x");
	is("xoo", "", "xoo");
}

/* A handler's calls are known by the frame that was interrupted. */
static void test_interrupted_frames_stay(void **state)
{
	(void)state;
	is("xhSoLo", "2:1 4:1", "xhS01");
	is("xhsLoo", "3:1", "xhs0");
	is("xhoLosLo", "3:1 6:1", "xh0s1");
}

static void test_by_counting(void **state)
{
	(void)state;
	is("xooLooLoo", "-:1 -:1", "x01");
	is("oLaLo", "-:1 -:1", "o0a1");
	/* one was just entered, or left, when a signal came: it passes for the next one */
	is("xaSoLoLo", "-:1 -:1", "xaS01Lo!");
	is("xaSoLoLo", "-:1 -:1 -:1", "xaS012");
	is("xaLoLoLo", "-:1 -:1", "xa01Lo!");
}

static void test_without_its_other_half(void **state)
{
	(void)state;
	/* loops */
	is("xoLooLoo", "2:1", "x0Loo!");
	is("xoLooLoLo", "2:1 7:1", "x0Lo1!");
	is("xoLoLooo", "4:1", "xLo0!");
	is("xoLo", "", "xoLo!");
	/* Python functions */
	is("xoLoLo", "2:1 3:2 4:1", "x0123");
	is("xoLaoLo", "2:1 9:2 5:1", "x0a123!");
	is("xoLao", "2:1 9:2", "x0a12!");
	is("xoa", "9:2", "xa01!");
	is("", "9:2", "01!");
	is("xoLa", "2:1 9:2", "x0a12!");
	is("xoL", "2:1 2:1", "x01!");
}

static const char *merge_cut(const char *stack, const char *runs, bool cut, bool full)
{
	size_t met;

	set_runs(runs);
	t.python.cut = cut;
	t.python.full = full;
	try(stack, &met);
	for (uint32_t i = 0; i < t.found.frame_count; i++)
		path[i] = name_of(t.found.frame[i]);
	snprintf(path + t.found.frame_count, 3, "%s%s",
		 t.found.flags & SCP_PATH_PYTHON_CUT ? "!" : "",
		 t.found.flags & filter.full_flag ? "+" : "");
	return path;
}

static void test_what_was_not_read(void **state)
{
	(void)state;
	assert_string_equal(merge_cut("xoLooLoo", "2:1", true, false), "x0ooLoo!");
	assert_string_equal(merge_cut("xoLoo", "2:1", true, false), "x0oo!");
	assert_string_equal(merge_cut("xoo", "", true, false), "xoo!");
	assert_string_equal(merge_cut("xoLooLoo", "2:3", false, true), "x012+");
}

static void test_native(void **state)
{
	(void)state;
	filter.native = true;
	is("xoLooLoo", "2:2 5:1", "xoL01ooL2oo");
	is("xooLooLoo", "-:1 -:1", "xooL0ooL1oo");
	is("xoLooLoo", "2:1", "xoL0ooLoo!");
	filter.native = false;
}

/* What is left out does not count, and what is further out than is kept changes nothing. */
static void test_depth(void **state)
{
	(void)state;
	filter.full_flag = SCP_PATH_LIMITED;
	filter.depth = 3;
	is("xoooLoooLoo", "4:1 8:1", "x01");
	is("xoooLoooLooa", "4:1 8:1", "x01+");
	is("xoooLoooLoo", "4:2 8:1", "x01+");
	is("xoLooooLooLooL", "2:1 7:1 9:1", "x01+");
	is("xoLooooLooLooL", "-:1 -:1 -:1", "x01+");
	is("xoLabo", "2:1 9:1", "x0a+");
	is("aS", "-:1 -:1 -:1", "aS0!+");
	filter.native = true;
	is("xoooLoo", "4:1", "xoo+");
	filter.native = false;
	filter.depth = 1;
	is("Loo", "0:1", "0");
	is("Loo", "0:2", "0+");
	filter.depth = SCP_MAX_FRAMES;
	filter.full_flag = SCP_PATH_TRUNCATED;
}

/* Frames that are met later than a walk may stop: none that are kept depends on them. */
static void test_met_only_as_needed(void **state)
{
	size_t met;

	(void)state;
	filter.depth = 2;
	set_runs("2:1 4:1");
	try("xoLoLaaaaaaa", &met);
	assert_int_equal(met, 5);
	filter.depth = SCP_MAX_FRAMES;
}

static void test_c_frames_for_another_unwinder(void **state)
{
	(void)state;
	second.one_in = 1;
	is("xoLooLoo", "2:2 5:1", "x012");
	second.one_in = 0;
	assert_int_equal(t.c_frames.count, 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(t.c_frames.frame[i], "xoLooLoo"[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_interrupted_frames_stay),
		cmocka_unit_test(test_by_counting),
		cmocka_unit_test(test_without_its_other_half),
		cmocka_unit_test(test_what_was_not_read),
		cmocka_unit_test(test_native),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_met_only_as_needed),
		cmocka_unit_test(test_c_frames_for_another_unwinder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

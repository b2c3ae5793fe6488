// SPDX-License-Identifier: GPL-3.0-or-later
/* The unwinder inside the target gives the frames that libunwind gives, for the
 * kinds of frames that real programs have; and what it notes is all it read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "include/scprof_version.h"
#include "preload/second/libunwind_walk.h"
#include "preload/unwind/unwind.h"

#define FRAMES 200

static struct unwind_work work;
static uint64_t ours[FRAMES], theirs[FRAMES];
static unsigned our_count, their_count, noted;
static enum unwind_result ended;
static enum unwind_result expected_end = UNWIND_END;
static uint64_t refuse_from; /* stack addresses from here on are "not readable"; 0: all are */

static bool note(void *context, uint64_t address, uint64_t value)
{
	(void)context;
	assert_int_equal(*(uint64_t *)address, value);
	noted++;
	return true;
}

static bool readable(void *context, uint64_t address)
{
	(void)context;
	return !refuse_from || address < refuse_from;
}

static void unwind_ours(uint64_t ra, uint64_t sp, uint64_t fp)
{
	static struct unwind_cursor c;
	unwind_register_begin(&c, ra, sp, fp);
	c.work = &work;
	c.note = note;
	c.readable = readable;
	our_count = noted = 0;
	do
		ours[our_count++] = c.pc;
	while (our_count < FRAMES && (ended = unwind_chain_step(&c)) == UNWIND_STEPPED);
}

#ifdef __x86_64__
static bool can_read(uint64_t address)
{
	return address > 4096;
}

/* libunwind as the library asks it, see libunwind_walk.h: from the same three values. */
static void compare_remote(uint64_t ra, uint64_t sp, uint64_t fp)
{
	static struct libunwind_walk w;
	static bool begun;
	begun = begun || scprof_libunwind_begin(SCPROF_VERSION);
	assert_true(begun);
	w = (struct libunwind_walk){.readable = can_read,
				    .find = unwind_object_find_object,
				    .ra = ra,
				    .cfa = sp,
				    .fp = fp,
				    .most = FRAMES};
	scprof_libunwind_walk(&w);
	assert_int_equal(w.end,
			 ended == UNWIND_END ? LIBUNWIND_WALK_ENDED : LIBUNWIND_WALK_STOPPED);
	assert_int_equal(w.count, our_count);
	assert_memory_equal(ours, w.pc, w.count * sizeof *ours);
}
#else
static void compare_remote(uint64_t ra, uint64_t sp, uint64_t fp)
{
	(void)ra, (void)sp, (void)fp;
}
#endif

/* Both unwinds begin at the caller of this function. */
__attribute__((noinline)) static void compare(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t ip;
	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	for (their_count = 0; their_count < FRAMES && unw_step(&cursor) > 0;) {
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		if (!ip)
			break;
		theirs[their_count++] = ip;
	}
	unwind_ours(ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP());
	compare_remote(ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP());
	assert_true(our_count > 3);
	assert_int_equal(ended, expected_end);
	assert_int_equal(our_count, their_count);
	assert_memory_equal(ours, theirs, their_count * sizeof *ours);
}

static volatile int sink;

__attribute__((noinline, optimize("omit-frame-pointer"))) static void plain(int depth)
{
	if (depth)
		plain(depth - 1);
	else
		compare();
	sink++;
}

static void test_plain_frames(void **state)
{
	(void)state;
	for (int depth = 0; depth < 60; depth++)
		plain(depth);
}

/* A frame of varying size is found through the frame pointer: its saved slot is read. */
__attribute__((noinline)) static void with_alloca(int n)
{
	char *p = alloca((size_t)n * 16 + 1);
	memset(p, n, (size_t)n * 16 + 1);
	compare();
	sink += p[n];
}

static void test_frames_of_varying_size(void **state)
{
	(void)state;
	for (int n = 1; n < 200; n += 7)
		with_alloca(n);
}

/* Realigned stacks keep the CFA in an expression. */
__attribute__((noinline)) static void realigned(void)
{
	int lines[64] __attribute__((aligned(256)));
	for (int i = 0; i < 64; i++)
		lines[i] = i;
	__asm__ volatile("" : : "r"(lines) : "memory");
	compare();
	sink += lines[5];
}

static void test_realigned_frames(void **state)
{
	(void)state;
	realigned();
	plain(2);
}

static int compare_elements(const void *a, const void *b)
{
	static int once;
	if (!once++)
		compare();
	return *(const int *)a - *(const int *)b;
}

static void test_through_libc_callbacks(void **state)
{
	int v[50];
	(void)state;
	for (int i = 0; i < 50; i++)
		v[i] = i * 7919 % 50;
	qsort(v, 50, sizeof *v, compare_elements);
	sink += v[0];
}

static void handler(int sig)
{
	(void)sig;
	compare();
}

static void install(int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
	sigemptyset(&sa.sa_mask);
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
}

static void test_through_signal_handlers(void **state)
{
	(void)state;
	install(0);
	raise(SIGUSR1);
}

static void test_from_an_alternate_signal_stack(void **state)
{
	(void)state;
	stack_t s = {.ss_sp = malloc(256 << 10), .ss_size = 256 << 10};
	stack_t off = {.ss_flags = SS_DISABLE};
	assert_int_equal(sigaltstack(&s, NULL), 0);
	install(SA_ONSTACK);
	raise(SIGUSR1);
	assert_int_equal(sigaltstack(&off, NULL), 0);
	free(s.ss_sp);
}

static void *in_thread(void *arg)
{
	plain(5);
	return arg;
}

static void test_in_a_thread(void **state)
{
	pthread_t t;
	(void)state;
	assert_int_equal(pthread_create(&t, NULL, in_thread, NULL), 0);
	pthread_join(t, NULL);
}

static ucontext_t main_context, coroutine;

static void in_coroutine(void)
{
	expected_end = UNWIND_CUT;
	plain(3);
	expected_end = UNWIND_END;
}

/* libc's coroutine start has unwind tables that lead to its argument: no code, and no frame. */
static void test_a_coroutine_ends_at_its_start(void **state)
{
	char *stack = malloc(256 << 10);
	(void)state;
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = 256 << 10;
	coroutine.uc_link = &main_context;
	makecontext(&coroutine, in_coroutine, 0);
	assert_int_equal(swapcontext(&main_context, &coroutine), 0);
	free(stack);
}

/* An ordinary path depends on one word a frame: that is what a memo compares. */
static void test_an_ordinary_frame_costs_one_word(void **state)
{
	(void)state;
	plain(0);
	unsigned frames0 = our_count, noted0 = noted;
	plain(20);
	assert_int_equal(our_count - frames0, 20);
	assert_int_equal(noted - noted0, 20);
}

__attribute__((noinline)) static void unwind_here(void)
{
	unwind_ours(ARCH_RETURN_ADDRESS(), ARCH_CALLER_SP(), ARCH_CALLER_FP());
}

__attribute__((noinline)) static void deep(int depth)
{
	if (depth)
		deep(depth - 1);
	else
		unwind_here();
	sink++;
}

static void test_memory_that_may_not_be_read_cuts_the_path(void **state)
{
	(void)state;
	deep(20);
	unsigned whole = our_count;
	refuse_from = (uint64_t)__builtin_frame_address(0) - 64;
	deep(20);
	refuse_from = 0;
	assert_int_equal(ended, UNWIND_CUT);
	assert_true(our_count < whole);
}

static void test_code_without_tables_cuts_the_path(void **state)
{
	char fake[64];
	(void)state;
	unwind_ours((uint64_t)fake, ARCH_CALLER_SP(), ARCH_CALLER_FP());
	assert_int_equal(our_count, 1);
	assert_int_equal(ended, UNWIND_CUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_frames),
		cmocka_unit_test(test_frames_of_varying_size),
		cmocka_unit_test(test_realigned_frames),
		cmocka_unit_test(test_through_libc_callbacks),
		cmocka_unit_test(test_through_signal_handlers),
		cmocka_unit_test(test_from_an_alternate_signal_stack),
		cmocka_unit_test(test_in_a_thread),
		cmocka_unit_test(test_a_coroutine_ends_at_its_start),
		cmocka_unit_test(test_an_ordinary_frame_costs_one_word),
		cmocka_unit_test(test_memory_that_may_not_be_read_cuts_the_path),
		cmocka_unit_test(test_code_without_tables_cuts_the_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Which memory passes for the calling thread's own stack: never any other, whenever a handler
 * looks, or leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "tests/unit/preload/made_thread.h"

#define PAGE  UINT64_C(4096)
#define STACK (16 * PAGE)

static uintptr_t here(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

static void forget(void)
{
	stack_bounds = (struct stack_bounds){0};
}

static void test_own_stack(void **state)
{
	uintptr_t sp = here();

	(void)state;
	forget();
	assert_false(stack_holds(sp));
	assert_true(stack_find(sp));
	assert_true(stack_holds(sp));
	assert_false(stack_holds((uintptr_t)&stack_bounds));
	assert_false(stack_holds(UINTPTR_MAX - 7));
}

static uint8_t memory[STACK];

static void test_static_memory(void **state)
{
	(void)state;
	forget();
	assert_false(stack_find((uintptr_t)memory + STACK / 2));
	assert_true(stack_find(here()));
	assert_false(stack_holds((uintptr_t)memory + STACK / 2));
}

static void test_signal_stack_inside(void **state)
{
	uint8_t inside[4 * PAGE];

	(void)state;
	forget();
	stack_note_signal_stack((uintptr_t)inside, sizeof inside);
	assert_false(stack_find((uintptr_t)inside + PAGE));
	assert_true(stack_find(here()));
	assert_false(stack_find((uintptr_t)inside + PAGE));
	stack_note_signal_stack(0, 0);
	assert_true(stack_find((uintptr_t)inside + PAGE));
}

/* Memory right below what a thread knows as the end of its stack, with no hole in between. */
static void *find_below(void *end)
{
	uintptr_t sp = *(uintptr_t *)end;

	forget();
	return (void *)(uintptr_t)stack_find(sp);
}

/* The main thread's control block does not lie at the end of its stack: what is mapped below is
 * other memory. */
static void test_below_control_block(void **state)
{
	uintptr_t page = (arch_thread_pointer() & ~(uintptr_t)(PAGE - 1)), sp;

	(void)state;
	/* in the page of the control block, or mapped right below it */
	while (page > PAGE &&
	       mmap((void *)(page - PAGE), PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		page -= PAGE;
	sp = page - PAGE / 2;
	assert_null(find_below(&sp));
	assert_true(stack_find(here()));
	munmap((void *)(page - PAGE), PAGE);
}

static void *find_own(void *known)
{
	forget();
	*(bool *)known = stack_find(here()) && stack_holds(here());
	return NULL;
}

static void test_stack_of_thread(void **state)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool known;

	(void)state;
	pthread_attr_init(&attr);
	for (unsigned given = 0; given < 2; given++) {
		known = false;
		if (given)
			assert_int_equal(pthread_attr_setstack(&attr, memory, sizeof memory), 0);
		else
			assert_int_equal(pthread_attr_setstacksize(&attr, 16384), 0);
		assert_int_equal(pthread_create(&thread, &attr, find_own, &known), 0);
		pthread_join(thread, NULL);
		assert_true(known);
	}
	pthread_attr_destroy(&attr);
}

static void *fork_and_find(void *status)
{
	pid_t child = fork();

	if (child == 0) {
		forget();
		_exit(stack_find(here()) && stack_holds(here()) ? 0 : 1);
	}
	if (waitpid(child, status, 0) != child)
		*(int *)status = -1;
	return NULL;
}

/* Its only thread is not the one that the program began with. */
static void test_child_of_thread(void **state)
{
	pthread_t thread;
	int status = -1;

	(void)state;
	forget();
	assert_true(stack_find(here()));
	assert_int_equal(pthread_create(&thread, NULL, fork_and_find, &status), 0);
	pthread_join(thread, NULL);
	assert_int_equal(status, 0);
}

static bool found_in_context;
static ucontext_t outside;

static void look_in_context(void)
{
	found_in_context = stack_find(here());
}

static void test_coroutine(void **state)
{
	ucontext_t inside;
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	for (unsigned before = 0; before < 2; before++) {
		forget();
		if (before)
			assert_true(stack_find(here()));
		getcontext(&inside);
		inside.uc_stack.ss_sp = stack;
		inside.uc_stack.ss_size = STACK;
		inside.uc_link = &outside;
		makecontext(&inside, look_in_context, 0);
		swapcontext(&outside, &inside);
		assert_false(found_in_context);
		assert_true(stack_find(here()));
	}
	munmap(stack, STACK);
}

#ifdef __x86_64__
static unsigned looks, lies;

static void look(void)
{
	looks++;
	lies += stack_holds(UINTPTR_MAX - 7) || stack_holds(16) || stack_holds((uintptr_t)memory) ||
		stack_holds((uintptr_t)__environ + (64u << 20));
}

static void find(void *sp)
{
	stack_find(*(uintptr_t *)sp);
}

static void test_looked_at_anywhere(void **state)
{
	uintptr_t sp = here(), deeper = sp - 4 * PAGE;

	(void)state;
	forget();
	left.at_each = look;
	looks = lies = 0;
	left_after(-1, find, &sp);
	assert_true(stack_holds(sp));
	*(volatile char *)deeper = 0;
	left_after(-1, find, &deeper);
	left.at_each = NULL;
	assert_true(stack_holds(deeper));
	assert_true(looks > 50);
	assert_int_equal(lies, 0);
}

static void test_left_anywhere(void **state)
{
	uintptr_t sp = here();
	bool gone = true;

	(void)state;
	for (long steps = 1; gone; steps++) {
		forget();
		gone = left_after(steps, find, &sp);
		assert_false(stack_holds(UINTPTR_MAX - 7));
		assert_true(stack_find(sp));
		assert_false(stack_holds(UINTPTR_MAX - 7));
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_stack),
		cmocka_unit_test(test_static_memory),
		cmocka_unit_test(test_signal_stack_inside),
		cmocka_unit_test(test_below_control_block),
		cmocka_unit_test(test_stack_of_thread),
		cmocka_unit_test(test_child_of_thread),
		cmocka_unit_test(test_coroutine),
#ifdef __x86_64__
		cmocka_unit_test(test_looked_at_anywhere),
		cmocka_unit_test(test_left_anywhere),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

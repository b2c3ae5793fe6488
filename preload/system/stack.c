// SPDX-License-Identifier: Apache-2.0
/* The own stack ends where the kernel put the arguments of the program, or, of other threads, at
 * the thread's control block, which libc keeps at the top of its stack. From the stack pointer up
 * to there every page is asked about once. */
#include <signal.h>

#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define PAGE	   UINT64_C(4096)
#define PAGES_MOST 4096u /* that are asked about at a time */

__thread struct stack_bounds stack_bounds;

extern void *__libc_stack_end __attribute__((weak));

static void set_range(struct stack_range *r, size_t meanwhile, uintptr_t low, size_t bytes)
{
	r->bytes = meanwhile;
	compiler_barrier();
	r->low = low;
	compiler_barrier();
	r->bytes = bytes;
}

/* In between all is taken for the signal stack, where the kernel is asked. */
void stack_note_signal_stack(uintptr_t low, size_t bytes)
{
	set_range(&stack_bounds.signal, SIZE_MAX, low, bytes);
}

/* Is the stack of `page` the one that ends at `end`? */
static COLD bool reaches(uintptr_t page, uintptr_t end)
{
	struct stack_bounds *b = &stack_bounds;
	if (page >= end || end - page > PAGES_MOST * PAGE)
		return false;
	/* `page` is the one that we run on; the last one has the control block at `end`. */
	uintptr_t known = b->own.bytes && page < b->own.low ? b->own.low : end & ~(PAGE - 1);
	uintptr_t hole = page + PAGE;
	while (hole < known && sys_can_read(hole))
		hole += PAGE;
	if (hole < known) {
		set_range(&b->other, 0, page, hole - page);
		return false;
	}
	b->end = end;
	set_range(&b->own, 0, page, end - page);
	return true;
}

/* The control block of the main thread, once that was seen: 0 before. A child that another thread
 * forked has that thread's, on whose stack it runs. */
static uintptr_t main_block;

static uintptr_t arguments(void)
{
	return &__libc_stack_end ? ((uintptr_t)__libc_stack_end | (PAGE - 1)) + 1 : 0;
}

COLD bool stack_ends_at_arguments(void)
{
	return stack_bounds.end == arguments();
}

/* The main thread's control block lies elsewhere, with memory of any kind below. */
static COLD uintptr_t find_end(void)
{
	uintptr_t block = arch_thread_pointer();
	uintptr_t of_main = __atomic_load_n(&main_block, __ATOMIC_RELAXED);
	if (!of_main && sys_gettid() == sys_getpid())
		__atomic_store_n(&main_block, of_main = block, __ATOMIC_RELAXED);
	if (block != of_main)
		return block & ~(uintptr_t)7;
	return arguments();
}

COLD bool stack_find(uintptr_t sp)
{
	const struct stack_bounds *b = &stack_bounds;
	uintptr_t page = sp & ~(PAGE - 1);
	if (stack_range_has(&b->signal, sp))
		return false;
	if (stack_holds(sp))
		return true;
	if (sys_sandboxed || stack_range_has(&b->other, sp))
		return false;
	return reaches(page, b->end ? b->end : find_end());
}

/* One of SS_AUTODISARM the kernel puts out of use while a handler runs on it. */
COLD size_t stack_room(void)
{
	stack_t s;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (stack_find(here) || sys_sandboxed || sys2(SYS_sigaltstack, 0, &s) != 0)
		return SIZE_MAX;
	bool noted = (s.ss_flags & SS_DISABLE) && stack_range_has(&stack_bounds.signal, here);
	uintptr_t low = noted ? stack_bounds.signal.low : (uintptr_t)s.ss_sp;
	if (!noted && !(s.ss_flags & SS_ONSTACK))
		return SIZE_MAX;
	return here >= low ? here - low : 0;
}

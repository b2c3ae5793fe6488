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

void stack_note_signal_stack(uintptr_t low, size_t bytes)
{
	stack_bounds.signal_low = low;
	stack_bounds.signal_high = low + bytes;
}

static bool is_on_signal_stack(uintptr_t sp)
{
	const struct stack_bounds *b = &stack_bounds;
	return sp - b->signal_low < b->signal_high - b->signal_low;
}

/* The first page in [from, to) that may not be read, or `to`. */
static uintptr_t first_hole(uintptr_t from, uintptr_t to)
{
	while (from < to && sys_can_read(from))
		from += PAGE;
	return from;
}

/* Is the stack of `page` the one that ends at `end`? */
static bool reaches(uintptr_t page, uintptr_t end)
{
	struct stack_bounds *b = &stack_bounds;
	if (page >= end || end - page > PAGES_MOST * PAGE)
		return false;
	uintptr_t known = b->high == end && page < b->low ? b->low : end;
	/* `page` is the one that we run on. */
	uintptr_t hole = first_hole(page + PAGE, known);
	if (hole < known) {
		b->other_low = page;
		b->other_high = hole;
		return false;
	}
	/* In this order a handler that leaves for good leaves no lie behind. */
	b->low = b->high = 0;
	compiler_barrier();
	b->low = page;
	compiler_barrier();
	b->high = end;
	return true;
}

COLD bool stack_find(uintptr_t sp)
{
	const struct stack_bounds *b = &stack_bounds;
	uintptr_t page = sp & ~(PAGE - 1);
	if (is_on_signal_stack(sp))
		return false;
	if (stack_holds(sp))
		return true;
	if (sys_sandboxed || sp - b->other_low < b->other_high - b->other_low)
		return false;
	if (b->high)
		return reaches(page, b->high);
	return reaches(page, (uintptr_t)__builtin_thread_pointer() & ~(uintptr_t)7) ||
	       (&__libc_stack_end && reaches(page, ((uintptr_t)__libc_stack_end | (PAGE - 1)) + 1));
}

COLD size_t stack_room(void)
{
	stack_t s;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (stack_find(here))
		return SIZE_MAX;
	if (sys_sandboxed || sys2(SYS_sigaltstack, 0, &s) != 0 || !(s.ss_flags & SS_ONSTACK))
		return SIZE_MAX;
	return here >= (uintptr_t)s.ss_sp ? here - (uintptr_t)s.ss_sp : 0;
}

// SPDX-License-Identifier: Apache-2.0
/* Which memory of a stack may be read without asking the kernel. What lies between the stack
 * pointer and the end of the stack that a thread was born with stays mapped as long as the thread
 * lives; of any other stack (a coroutine's, an alternate signal stack) nothing is known, page by
 * page.
 *
 * Thread rules: state is the calling thread's own; async-signal-safe. */
#pragma once

#include "preload/system/util.h"

#define STACK_TO_UNWIND	  3072u /* below this the caller alone is recorded */
#define STACK_TO_BEGIN	  896u	/* below this no thread begins to record */
#define STACK_TO_DESCRIBE 768u	/* below this no loaded object is described, and no index grows */
#define STACK_TO_RECORD	  512u	/* below this nothing new is begun... */
#define STACK_TO_ADD	  256u	/* ...but a gap: two small records */
#define STACK_TO_GROW	  1024u /* below this the file does not grow */

/* A handler may look, or leave for good, while one is written: in between it has no bytes. */
struct stack_range {
	uintptr_t low;
	size_t bytes;
};

struct stack_bounds {
	struct stack_range own; /* the known part of the calling thread's own stack */
	uintptr_t end;		/* of that; 0: not found yet */
	/* Here it was looked for in vain: another stack, up to a hole. */
	struct stack_range other;
	/* The alternate signal stack, which may lie inside of the own one, or just below. */
	struct stack_range signal;
};
extern HIDDEN __thread struct stack_bounds stack_bounds;

static inline bool stack_range_has(const struct stack_range *r, uintptr_t address)
{
	return address - r->low < r->bytes;
}

/* The calling thread has a new alternate signal stack; 0 bytes: none. */
HIDDEN void stack_note_signal_stack(uintptr_t low, size_t bytes);

/* Is the word at `address` on the part of the own stack that is known? */
static inline bool stack_holds(uintptr_t address)
{
	return stack_range_has(&stack_bounds.own, address);
}

/* Is the own stack the main thread's, above whose known end the program's arguments and environment
 * go on? */
HIDDEN bool stack_ends_at_arguments(void);

/* Make the own stack known from `sp` on, if that is where `sp` is. Asks the kernel about pages that
 * are new: slow paths only. False: another stack, or a sandbox. */
HIDDEN bool stack_find(uintptr_t sp);

/* How much stack is left, where that can be little: bytes on the alternate signal stack that we are
 * on; SIZE_MAX on any other stack, and in a sandbox, where the kernel must not be asked. One system
 * call where we are not on the known part of the own stack. */
HIDDEN size_t stack_room(void);

// SPDX-License-Identifier: Apache-2.0
/* Around the original of a selected function. A stub jumps to scprof_chosen_call (assembly), which
 * calls the original between selected_call_begin and selected_call_end. */
#pragma once

#include "preload/call/call.h"
#include "preload/function/selected.h"
#include "include/scprof_selected.h"

/* To measure what such a call costs: a stub of a record in private memory. selected_call_disturbed:
 * a call that was measured, of whatever kind, could not take its way (code was unloaded, the
 * process stood still), and was not recorded. */
#define SELECTED_SCRATCH 0x80000000u /* its record's flag */
extern HIDDEN struct scp_selected selected_call_scratch;
extern HIDDEN bool selected_call_disturbed;
HIDDEN long selected_scratch_stub(int, const void *, size_t, int);

/* What scprof_chosen_call is to do next. */
enum selected_step {
	SELECTED_PASS = 0, /* not recorded: jump to the original, with nothing left behind */
	SELECTED_TSC = 1,  /* read the counter, call */
	SELECTED_CALL = 2, /* the clock is read: call */
	SELECTED_SLOW = 3, /* save the vector registers, and ask selected_call_begin_slow */
	SELECTED_LARGE =
		4 /* copy .words of the stack to below the frame, ask selected_call_start */
};

enum selected_way { WAY_NONE = 0, WAY_TSC, WAY_PAGE, WAY_TSC_NESTED, WAY_PAGE_NESTED, WAY_SLOW };

/* The frame of scprof_chosen_call, from its stack pointer on. Its assembly knows the offsets. */
struct selected_frame {
	uint64_t stack[SELECTED_STACK_FAST]; /* copied arguments */
	struct arch_arguments arguments;
	struct scp_selected *symbol;
	void *real;
	uint64_t began_at, ended_at; /* the counter, where it is the clock */
	uint32_t step;		     /* enum selected_step */
	uint32_t vectors;	     /* width that is in use: 0 xmm, 1 ymm, 2 zmm */
	struct scp_call call; /* of the fastest way its thread, site, generation and way only */
	uint64_t *caller;     /* where the caller's frame pointer and the return address lie */
	uint64_t words;	      /* SELECTED_LARGE: of stack arguments */
};
/* From the end of the arguments on the distances are the same on all processors. */
#define AFTER_ARGUMENTS(field)                                                                     \
	(offsetof(struct selected_frame, field) - offsetof(struct selected_frame, symbol))
_Static_assert(offsetof(struct selected_frame, arguments) == 256 &&
		       offsetof(struct selected_frame, symbol) ==
			       256 + sizeof(struct arch_arguments) &&
		       AFTER_ARGUMENTS(real) == 8 && AFTER_ARGUMENTS(began_at) == 16 &&
		       AFTER_ARGUMENTS(ended_at) == 24 && AFTER_ARGUMENTS(step) == 32 &&
		       AFTER_ARGUMENTS(vectors) == 36 && AFTER_ARGUMENTS(caller) == 176 &&
		       AFTER_ARGUMENTS(words) == 184,
	       "known to the assembly");

/* All return an enum selected_step; the first touches no vector register. */
HIDDEN uint32_t selected_call_begin(struct selected_frame *f);
HIDDEN uint32_t selected_call_begin_slow(struct selected_frame *f);
/* The arguments are copied: read the clock, unless it is the counter; say which step follows. */
HIDDEN uint32_t selected_call_start(struct selected_frame *f);
/* SELECTED_SLOW: selected_call_end_slow must follow, with the results in vector registers saved. */
HIDDEN uint32_t selected_call_end(struct selected_frame *f);
HIDDEN void selected_call_end_slow(struct selected_frame *f);

/* Of the trampoline's frame: notes that an exception leaves it. See the Itanium C++ ABI, level
 * I, 1.6.1. */
HIDDEN int selected_call_personality(int version, int actions, uint64_t class, void *exception,
				     void *context);

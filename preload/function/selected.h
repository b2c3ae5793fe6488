// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "include/scprof_selected.h"
#include "preload/function/function.h"
#include "preload/system/util.h"

/* Selected functions: those that `scprof run -s` names. A stub object (see scprof_selected.h)
 * exports them; their originals, and their records in the profile. Their function ids follow those
 * of the wrappers. What a stub jumps to is in selected_call.h. */

/* The stub object's table: of the preloaded one, or what a session opened (attach/slots_stubs.c).
 * NULL: none. */
extern HIDDEN const struct scp_selected_table *selected_now;

static inline uint32_t selected_count(void)
{
	return selected_now ? selected_now->count : 0;
}

static inline struct scp_selected *selected_symbol(uint32_t i)
{
	return (struct scp_selected *)((char *)(uintptr_t)selected_now + selected_now->symbols) + i;
}

/* Find the originals that the program's own libraries have. Start-up only. */
HIDDEN void selected_resolve_all(void);

/* dlsym with a handle: the stub of what it finds, if that is a selected function. */
HIDDEN void *selected_dlsym(void *handle, const char *name);

/* libc's own. */
HIDDEN void *selected_real_dlsym(void);

/* Is it malloc, or one of its kin that dlsym may use? */
HIDDEN bool selected_is_memory(uint32_t i);

/* As it is shown. */
HIDDEN const char *selected_name(uint32_t id);

/* Write the FUNCTION records, and the entries of process.function. False: no room for them, and
 * calls could not be told whose they are. */
HIDDEN bool selected_write_records(void);

/* The original of a symbol for a caller at `ra`, as the dynamic linker would have bound it had
 * there been no stub. Takes the loader's lock. *of_caller (or NULL) keeps what holds for this
 * caller alone. selected_absent where there is none. */
HIDDEN void *selected_find_real(struct scp_selected *s, uint64_t ra, void **of_caller);

/* Stands in for a function that no object defines: a program that calls one would not have started,
 * or would have called address 0. */
HIDDEN void selected_absent(void);

/* Which part of a caller's stack is passed on to the original of a selected function: all that can
 * be arguments. They end where the caller's frame does. Where the tool knows how many words the
 * function has (include/scprof_selected.h), no more than that; where it does not, all of the frame,
 * up to a size that costs little to copy. Never a part of them: such a call is not recorded. */

#define SELECTED_STACK_FAST    32u /* words that the trampoline's frame has room for */
#define SELECTED_STACK_STEP    4u  /* of which so many are copied at a time */
#define SELECTED_STACK_REFUSED UINT16_MAX
#define SELECTED_FRAME_UNKNOWN UINT64_MAX

/* How many words from `cfa` on are to be copied for this symbol: a multiple of SELECTED_STACK_STEP,
 * more than SELECTED_STACK_FAST, or SELECTED_STACK_REFUSED. `frame`: words of the caller's frame
 * there, or SELECTED_FRAME_UNKNOWN. Asks the kernel which memory there is: slow path only. */
HIDDEN uint32_t selected_stack_words(uint32_t id, uint64_t cfa, uint64_t frame);

/* The words of a caller that is scprof_chosen_call itself: its original has left the call to
 * another function, which has at most the arguments that were copied. `frame`: up to its end. */
HIDDEN uint64_t selected_stack_copied(uint64_t cfa, uint64_t fp, uint64_t frame);

/* A call was refused. */
HIDDEN void selected_stack_count(uint32_t id);

/* Which definition of a function is called: the loader takes the first one, of the program, then
 * of what is preloaded, in order. */

/* Which object stands before us and defines functions of `groups` or selected ones, too, and which
 * functions, in words: "libx.so (malloc, free)"; or "". Takes the loader's lock: start-up only. */
HIDDEN void precedence_read(uint32_t groups, char *text, size_t room);

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "include/scprof_selected.h"
#include "preload/function/function.h"
#include "preload/process/process.h"
#include "preload/system/util.h"

/* Selected functions: those that `scprof run -s` names. A stub object (see scprof_selected.h)
 * exports them; their originals, and their records in the profile. What a stub jumps to is in
 * selected_call.h.
 *
 * The program may keep the address of a stub: it is called in later sessions, too, which have
 * another table or none. Its record leads to its own table, which stays; its function id is none
 * of the later session's, and such a call passes through. */

/* The stub object's table: of the preloaded one, or what a session opened (attach/slots_stubs.c).
 * NULL: none. Another session may change it at any instant: read it once. */
extern HIDDEN const struct scp_selected_table *selected_now;

static inline const struct scp_selected_table *selected_table(void)
{
	return __atomic_load_n(&selected_now, __ATOMIC_ACQUIRE);
}

static inline uint32_t selected_count(void)
{
	const struct scp_selected_table *t = selected_table();
	return t ? t->count : 0;
}

static inline struct scp_selected *selected_symbol(const struct scp_selected_table *t, uint32_t i)
{
	return (struct scp_selected *)((char *)(uintptr_t)t + t->symbols) + i;
}

/* What its callers are led to. */
static inline char *selected_stub(const struct scp_selected_table *t, uint32_t i)
{
	return (char *)(uintptr_t)t + t->stubs + (uint64_t)i * SCP_SELECTED_STUB_BYTES;
}

/* The text at an offset of its record: .name, .version, .shown, .soname. */
static inline const char *selected_text(const struct scp_selected *s, uint32_t offset)
{
	return (s->table ? (const char *)s + s->table : (const char *)selected_table()) + offset;
}

_Static_assert(FN_COUNT <= REGION_FIRST, "wrappers have the first ids");

static inline uint32_t selected_id(const struct scp_selected *s)
{
	return SELECTED_FIRST + s->id;
}

/* Of a function id; NULL: it is none of this session's selected functions. */
HIDDEN struct scp_selected *selected_find(uint32_t function);

/* Where the function has its place in what is kept of this session's: below PROCESS_FUNCTIONS, or
 * that, where it is none of them. */
HIDDEN uint32_t selected_slot(uint32_t function);

/* Its record in the profile; NULL: it has none. */
static inline struct scp_function *selected_record(uint32_t function)
{
	uint32_t slot = selected_slot(function);
	return slot < PROCESS_FUNCTIONS ? process.function[slot] : NULL;
}

/* Is it a selected function of an earlier session? */
static inline bool selected_is_over(uint32_t function)
{
	return function >= SELECTED_FIRST && function < FN_SCRATCH_SYSTEM &&
	       !selected_find(function);
}

/* Find the originals that the program's own libraries have. Where a session begins, only: a table
 * that an earlier one had may know some that are gone. */
HIDDEN void selected_resolve_all(void);

/* dlsym with a handle: the stub of what it finds, if that is a selected function. */
HIDDEN void *selected_dlsym(void *handle, const char *name);

/* libc's own. */
HIDDEN void *selected_real_dlsym(void);

/* Is it malloc, or one of its kin that dlsym may use? */
HIDDEN bool selected_is_memory(const struct scp_selected *s);

/* As it is shown. */
HIDDEN const char *selected_name(uint32_t id);

/* Write the FUNCTION records, and the entries of process.function. False: no room for them, and
 * calls could not be told whose they are. */
HIDDEN bool selected_write_records(void);

/* The original of a symbol for a caller at `ra`, as the dynamic linker would have bound it had
 * there been no stub. Takes the loader's lock. *of_caller (or NULL) keeps what holds for this
 * caller alone. One that traps where there is none. */
HIDDEN void *selected_find_real(struct scp_selected *s, uint64_t ra, void **of_caller);

/* Which part of a caller's stack is passed on to the original of a selected function: all that can
 * be arguments. They end where the caller's frame does. Where the tool knows how many words the
 * function has (include/scprof_selected.h), no more than that; where it does not, all of the frame,
 * up to a size that costs little to copy. Never a part of them: such a call is not recorded. */

#define SELECTED_STACK_FAST    32u /* words that the trampoline's frame has room for */
#define SELECTED_STACK_STEP    4u  /* of which so many are copied at a time */
#define SELECTED_STACK_REFUSED UINT16_MAX
#define SELECTED_FRAME_UNKNOWN UINT64_MAX

/* Stands for what overhead.c measures with, which has no table. */
extern HIDDEN const struct scp_selected selected_scratch;

/* How many words from `cfa` on are to be copied for this symbol (NULL: nothing is known of it): a
 * multiple of SELECTED_STACK_STEP, more than SELECTED_STACK_FAST, or SELECTED_STACK_REFUSED.
 * `frame`: words of the caller's frame there, or SELECTED_FRAME_UNKNOWN. Asks the kernel which
 * memory there is: slow path only. */
HIDDEN uint32_t selected_stack_words(const struct scp_selected *s, uint64_t cfa, uint64_t frame);

/* The words of a caller that is scprof_chosen_call itself: its original has left the call to
 * another function, which has at most the arguments that were copied. `frame`: up to its end. */
HIDDEN uint64_t selected_stack_copied(uint64_t cfa, uint64_t fp, uint64_t frame);

/* A call was refused. */
HIDDEN void selected_stack_count(const struct scp_selected *s);

/* Which definition of a function is called: the loader takes the first one, of the program, then
 * of what is preloaded, in order. */

/* Which object stands before us and defines functions of `groups` or selected ones, too, and which
 * functions, in words: "libx.so (malloc, free)"; or "". Takes the loader's lock: start-up only. */
HIDDEN void precedence_read(uint32_t groups, char *text, size_t room);

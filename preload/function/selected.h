// SPDX-License-Identifier: Apache-2.0
/* Selected functions: those that `scprof run -s` names. A stub object (see scprof_selected.h)
 * exports them; their originals, and their records in the profile. Their function ids follow those
 * of the wrappers. What a stub jumps to is in selected_call.h. */
#ifndef SCPROF_PRELOAD_FUNCTION_SELECTED_H
#define SCPROF_PRELOAD_FUNCTION_SELECTED_H

#include "preload/function/function.h"
#include "include/scprof_selected.h"
#include "preload/system/util.h"

/* The stub object's table: of the preloaded one, or what a session opened (attach/slots_stubs.h).
 * NULL: none. */
extern HIDDEN const struct scp_selected_table *selected_now;

static inline const struct scp_selected_table *selected_table(void)
{
	return selected_now;
}

static inline uint32_t selected_count(void)
{
	return selected_table() ? selected_table()->count : 0;
}

/* Find the originals that the program's own libraries have. Start-up only. */
HIDDEN void selected_resolve_all(void);

/* What callers of symbol `i` are bound to, and its name; NULL: nothing, yet. Start-up only. */
HIDDEN void *selected_first(uint32_t i, const char **name);

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

#endif

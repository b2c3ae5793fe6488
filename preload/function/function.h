// SPDX-License-Identifier: Apache-2.0
/* The wrapped functions: their ids, the originals behind them, and their records
 * in the profile. All come from the one list in wrappers.def. */
#pragma once

#include "preload/system/util.h"

#define SOCKET	SCP_GROUP_SOCKET
#define IO	SCP_GROUP_IO
#define WAIT	SCP_GROUP_WAIT
#define RESOLVE SCP_GROUP_RESOLVE

enum function_id {
#define SCP_WRAP(ret, name, ...) FN_##name,
#define SCP_SYSCALL(name, ...)	 FN_syscall_##name,
#define SCP_HOOK(name)		 FN_##name,
#include "preload/function/wrappers.def"
#undef SCP_WRAP
#undef SCP_SYSCALL
#undef SCP_HOOK
	FN_COUNT
};

/* The next definition of each function after ours, in loading order, or
 * function_absent. NULL only before function_resolve_all: nothing is recorded then. */
extern HIDDEN void *function_real[FN_COUNT];

/* Must the processor be made to finish what precedes a reading of the clock? Not around libc's own:
 * they are system calls, which wait for it anyway. */
extern HIDDEN bool function_is_ordered[FN_COUNT];

/* Of no wrapper, nor any selected function: to measure overhead with. */
#define FN_SCRATCH	  (~0u >> 1)
#define FN_SCRATCH_SYSTEM (FN_SCRATCH - 1) /* as libc's */

static inline bool function_wants_order(uint32_t id)
{
	return id < FN_COUNT ? function_is_ordered[id] : id != FN_SCRATCH_SYSTEM;
}

/* The same for the two entries in assembly. */
extern HIDDEN void *entry_real_syscall, *entry_real_prctl;

/* Fill function_real. Takes the loader's lock: start-up only. */
HIDDEN void function_resolve_all(void);

/* Stands in for a function that libc does not have: ENOSYS. */
HIDDEN long function_absent(void);

/* For a call that comes before function_resolve_all has run. */
HIDDEN void *function_resolve(enum function_id id);

static inline void *function_original(enum function_id id)
{
	void *p = function_real[id];
	return likely(p != NULL) ? p : function_resolve(id);
}

/* Shown under the name that a programmer writes: __recv_chk is recv. */
struct function_info {
	const char *symbol, *shown;
	uint32_t group; /* or several; 0: only hooked */
};
extern HIDDEN const struct function_info function_info[FN_COUNT];

/* How long the FUNCTION record of a function of this name is; what is in it but for its head, which
 * is there, and its library. */
struct scp_function;
HIDDEN uint64_t function_record_bytes(const char *name);
HIDDEN void function_fill_record(struct scp_function *f, uint32_t id, uint32_t group,
				 const char *name);

/* Write the FUNCTION records and process.function. */
HIDDEN void function_write_records(void);

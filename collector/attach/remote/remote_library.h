// SPDX-License-Identifier: GPL-3.0-or-later
/* Room on a stack, and libscprof.so, in a process. All is read from the process, and trusted in
 * nothing. */
#ifndef SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_LIBRARY_H
#define SCPROF_COLLECTOR_ATTACH_REMOTE_REMOTE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/attach/remote/remote.h"
#include "collector/machine/proc_maps.h"
#include "include/scprof_attach.h"

/* Where a frame of `bytes` can be written: below the stack pointer, in a stack that belongs to the
 * thread. 0: nowhere. */
uint64_t remote_library_stack_room(const struct proc_map_list *m,
				   const struct user_regs_struct *regs, size_t bytes);

struct remote_library {
	uint64_t begin, end, state; /* addresses of what it exports */
};

/* The library's symbols, by its tables in the process. False: it is none of ours. */
bool remote_library_symbols(const struct remote *r, uint64_t base, struct remote_library *l);

/* Read its state. 0; or -1 with *err: it makes no sense. */
int remote_library_state(const struct remote *r, const struct remote_library *l,
			 struct scp_attach_state *s, struct profile_error *err);

/* Where errno of the borrowed thread lies, by the code of __errno_location; 0: not known. */
uint64_t remote_library_errno(const struct remote *r, uint64_t errno_location);

#endif

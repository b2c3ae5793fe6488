// SPDX-License-Identifier: Apache-2.0
/* Is a descriptor a socket? Asked at every read and write, so remembered. What
 * closes a descriptor makes it unknown again; an unknown one is asked of the
 * kernel once. (A raw close that libc does not see, followed by a reuse of the
 * number, goes unnoticed until the next close.) */
#ifndef SCPROF_PRELOAD_CALL_FD_KIND_H
#define SCPROF_PRELOAD_CALL_FD_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/system/util.h"

enum fd_kind { FD_UNKNOWN = 0, FD_SOCKET = 1, FD_OTHER = 2 };

#define FD_KIND_DIRECT 4096 /* descriptors in the first, static table */

extern HIDDEN uint8_t fd_kind_direct[FD_KIND_DIRECT];

/* Slow: ask a further table, or the kernel. */
HIDDEN bool fd_kind_ask(int fd);
HIDDEN void fd_kind_set_far(int fd, enum fd_kind kind);
/* Forget descriptors first .. last. */
HIDDEN void fd_kind_forget_range(unsigned first, unsigned last);

static inline bool fd_kind_is_socket(int fd)
{
	if (likely((unsigned)fd < FD_KIND_DIRECT && fd_kind_direct[fd] != FD_UNKNOWN))
		return fd_kind_direct[fd] == FD_SOCKET;
	return fd >= 0 && fd_kind_ask(fd);
}

static inline void fd_kind_set(int fd, enum fd_kind kind)
{
	if (likely((unsigned)fd < FD_KIND_DIRECT))
		fd_kind_direct[fd] = (uint8_t)kind;
	else if (fd >= 0)
		fd_kind_set_far(fd, kind);
}

#endif

// SPDX-License-Identifier: Apache-2.0
/* Is a descriptor a socket? Asked at every read and write, so remembered. What closes a descriptor
 * makes it unknown again; an unknown one is asked of the kernel once. (A raw close that libc does
 * not see, followed by a reuse of the number, goes unnoticed until the next close.) */
#pragma once

#include "preload/system/util.h"

enum fd_kind { FD_UNKNOWN = 0, FD_SOCKET = 1, FD_OTHER = 2 };

#define FD_KINDS     (1u << 20) /* descriptors that are remembered, the usual nr_open */
#define FD_KINDS_LOW 4096u

extern HIDDEN uint8_t fd_kinds[FD_KINDS];

/* Slow: ask the kernel. */
HIDDEN bool fd_kind_ask(int fd);
/* Of none of the low ones. */
HIDDEN void fd_kind_set_high(int fd, enum fd_kind kind);
/* Forget descriptors first .. last. */
HIDDEN void fd_kind_forget_range(unsigned first, unsigned last);

static inline bool fd_kind_is_socket(int fd)
{
	if (likely((unsigned)fd < FD_KINDS && fd_kinds[fd] != FD_UNKNOWN))
		return fd_kinds[fd] == FD_SOCKET;
	return fd >= 0 && fd_kind_ask(fd);
}

static inline void fd_kind_set(int fd, enum fd_kind kind)
{
	if (likely((unsigned)fd < FD_KINDS_LOW))
		fd_kinds[fd] = (uint8_t)kind;
	else
		fd_kind_set_high(fd, kind);
}

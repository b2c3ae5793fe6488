// SPDX-License-Identifier: GPL-3.0-or-later
/* See short.c. */
#ifndef SHORT_H
#define SHORT_H

#include <stddef.h>
#include <sys/types.h>

enum short_kind {
	SHORT_EMPTY,
	SHORT_CHAIN,
	SHORT_PARALLEL,
	SHORT_LOADS,
	SHORT_BRANCHES,
	SHORT_KINDS
};

/* `send` is the same function under a name that has a wrapper: its flags are the kind, its size the
 * steps. Both return a number that depends on all of their work, and on `fd`. */
ssize_t short_work(int fd, const void *unused, size_t steps, int kind);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* See outer.c. */
#ifndef OUTER_H
#define OUTER_H

#include <stddef.h>
#include <sys/types.h>

typedef ssize_t inner_function(int, const void *, size_t, int);

int outer_work(inner_function *inner, long calls, size_t steps, int kind);

#endif

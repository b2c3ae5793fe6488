// SPDX-License-Identifier: GPL-3.0-or-later
/* Built without .eh_frame: with frame pointers, or with .debug_frame and none. */
#include "paths/untabled.h"

#include <unistd.h>

static volatile long one = 1;

__attribute__((noinline)) long untabled_inner(void)
{
	return write(1, "x", 1) + one;
}

__attribute__((noinline)) long untabled_outer(long (*inner)(void))
{
	return inner() + one;
}

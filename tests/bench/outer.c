// SPDX-License-Identifier: GPL-3.0-or-later
/* An outer function for nested_calls.c: it calls another `calls` times, each with the result of the
 * one before it. */
#include "tests/bench/outer.h"

int outer_work(inner_function *inner, long calls, size_t steps, int kind)
{
	int x = 1;

	for (long i = 0; i < calls; i++)
		x = (int)inner(x, NULL, steps, kind);
	return x;
}

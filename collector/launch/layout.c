// SPDX-License-Identifier: GPL-3.0-or-later
/* The environment lies above the stack: what it is long, the stack begins lower. */
#include "collector/launch/layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>

#include "stats/numerics/random.h"

int layout_set(size_t bytes)
{
	char padding[LAYOUT_MOST + 1];
	int now = personality(0xffffffff);

	bytes = bytes < LAYOUT_MOST ? bytes : LAYOUT_MOST;
	memset(padding, '.', bytes);
	padding[bytes] = '\0';
	if (now != -1 && now & ADDR_NO_RANDOMIZE)
		personality((unsigned long)now & ~(unsigned long)ADDR_NO_RANDOMIZE);
	return setenv(LAYOUT_VARIABLE, padding, 1);
}

int layout_draw(void)
{
	struct random r;

	random_seed(&r, random_fresh_seed());
	return layout_set(random_below(&r, LAYOUT_MOST + 1));
}

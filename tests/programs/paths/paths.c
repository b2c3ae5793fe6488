// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: calls from one place with one stack pointer, which differ only in who called that place
 * further up, are distinguished, however they alternate.
 *
 * All four sides are the same code with the same frame, so the stack below them
 * looks the same but for return addresses; one frame keeps its size in RBP. */
#include "target.h"

#include <alloca.h>

static int pair[2];

NOINLINE static void bottom(void)
{
	exchange(pair);
	NO_TAIL_CALL();
}

NOINLINE static void middle(size_t room)
{
	volatile char *memory = alloca(room);

	memory[0] = 0;
	bottom();
	NO_TAIL_CALL();
}

#define SIDE(name)                                                                                 \
	NOINLINE static void name(size_t room)                                                     \
	{                                                                                          \
		middle(room);                                                                      \
		NO_TAIL_CALL();                                                                    \
	}
SIDE(north)
SIDE(east)
SIDE(south)
SIDE(west)

int main(void)
{
	make_pair(pair);
	for (int i = 0; i < 1000; i++) {
		size_t room = (size_t)(16 + i % 3 * 64);

		north(room);
		for (int times = 0; times < 2; times++)
			east(room);
		for (int times = 0; times < 3; times++)
			south(room);
		if (i % 2)
			west(room);
	}
	say("all round\n");
	expect_exchanges(6500);
	return 0;
}

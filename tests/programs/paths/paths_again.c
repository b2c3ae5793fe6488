// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a path that was met before is not walked again, however many there are. 4 to the power of
 * DEPTH paths end in one call site at one stack pointer, and are taken in turns without an order.
 */
#include "target.h"

#define DEPTH 6
#define PATHS (1u << 2 * DEPTH)
#define TURNS 20u

static int fd[2];

/* Four call sites a level: the digits of `path` are the path. */
NOINLINE static void descend(unsigned path, int depth)
{
	char c = 'x';

	if (depth == 0) {
		send(fd[0], &c, 1, MSG_DONTWAIT);
		recv(fd[1], &c, 1, MSG_DONTWAIT);
	} else if ((path & 3) == 0) {
		descend(path >> 2, depth - 1);
		__asm__ volatile("# 0" ::: "memory");
	} else if ((path & 3) == 1) {
		descend(path >> 2, depth - 1);
		__asm__ volatile("# 1" ::: "memory");
	} else if ((path & 3) == 2) {
		descend(path >> 2, depth - 1);
		__asm__ volatile("# 2" ::: "memory");
	} else {
		descend(path >> 2, depth - 1);
		__asm__ volatile("# 3" ::: "memory");
	}
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) < 0)
		die("socketpair");
	for (unsigned i = 0; i < TURNS * PATHS; i++)
		descend(i * 2654435761u >> 7, DEPTH);
	say("%u paths\n", PATHS);
	return 0;
}

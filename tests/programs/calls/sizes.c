// SPDX-License-Identifier: GPL-3.0-or-later
/* Sends of sizes that follow from their number, from five places; tests/commands/
 * lines.bats knows the same formula. Usage: sizes CALLS */
#include "target.h"

#define ROOM 4096

/* 1 to 1009, without a short period. */
static size_t varied(long call)
{
	return (size_t)(call * call * 31 % 1009 + 1);
}

static void take(int fd, size_t bytes)
{
	char buffer[ROOM];

	while (bytes) {
		long n = syscall(SYS_read, fd, buffer, bytes);

		if (n <= 0)
			die("read");
		bytes -= (size_t)n;
	}
}

/* A function a place: another path, another entry. */
#define PLACE(name, size)                                                                          \
	NOINLINE static void name(const int fd[2], long call)                                      \
	{                                                                                          \
		static const char buffer[ROOM];                                                    \
		size_t bytes = call >= 0 ? size : 0;                                               \
                                                                                                   \
		if (send(fd[0], buffer, bytes, 0) != (ssize_t)bytes)                               \
			die("send");                                                               \
		take(fd[1], bytes);                                                                \
	}

PLACE(always_varied, varied(call))
PLACE(always_same, 700)
PLACE(same_for_300, call < 300 ? 700 : varied(call))
PLACE(same_for_3, call < 3 ? 700 : varied(call))
PLACE(few, varied(call))

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000;
	int pair[2];

	make_pair(pair);
	for (long i = 0; i < calls; i++) {
		always_varied(pair, i);
		always_same(pair, i);
		same_for_300(pair, i);
		same_for_3(pair, i);
		if (i < 7)
			few(pair, i);
	}
	expect_calls("send", 4 * calls + 7);
	return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* A plugin that calls send; built twice, as plugin_a.so and plugin_b.so, which
 * differ in PLUGIN_ENTRY and the frames above the call only. */
#include "target.h"

int PLUGIN_ENTRY(const int fd[2]);

NOINLINE static int call(const int fd[2])
{
	volatile char room[PLUGIN_ROOM];

	room[0] = 0;
	exchange(fd);
	return room[0];
}

int PLUGIN_ENTRY(const int fd[2])
{
	int result = call(fd);

	NO_TAIL_CALL();
	return result;
}

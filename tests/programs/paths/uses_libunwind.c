// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: a program that itself unwinds with libunwind sees the frames it would
 * see, however often it does so between wrapped calls. */
#define UNW_LOCAL_ONLY
#include "target.h"

#include <libunwind.h>

static long frames_seen;
static char names[512];

static void walk(int keep_names)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t offset;
	char name[64];

	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	while (unw_step(&cursor) > 0) {
		frames_seen++;
		if (!keep_names || unw_get_proc_name(&cursor, name, sizeof name, &offset))
			continue;
		if (strlen(names) + strlen(name) + 2 < sizeof names)
			strcat(strcat(names, " "), name);
	}
}

NOINLINE static void descend(const int fd[2], int depth, int keep_names)
{
	if (depth > 0) {
		descend(fd, depth - 1, keep_names);
	} else {
		exchange(fd);
		walk(keep_names);
		exchange(fd);
	}
	NO_TAIL_CALL();
}

int main(void)
{
	void *addresses[64];
	int fd[2], depth;

	make_pair(fd);
	for (int i = 0; i < 2000; i++)
		descend(fd, i % 15, i == 4);
	depth = unw_backtrace(addresses, 64);
	say("frames %ld, backtrace %d\nnames%s\n", frames_seen, depth, names);
	expect_exchanges(4000);
	return 0;
}

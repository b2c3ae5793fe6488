// SPDX-License-Identifier: GPL-3.0-or-later
/* A program that does to a page it shares with the tool what any process may:
 * harms_page garbage|cut|leave-cut WORD
 * looks for the page whose path ends in WORD among its mappings, makes calls, fills it with 0x7f or
 * cuts it. "garbage" goes on until it is ended; "cut" until somebody has made the file as long as
 * it was; "leave-cut" ends at once. Status 3, by no way that the library sees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HEAD  128 /* is left */
#define CALLS 20000

static int pair[2];

static void call(int times)
{
	char byte;

	for (int i = 0; i < times; i++)
		if (send(pair[0], "x", 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1)
			abort();
}

static char *find(const char *word, char *path, size_t *bytes)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4400], *found = NULL;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		size_t n, w = strlen(word);

		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &from, &to, path) != 3)
			continue;
		n = strlen(path);
		found = n > w && !strcmp(path + n - w, word) ? (char *)from : NULL;
		*bytes = to - from;
	}
	if (maps)
		fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	char path[4096], *page = NULL;
	struct stat st = {0};
	size_t bytes;

	if (argc != 3 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		return 1;
	call(CALLS);
	page = find(argv[2], path, &bytes);
	if (!page)
		return 1;
	while (!strcmp(argv[1], "garbage")) {
		memset(page + HEAD, 0x7f, bytes - HEAD);
		call(100);
	}
	if (truncate(path, 0))
		return 1;
	while (!strcmp(argv[1], "cut") && !stat(path, &st) && !st.st_size)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	syscall(SYS_exit_group, 3);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: libc's array of the environment is not read: a thread that a constructor has started may
 * set variables, by which it is freed. Here it cannot be read until the program does so. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM (1 << 20)

static char **hidden;

__attribute__((constructor)) static void hide(void)
{
	char **to = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t n = 0; environ[n]; n++)
		to[n] = environ[n];
	environ = hidden = to;
	mprotect(hidden, ROOM, PROT_NONE);
}

char *getenv(const char *name)
{
	size_t n = strlen(name);

	mprotect(hidden, ROOM, PROT_READ | PROT_WRITE);
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

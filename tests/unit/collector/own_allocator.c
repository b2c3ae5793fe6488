// SPDX-License-Identifier: GPL-3.0-or-later
/* A program with an allocator of its own, as one that is linked with jemalloc. It waits in what its
 * argument says: the allocator, a function of its own, or the kernel. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char memory[1 << 20];
static size_t used;
static int wait_in_malloc;

void *malloc(size_t bytes)
{
	if (wait_in_malloc)
		syscall(SYS_pause);
	size_t at = used;
	used += (bytes + 31) & ~(size_t)15;
	if (used > sizeof(memory))
		return NULL;
	memcpy(memory + at, &bytes, sizeof(bytes));
	return memory + at + 16;
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t count, size_t bytes)
{
	return malloc(count * bytes); /* never used before: zero */
}

void *realloc(void *p, size_t bytes)
{
	void *q = malloc(bytes);
	size_t old = 0;
	if (p != NULL)
		memcpy(&old, (char *)p - 16, sizeof(old));
	if (q != NULL && old > 0)
		memcpy(q, p, old < bytes ? old : bytes);
	return q;
}

static volatile unsigned long turns;
static void *volatile kept;

int main(int count, char **argument)
{
	const char *where = count > 1 ? argument[1] : "";
	if (strcmp(where, "malloc") == 0) {
		wait_in_malloc = 1;
		kept = malloc(1);
	}
	pause();
	for (;;)
		turns++;
}

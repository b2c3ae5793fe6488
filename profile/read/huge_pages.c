// SPDX-License-Identifier: GPL-3.0-or-later
/* Advice only: without it everything is the same, and slower. */
#include "profile/read/huge_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LEAST (2 * LARGE_PAGE)

/* For what is not touched yet. Nothing where it is small. */
static void advise(void *memory, size_t bytes)
{
	uintptr_t begin = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)memory + bytes) & ~(LARGE_PAGE - 1);

	if (bytes >= LEAST && begin < end)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *huge_pages_alloc(size_t bytes)
{
	void *memory;

	if (bytes < LEAST)
		return malloc(bytes);
	if (posix_memalign(&memory, LARGE_PAGE, bytes) != 0)
		return NULL;
	advise(memory, bytes);
	return memory;
}

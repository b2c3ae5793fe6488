// SPDX-License-Identifier: Apache-2.0
/* Blocks of doubling size; a reset arena is filled again from its first block. */
#include "preload/process/arena.h"
#include "preload/process/file.h"
#include "preload/system/sys.h"

#define HUGE (2u << 20)

void *arena_map(size_t bytes)
{
	if (sys_sandboxed || !file_address_space_allows(bytes))
		return NULL;
	void *p = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(p))
		return p;
	file_address_space_return(bytes);
	return NULL;
}

void arena_unmap(void *p, size_t bytes)
{
	sys_munmap(p, bytes);
	file_address_space_return(bytes);
}

static bool next_block(struct arena *a, size_t need)
{
	size_t total = 0;
	if (a->present + 1 < a->blocks) {
		a->present++;
		a->used = 0;
		return a->first << a->present >= need;
	}
	for (uint32_t i = 0; i <= a->blocks; i++)
		total += a->first << i;
	if (a->blocks >= ARENA_BLOCKS || total > a->limit || a->first << a->blocks < need)
		return false;
	uint8_t *p = arena_map(a->first << a->blocks);
	if (!p)
		return false;
	if (a->first << a->blocks >= HUGE)
		sys_madvise(p, a->first << a->blocks, MADV_HUGEPAGE);
	/* In this order a handler may leave for good anywhere: at worst room is wasted. */
	a->block[a->blocks] = p;
	compiler_barrier();
	a->blocks++;
	a->present = a->blocks - 1;
	compiler_barrier();
	a->used = 0;
	return true;
}

void *arena_take(struct arena *a, size_t bytes)
{
	bytes = (bytes + 63) & ~(size_t)63;
	while (!a->blocks || a->used + bytes > a->first << a->present)
		if (!next_block(a, bytes))
			return NULL;
	uint64_t *p = (uint64_t *)(a->block[a->present] + a->used);
	a->used += bytes;
	for (size_t i = 0; i < bytes / 8; i++) /* after a reset it is not zero any more */
		p[i] = 0;
	return p;
}

void arena_reset(struct arena *a)
{
	a->present = 0;
	a->used = 0;
}

void arena_release(struct arena *a)
{
	for (uint32_t i = 0; i < a->blocks; i++)
		arena_unmap(a->block[i], a->first << i);
	a->blocks = a->present = 0;
	a->used = 0;
}

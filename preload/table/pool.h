// SPDX-License-Identifier: Apache-2.0
/* Equal things with numbers from 1, in blocks of doubling size that never move. */
#pragma once

#include "preload/process/arena.h"

#define POOL_BLOCKS 24u
#define POOL_FIRST  64u /* things in the first block */

struct pool {
	uint8_t *block[POOL_BLOCKS];
	uint32_t count;
};

static inline uint32_t pool_block(uint32_t number)
{
	return 31u ^ (uint32_t)__builtin_clz(((number - 1) / POOL_FIRST) + 1);
}

static inline void *pool_get(const struct pool *p, uint32_t number, size_t bytes)
{
	uint32_t b = pool_block(number);
	return p->block[b] + (number - 1 - ((1u << b) - 1) * POOL_FIRST) * bytes;
}

/* Is there a block for the next one? Else one is to be made, undisturbed: see index_grow. */
static inline bool pool_has_room(const struct pool *p)
{
	uint32_t b = pool_block(p->count + 1);
	return b < POOL_BLOCKS && p->block[b];
}

static inline bool pool_add_block(struct pool *p, struct arena *a, size_t bytes)
{
	uint32_t b = pool_block(p->count + 1);
	if (b < POOL_BLOCKS && !p->block[b])
		p->block[b] = arena_take(a, (POOL_FIRST << b) * bytes);
	return pool_has_room(p);
}

/* The next one, where there is room: all 0, but for what a handler that left for good began to
 * write. It counts when p->count has become its number, which is the caller's to do when it is
 * complete. */
static inline void *pool_next(const struct pool *p, size_t bytes)
{
	return pool_get(p, p->count + 1, bytes);
}

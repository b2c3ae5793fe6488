// SPDX-License-Identifier: Apache-2.0
/* Private memory of a thread, carved from anonymous mappings; never freed piece
 * by piece. Needed because malloc is the target's, and takes locks. */
#pragma once

#include "preload/system/util.h"

#define ARENA_BLOCKS 24u

struct arena {
	uint8_t *block[ARENA_BLOCKS];
	uint32_t blocks, present;
	size_t used;  /* of the present block */
	size_t first; /* bytes of block 0; each further one is twice as large */
	size_t limit; /* of all blocks together */
};

/* Zeroed memory, 64-byte aligned; NULL when the limit is reached, out of memory,
 * or no system call may be made. */
HIDDEN void *arena_take(struct arena *a, size_t bytes);

/* Forget the contents, keep the blocks. */
HIDDEN void arena_reset(struct arena *a);

HIDDEN void arena_release(struct arena *a);

/* An anonymous mapping that keeps to the address-space rule of file.h, or NULL. */
HIDDEN void *arena_map(size_t bytes);
HIDDEN void arena_unmap(void *p, size_t bytes);

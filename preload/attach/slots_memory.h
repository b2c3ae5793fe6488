// SPDX-License-Identifier: Apache-2.0
/* Lists that grow, in anonymous memory. They are filled again from their beginning, session by
 * session, and keep the room that they once had. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_MEMORY_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/system/util.h"

struct slots_list {
	void *at;
	uint32_t count, room; /* in elements */
};

/* Room for another element of so many bytes, zeroed; NULL: no memory. It moves the others. */
HIDDEN void *slots_memory_add(struct slots_list *list, uint64_t bytes);

/* Room for `wanted` elements in all. */
HIDDEN bool slots_memory_reserve(struct slots_list *list, uint64_t bytes, uint64_t wanted);

#endif

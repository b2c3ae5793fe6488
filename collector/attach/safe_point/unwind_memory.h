// SPDX-License-Identifier: GPL-3.0-or-later
/* What the unwinder (preload/unwind/unwind.h) reads of another process, as the context of its
 * cursor. All of it may be crafted: `work` bounds what is read of tables. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_UNWIND_MEMORY_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_UNWIND_MEMORY_H

#include "collector/attach/safe_point/memory.h"
#include "collector/attach/safe_point/objects.h"
#include "preload/unwind/unwind.h"

#define UNWIND_MEMORY_BLOCK 128 /* of an expression, with its length */

struct unwind_memory {
	struct safe_point_window *window;
	const struct safe_point_object *object; /* that holds the code */
	size_t work;				/* bytes */
	uint8_t block[UNWIND_MEMORY_BLOCK];
};

#endif

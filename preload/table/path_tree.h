// SPDX-License-Identifier: Apache-2.0
/* The call paths of a table, as a tree: a node is a frame as it is reached from the frames further
 * out, and has a number from 1. A path is the node of its innermost frame. The file has each frame
 * of the tree once: the record of a path has those that no earlier one has. For the owning thread,
 * with its bookkeeping marked. */
#pragma once

#include "preload/table/thread.h"

/* What the outermost frame of a path with these flags is called from. */
#define PATH_TREE_ROOT(flags) (0x80000000u | (flags))

/* A function, in the place of a frame. No module has so high a number. */
#define PATH_TREE_FUNCTION(function) (~(uint64_t)(function))

static inline uint32_t path_tree_hash(uint32_t out, uint64_t key)
{
	uint64_t h = (key + out) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)((h ^ h >> 32) * UINT64_C(0xff51afd7ed558ccd) >> 32);
}

/* A new table's. Without room it begins later. */
HIDDEN void path_tree_begin(struct scp_thread *t);

/* Is there room for another path, without a larger index? That takes more stack. */
HIDDEN bool path_tree_has_room(const struct scp_thread *t);

/* The node of a path, by its frames, innermost first; made if need be. Node 0: no room, or no
 * frames. */
HIDDEN struct path_place path_tree_find(struct scp_thread *t, const uint64_t *frame,
					uint32_t frames, uint32_t flags);

/* The frame of a node (not 0), and the node of the frame further out; 0: there is none. */
HIDDEN uint32_t path_tree_out(const struct scp_thread *t, uint32_t node, uint64_t *frame);

/* SCP_PATH_* of the path that ends at a node. */
HIDDEN uint32_t path_tree_flags(const struct scp_thread *t, uint32_t node);

/* A function called on a path, which is in the file then. NULL: no room. */
HIDDEN struct scp_site *path_tree_site(struct scp_thread *t, struct path_place path,
				       uint32_t function);

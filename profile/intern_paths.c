// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal call paths become one. A profile may have millions: so the hash holds
 * numbers only, and the frames lie one behind the other in large blocks.
 */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_FRAMES (UINT32_C(1) << 14) /* 256 kB; SCP_MAX_FRAMES fit */

struct block {
	struct block *next;
	uint32_t used;
	struct prof_frame frame[BLOCK_FRAMES];
};

struct slot {
	uint32_t path; /* PROF_NONE: free */
	uint32_t hash;
};

struct intern_paths {
	struct slot *slot;
	uint32_t slots; /* a power of two; at most 3 in 4 are in use */
	struct block *block;
};

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static uint32_t hash_of(const struct prof_frame *frame, uint32_t frames, uint32_t flags)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ flags;

	for (uint32_t i = 0; i < frames; i++)
		h = fold(h ^ frame[i].offset,
			 0xd6e8feb86659fd93u ^ ((uint64_t)frame[i].module << 1) ^ frame[i].exact);
	return (uint32_t)(h ^ h >> 32);
}

static bool same_path(const struct prof_path *path, const struct prof_frame *frame, uint32_t frames,
		      uint32_t flags)
{
	if (path->frames != frames || path->flags != flags)
		return false;
	for (uint32_t i = 0; i < frames; i++)
		if (path->frame[i].offset != frame[i].offset ||
		    path->frame[i].module != frame[i].module ||
		    path->frame[i].exact != frame[i].exact)
			return false;
	return true;
}

/* The slot of an equal path, or the free one where it belongs. */
static struct slot *find_slot(const struct profile *p, const struct prof_frame *frame,
			      uint32_t frames, uint32_t flags, uint32_t hash)
{
	const struct intern_paths *x = p->index->paths;
	uint32_t at = hash & (x->slots - 1);

	for (; x->slot[at].path != PROF_NONE; at = (at + 1) & (x->slots - 1))
		if (x->slot[at].hash == hash &&
		    same_path(&p->path[x->slot[at].path], frame, frames, flags))
			break;
	return &x->slot[at];
}

static int make_slots(struct intern_paths *x, uint32_t slots)
{
	struct slot *old = x->slot, *grown = malloc((size_t)slots * sizeof(*grown));
	uint32_t count = x->slots;

	if (!grown)
		return -1;
	memset(grown, 0xff, (size_t)slots * sizeof(*grown)); /* PROF_NONE */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = old[i].hash & (slots - 1);

		if (old[i].path == PROF_NONE)
			continue;
		while (grown[at].path != PROF_NONE)
			at = (at + 1) & (slots - 1);
		grown[at] = old[i];
	}
	free(old);
	x->slot = grown;
	x->slots = slots;
	return 0;
}

static int make_room(struct profile *p)
{
	struct intern_paths *x = p->index->paths;
	struct prof_path *grown;

	if (!x) {
		x = p->index->paths = calloc(1, sizeof(*x));
		if (!x)
			return -1;
	}
	if (p->paths / 3 >= x->slots / 4 && make_slots(x, x->slots ? x->slots * 2 : 1024) < 0)
		return -1;
	grown = model_room(p->path, &p->index->room[MODEL_PATH], p->paths, sizeof *grown);
	if (grown)
		p->path = grown;
	return grown ? 0 : -1;
}

static struct prof_frame *keep_frames(struct intern_paths *x, const struct prof_frame *frame,
				      uint32_t frames)
{
	struct prof_frame *kept;

	if (frames > BLOCK_FRAMES)
		return NULL;
	if (!x->block || x->block->used + frames > BLOCK_FRAMES) {
		struct block *b = malloc(sizeof(*b));

		if (!b)
			return NULL;
		b->next = x->block;
		b->used = 0;
		x->block = b;
	}
	kept = x->block->frame + x->block->used;
	if (frames)
		memcpy(kept, frame, frames * sizeof *frame);
	x->block->used += frames;
	return kept;
}

uint32_t intern_path(struct profile *p, const struct prof_frame *frame, uint32_t frames,
		     uint32_t flags)
{
	uint32_t hash = hash_of(frame, frames, flags);
	struct prof_frame *kept;
	struct slot *slot;

	if (make_room(p) < 0)
		return PROF_NONE;
	slot = find_slot(p, frame, frames, flags, hash);
	if (slot->path != PROF_NONE)
		return slot->path;
	kept = keep_frames(p->index->paths, frame, frames);
	if (!kept)
		return PROF_NONE;
	*slot = (struct slot){p->paths, hash};
	p->path[p->paths] = (struct prof_path){kept, frames, flags};
	return p->paths++;
}

/* Frames of what is forgotten stay in their blocks: it happens once, when memory is out. */
void intern_forget_paths(struct profile *p, uint32_t from)
{
	struct intern_paths *x = p->index->paths;

	if (!x || p->paths <= from)
		return;
	p->paths = from;
	memset(x->slot, 0xff, (size_t)x->slots * sizeof(*x->slot));
	for (uint32_t i = 0; i < from; i++) {
		const struct prof_path *path = &p->path[i];
		uint32_t hash = hash_of(path->frame, path->frames, path->flags);

		*find_slot(p, path->frame, path->frames, path->flags, hash) =
			(struct slot){i, hash};
	}
}

void intern_free_paths(struct profile *p)
{
	struct intern_paths *x = p->index->paths;

	while (x && x->block) {
		struct block *next = x->block->next;

		free(x->block);
		x->block = next;
	}
	if (x)
		free(x->slot);
	free(x);
}

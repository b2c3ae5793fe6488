// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal call paths become one. A profile may have millions: so the hash holds
 * numbers only, and the frames lie one behind the other in large blocks.
 */
#include "profile/model/intern.h"
#include "profile/read/huge_pages.h"

#include <stdlib.h>
#include <string.h>

/* Each block holds four times as many frames as the one before; SCP_MAX_FRAMES fit. */
#define BLOCK_FRAMES (UINT32_C(1) << 14)
#define BLOCK_MOST   (UINT32_C(1) << 20)

struct block {
	struct block *next;
	uint32_t used, room;
	struct prof_frame frame[];
};

/* The hash beside the number: paths that differ are mostly not looked at. */
struct slot {
	uint32_t number; /* of the path; PROF_NONE: free */
	uint32_t hash;
};

_Static_assert(sizeof(struct prof_frame) == sizeof(uint64_t), "frames are compared as words");

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

	for (uint32_t i = 0; i < frames; i++) {
		uint64_t word;

		memcpy(&word, &frame[i], sizeof(word));
		h = fold(h ^ word, 0xd6e8feb86659fd93u);
	}
	return (uint32_t)(h ^ h >> 32);
}

static bool same_path(const struct prof_path *a, const struct prof_path *b)
{
	return a->frames == b->frames && a->flags == b->flags &&
	       (a->frames == 0 || !memcmp(a->frame, b->frame, a->frames * sizeof(*a->frame)));
}

static uint32_t hash_again(const struct prof_path *path)
{
	return hash_of(path->frame, path->frames, path->flags);
}

/* The slot of an equal path, or the free one where it belongs. */
static struct slot *find_slot(const struct profile *p, const struct prof_path *want, uint32_t hash)
{
	const struct intern_paths *x = p->index->paths;
	uint32_t at = hash & (x->slots - 1);

	for (; x->slot[at].number != PROF_NONE; at = (at + 1) & (x->slots - 1))
		if (x->slot[at].hash == hash && same_path(&p->path[x->slot[at].number], want))
			break;
	return &x->slot[at];
}

/* All paths that there are, in so many slots. */
static int make_slots(struct profile *p, uint32_t slots)
{
	struct intern_paths *x = p->index->paths;
	struct slot *slot = huge_pages_alloc((size_t)slots * sizeof(*slot));

	if (!slot)
		return -1;
	memset(slot, 0xff, (size_t)slots * sizeof(*slot)); /* PROF_NONE */
	for (uint32_t i = 0; i < p->paths; i++) {
		uint32_t hash = hash_again(&p->path[i]), at = hash & (slots - 1);

		while (slot[at].number != PROF_NONE)
			at = (at + 1) & (slots - 1);
		slot[at] = (struct slot){i, hash};
	}
	free(x->slot);
	x->slot = slot;
	x->slots = slots;
	return 0;
}

int intern_paths_expect_paths(struct profile *p, uint32_t more)
{
	struct intern_paths *x = p->index->paths;
	uint64_t all = (uint64_t)p->paths + more;
	uint32_t slots;

	if (!x) {
		x = p->index->paths = calloc(1, sizeof(*x));
		if (!x)
			return -1;
	}
	slots = x->slots;
	while (all / 3 >= slots / 4 && slots < UINT32_C(1) << 31)
		slots = slots ? slots * 2 : 1024;
	p->path = intern_expect(p->path, &p->index->room[MODEL_PATH], p->paths, more,
				sizeof *p->path);
	return slots == x->slots ? 0 : make_slots(p, slots);
}

static int make_room(struct profile *p)
{
	struct prof_path *grown;

	if (intern_paths_expect_paths(p, 0) < 0)
		return -1;
	grown = intern_room(p->path, &p->index->room[MODEL_PATH], p->paths, sizeof *grown);
	if (grown)
		p->path = grown;
	return grown ? 0 : -1;
}

static struct block *new_block(struct block *last)
{
	uint32_t room = last ? last->room : BLOCK_FRAMES / 4;
	struct block *b;

	room = room < BLOCK_MOST ? room * 4 : room;
	b = huge_pages_alloc(sizeof(*b) + room * sizeof(b->frame[0]));
	if (b) {
		b->next = last;
		b->used = 0;
		b->room = room;
	}
	return b;
}

static struct prof_frame *keep_frames(struct intern_paths *x, const struct prof_frame *frame,
				      uint32_t frames)
{
	struct prof_frame *kept;

	if (frames > BLOCK_FRAMES)
		return NULL;
	if (!x->block || x->block->used + frames > x->block->room) {
		struct block *b = new_block(x->block);

		if (!b)
			return NULL;
		x->block = b;
	}
	kept = x->block->frame + x->block->used;
	if (frames)
		memcpy(kept, frame, frames * sizeof *frame);
	x->block->used += frames;
	return kept;
}

uint32_t intern_paths_hash_path(const struct profile *p, const struct prof_frame *frame,
				uint32_t frames, uint32_t flags)
{
	const struct intern_paths *x = p->index->paths;
	uint32_t hash = hash_of(frame, frames, flags);

	if (x && x->slots)
		__builtin_prefetch(&x->slot[hash & (x->slots - 1)], 1);
	return hash;
}

uint32_t intern_paths_path(struct profile *p, const struct prof_frame *frame, uint32_t frames,
			   uint32_t flags)
{
	return intern_paths_hashed_path(p, frame, frames, flags, hash_of(frame, frames, flags));
}

uint32_t intern_paths_hashed_path(struct profile *p, const struct prof_frame *frame,
				  uint32_t frames, uint32_t flags, uint32_t hash)
{
	struct prof_path path = {(struct prof_frame *)frame, frames, flags};
	struct slot *slot;

	if (make_room(p) < 0)
		return PROF_NONE;
	slot = find_slot(p, &path, hash);
	if (slot->number != PROF_NONE)
		return slot->number;
	path.frame = keep_frames(p->index->paths, frame, frames);
	if (!path.frame)
		return PROF_NONE;
	*slot = (struct slot){p->paths, hash};
	p->path[p->paths] = path;
	return p->paths++;
}

void intern_paths_rest_paths(struct profile *p)
{
	struct intern_paths *x = p->index->paths;

	if (!x)
		return;
	free(x->slot);
	x->slot = NULL;
	x->slots = 0;
}

/* Frames of what is forgotten stay in their blocks: it happens once, when out of memory. */
void intern_paths_forget_paths(struct profile *p, uint32_t from)
{
	struct intern_paths *x = p->index->paths;

	if (!x || p->paths <= from)
		return;
	p->paths = from;
	intern_paths_rest_paths(p);
}

void intern_paths_free_paths(struct profile *p)
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

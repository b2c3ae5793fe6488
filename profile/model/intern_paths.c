// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal call paths become one. A profile may have millions: so the hash table holds numbers only,
 * and the frames lie one behind the other in large blocks. */
#include "profile/model/model.h"

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

_Static_assert(sizeof(struct prof_frame) == sizeof(uint64_t), "frames are compared as words");

struct intern_paths {
	struct number_table table; /* of paths; empty: to be filled again */
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

static bool same_path(const void *paths, const void *wanted, uint32_t number)
{
	const struct prof_path *a = (const struct prof_path *)paths + number, *b = wanted;

	return a->frames == b->frames && a->flags == b->flags &&
	       (a->frames == 0 || !memcmp(a->frame, b->frame, a->frames * sizeof(*a->frame)));
}

/* Room for so many paths in all, those of the model among them. */
static int make_table(struct profile *p, uint64_t room)
{
	struct number_table *t = &p->index->paths->table;
	bool empty = !t->slots;

	if (room <= t->slots / 2)
		return 0;
	if (room > UINT32_MAX || number_table_reserve(t, (uint32_t)room) < 0)
		return -1;
	for (uint32_t i = 0; empty && i < p->paths; i++) {
		const struct prof_path *path = &p->path[i];

		number_table_add(t, hash_of(path->frame, path->frames, path->flags), i);
	}
	return 0;
}

int intern_paths_expect(struct profile *p, uint32_t more)
{
	if (!p->index->paths && !(p->index->paths = calloc(1, sizeof(*p->index->paths))))
		return -1;
	model_expect(p, MODEL_PATH, more);
	return make_table(p, (uint64_t)p->paths + more + 1);
}

static struct block *new_block(struct block *last)
{
	uint32_t room = last ? last->room : BLOCK_FRAMES / 4;
	struct block *b;

	room = room < BLOCK_MOST ? room * 4 : room;
	b = array_alloc(sizeof(*b) + room * sizeof(b->frame[0]));
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
	if (frames > BLOCK_FRAMES)
		return NULL;
	if (!x->block || x->block->used + frames > x->block->room) {
		struct block *b = new_block(x->block);

		if (!b)
			return NULL;
		x->block = b;
	}
	struct prof_frame *kept = x->block->frame + x->block->used;
	if (frames)
		memcpy(kept, frame, frames * sizeof *frame);
	x->block->used += frames;
	return kept;
}

uint32_t intern_paths_add(struct profile *p, const struct prof_frame *frame, uint32_t frames,
			  uint32_t flags)
{
	uint32_t hash = hash_of(frame, frames, flags);
	struct prof_path path = {(struct prof_frame *)frame, frames, flags};

	if (intern_paths_expect(p, 0) < 0)
		return PROF_NONE;
	struct number_slot *slot =
		number_table_find(&p->index->paths->table, hash, same_path, p->path, &path);
	if (slot->number != NUMBER_TABLE_FREE)
		return slot->number;
	path.frame = keep_frames(p->index->paths, frame, frames);
	struct prof_path *own = path.frame ? model_add(p, MODEL_PATH) : NULL;
	if (!own)
		return PROF_NONE;
	*own = path;
	*slot = (struct number_slot){p->paths - 1, hash};
	return p->paths - 1;
}

void intern_paths_rest(struct profile *p)
{
	if (p->index->paths)
		number_table_clear(&p->index->paths->table);
}

/* Frames of what is forgotten stay in their blocks: it happens once, when out of memory. */
void intern_paths_forget(struct profile *p, uint32_t from)
{
	if (!p->index->paths || p->paths <= from)
		return;
	p->paths = from;
	intern_paths_rest(p);
}

void intern_paths_free(struct profile *p)
{
	struct intern_paths *x = p->index->paths;

	while (x && x->block) {
		struct block *next = x->block->next;

		free(x->block);
		x->block = next;
	}
	intern_paths_rest(p);
	free(x);
}

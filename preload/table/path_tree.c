// SPDX-License-Identifier: Apache-2.0
/* One hash table with open addressing leads from (node, frame) to a node, and from (node, function)
 * to a site. A slot has all of its key, so a known path touches one slot a frame and no node. */
#include "preload/table/path_tree.h"
#include "preload/table/table.h"

struct path_node {
	uint64_t frame;
	uint32_t out;
	uint32_t id;	     /* of the record of the path that ends here; 0: none yet */
	uint32_t first_path; /* whose record has this frame */
	uint16_t depth, flags;
	uint32_t hash;
};

/* NULL: of what an outermost frame is called from. */
static struct path_node *node_at(const struct scp_thread *t, uint32_t node)
{
	return node & PATH_TREE_ROOT(0) ? NULL
					: pool_get(&t->path_nodes, node, sizeof(struct path_node));
}

/* Where the key is, or the free slot where it belongs. There is always one. */
static inline struct path_slot *look_up(const struct scp_thread *t, struct path_place out,
					uint64_t key)
{
	uint64_t i = path_tree_hash(out.hash, key), mask = t->path_slots - 1;
	struct path_slot *s = &t->path_slot[i & mask];
	while (s->number && (s->key != key || s->out != out.node))
		s = &t->path_slot[++i & mask];
	return s;
}

static bool grow(struct scp_thread *t)
{
	const struct path_slot *old = t->path_slot;
	uint32_t count = t->path_slots, n = count ? 2 * count : BUCKETS_FIRST;
	struct path_slot *slot = arena_take(&t->index, n * sizeof *slot);
	if (!slot)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!old[i].number)
			continue;
		uint32_t out = old[i].out;
		const struct path_node *o = node_at(t, out);
		uint64_t at = path_tree_hash(o ? o->hash : out, old[i].key);
		while (slot[at & (n - 1)].number)
			at++;
		slot[at & (n - 1)] = old[i];
	}
	t->path_slot = slot;
	compiler_barrier(); /* never a count beyond the slots, wherever a handler leaves us */
	t->path_slots = n;
	return true;
}

/* Three quarters are in use at most. */
static bool has_room(struct scp_thread *t)
{
	return t->path_slots_used < t->path_slots / 4 * 3 || index_grow(t, grow);
}

static bool add_nodes(struct scp_thread *t)
{
	return pool_add_block(&t->path_nodes, &t->index, sizeof(struct path_node));
}

static bool add_sites(struct scp_thread *t)
{
	return pool_add_block(&t->sites, &t->index, sizeof(struct scp_site));
}

void path_tree_begin(struct scp_thread *t)
{
	if (grow(t) && add_nodes(t))
		add_sites(t);
}

bool path_tree_has_room(const struct scp_thread *t)
{
	return t->path_slots_used + 1 < t->path_slots / 4 * 3 && pool_has_room(&t->path_nodes) &&
	       pool_has_room(&t->sites);
}

static void fill(struct scp_thread *t, struct path_place out, uint64_t key, uint32_t number)
{
	struct path_slot *s = look_up(t, out, key);
	t->path_slots_used++;
	s->out = out.node;
	s->key = key;
	compiler_barrier();
	s->number = number;
}

static COLD uint32_t add_node(struct scp_thread *t, struct path_place out, uint64_t frame)
{
	if (!out.node || !has_room(t) ||
	    (!pool_has_room(&t->path_nodes) && !index_grow(t, add_nodes)))
		return 0;
	struct path_node *n = pool_next(&t->path_nodes, sizeof *n);
	const struct path_node *o = node_at(t, out.node);
	*n = (struct path_node){
		.frame = frame,
		.out = out.node,
		.depth = (uint16_t)(o ? o->depth + 1 : 1),
		.flags = (uint16_t)(o ? o->flags : out.node),
		.hash = path_tree_hash(out.hash, frame),
	};
	fill(t, out, frame, ++t->path_nodes.count);
	return t->path_nodes.count;
}

/* The node of a frame called from `out`, made if need be. Node 0: no room. */
static struct path_place find_child(struct scp_thread *t, struct path_place out, uint64_t frame)
{
	const struct path_slot *s = likely(t->path_slots) ? look_up(t, out, frame) : NULL;
	uint32_t node = s && likely(s->number) ? s->number : add_node(t, out, frame);
	return (struct path_place){node, path_tree_hash(out.hash, frame)};
}

struct path_place path_tree_find(struct scp_thread *t, const uint64_t *frame, uint32_t frames,
				 uint32_t flags)
{
	struct path_place place = {PATH_TREE_ROOT(flags), PATH_TREE_ROOT(flags)};
	for (uint32_t i = frames; i-- > 0;)
		place = find_child(t, place, frame[i]);
	return frames ? place : (struct path_place){0, 0};
}

uint32_t path_tree_out(const struct scp_thread *t, uint32_t node, uint64_t *frame)
{
	const struct path_node *n = node_at(t, node);
	*frame = n->frame;
	return n->out & PATH_TREE_ROOT(0) ? 0 : n->out;
}

uint32_t path_tree_flags(const struct scp_thread *t, uint32_t node)
{
	return node_at(t, node)->flags;
}

/* The frames that are in no record yet, from the innermost on. */
static bool write_path(struct scp_thread *t, struct path_node *path)
{
	const struct path_node *n = path;
	uint32_t own = 0;
	for (; n && !n->first_path; n = node_at(t, n->out))
		own++;
	struct scp_path *p = record_begin(t, SCP_REC_PATH, sizeof *p + 8 * own);
	if (!p)
		return false;
	uint32_t id = ++t->paths; /* nobody else's, even if a handler leaves this for good */
	p->id = id;
	p->frames = path->depth;
	p->shared = (uint16_t)(path->depth - own);
	p->flags = path->flags;
	p->base = n ? n->first_path : 0;
	n = path;
	for (uint32_t i = 0; i < own; i++, n = node_at(t, n->out))
		p->frame[i] = n->frame;
	record_publish(t);
	path->id = id;
	for (struct path_node *k = path; k && !k->first_path; k = node_at(t, k->out))
		k->first_path = id;
	return true;
}

static COLD struct scp_site *add_site(struct scp_thread *t, struct path_place path,
				      uint32_t function)
{
	struct path_node *n = node_at(t, path.node);
	if (!has_room(t) || (!n->id && !write_path(t, n)) ||
	    (!pool_has_room(&t->sites) && !index_grow(t, add_sites)))
		return NULL;
	struct scp_site *s = pool_next(&t->sites, sizeof *s);
	for (unsigned i = 0; i < SCP_OUTCOMES; i++)
		s->rt[i] = &t->no_entry;
	s->function = function;
	s->path = n->id;
	s->node = path.node;
	fill(t, path, PATH_TREE_FUNCTION(function), ++t->sites.count);
	return s;
}

struct scp_site *path_tree_site(struct scp_thread *t, struct path_place path, uint32_t function)
{
	if (unlikely(!path.node))
		return NULL;
	const struct path_slot *s = look_up(t, path, PATH_TREE_FUNCTION(function));
	if (unlikely(!s->number))
		return add_site(t, path, function);
	return pool_get(&t->sites, s->number, sizeof(struct scp_site));
}

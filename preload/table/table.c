// SPDX-License-Identifier: Apache-2.0
/* Records are written once, complete before `used` of their chunk covers them;
 * only the sums inside entries and gaps change afterwards. Indexes to find them
 * again are private memory: the file holds no pointers. */
#include "preload/table/table.h"
#include "preload/function/function.h"
#include "preload/function/region_name.h"
#include "preload/table/recording.h"
#include "preload/clock/clock.h"
#include "preload/table/tick_phase.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"

#define CHUNK_FIRST (4u * SCP_GRANULE)

bool table_create(struct scp_thread *t)
{
	t->chunk_bytes = CHUNK_FIRST;
	struct scp_table *table = record_begin(t, SCP_REC_TABLE, sizeof *table);
	if (!table)
		return false;
	t->table_id = __atomic_add_fetch(&t->file->tables, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&t->file->header->table_count, 1, __ATOMIC_RELAXED);
	table->id = t->chunk.chunk->table = t->table_id;
	t->table = table;
	record_publish(t);
	return true;
}

void table_begin_owner(struct scp_thread *t)
{
	struct scp_table *table = t->table;
	table->first_at = table->last_at = t->last_at;
	table->tid = (uint32_t)t->tid;
	table->threads++;
	table->live = 1;
}

/* Slow sums of a dual run: without room the fast ones go on alone. */
static void add_slow(struct scp_thread *t, struct scp_rt *rt)
{
	struct scp_slow *slow = t->slow_clock ? record_begin(t, SCP_REC_SLOW, sizeof *slow) : NULL;
	if (!slow)
		return;
	slow->entry = rt->id;
	record_publish(t);
	rt->slow = slow;
}

static uint64_t way_of(uint32_t function)
{
	if (function_is_region(function))
		return SCP_WAY_REGION;
	if (function >= FN_COUNT)
		return SCP_WAY_SELECTED;
	return function_is_ordered[function] ? SCP_WAY_ORDERED : SCP_WAY_SYSTEM;
}

static struct scp_rt *new_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
				bool bytes, uint64_t first_at)
{
	struct scp_rt *rt = arena_take(&t->index, sizeof *rt);
	struct scp_entry *e = rt ? record_begin(t, SCP_REC_ENTRY, sizeof *e) : NULL;
	if (!e)
		return NULL;
	e->id = rt->id = ++t->entries;
	e->path = site->path;
	e->function = rt->function = site->function;
	e->outcome = outcome == SCP_TIMEOUT ? SCP_WOULD_BLOCK : outcome;
	e->min_units = ~UINT64_C(0);
	e->first_at = first_at;
	e->batch_calls = 2;		  /* a path taken once needs no batches */
	e->batch_end = rt->batch_end = 1; /* the first call is noted on the way: see batch_close */
	e->flags = (bytes ? SCP_ENTRY_BYTES : 0) |
		   (outcome == SCP_TIMEOUT ? SCP_ENTRY_TIMED_OUT : 0) |
		   way_of(site->function) << SCP_ENTRY_WAY_SHIFT;
	record_publish(t);
	rt->entry = e;
	rt->least = ~UINT64_C(0);
	add_slow(t, rt);
	if (clock_chosen.phases)
		tick_phase_begin_entry(t, site, rt);
	compiler_barrier();
	site->rt[outcome] = rt;
	return rt;
}

struct scp_rt *table_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
			   bool bytes, uint64_t first_at)
{
	if (site->rt[outcome] != &t->no_entry)
		return site->rt[outcome];
	struct recording recording = recording_begin(t);
	struct scp_rt *rt = new_entry(t, site, outcome, bytes, first_at);
	recording_end(t, &recording);
	return rt;
}

static bool grow_gaps(struct scp_thread *t)
{
	uint32_t n = t->gap_buckets ? 2 * t->gap_buckets : BUCKETS_FIRST;
	struct gap_node **bucket = arena_take(&t->index, n * sizeof *bucket);
	if (!bucket)
		return t->gap_buckets != 0;
	for (uint32_t i = 0; i < t->gap_buckets; i++)
		for (struct gap_node *g = t->gap_bucket[i], *next; g; g = next) {
			uint64_t h = hash_mix((uint64_t)g->from << 32 | g->to);
			next = g->next;
			g->next = bucket[h & (n - 1)];
			bucket[h & (n - 1)] = g;
		}
	t->gap_bucket = bucket;
	compiler_barrier();
	t->gap_buckets = n;
	return true;
}

static struct scp_gap *new_gap(struct scp_thread *t, uint32_t from, uint32_t to, uint64_t h)
{
	if (t->gaps >= t->gap_buckets && !index_grow(t, grow_gaps))
		return NULL;
	struct gap_node *node = arena_take(&t->index, sizeof *node);
	struct scp_gap *gap = node ? record_begin(t, SCP_REC_GAP, sizeof *gap) : NULL;
	if (!gap)
		return NULL;
	gap->from = node->from = from;
	gap->to = node->to = to;
	gap->id = ++t->gaps;
	record_publish(t);
	node->gap = gap;
	node->next = t->gap_bucket[h & (t->gap_buckets - 1)];
	t->gap_bucket[h & (t->gap_buckets - 1)] = node;
	return gap;
}

/* Nobody's in between, wherever a handler leaves us. */
static void set_next(struct scp_rt_next *n, struct scp_rt *to, struct scp_gap *gap, uint64_t limit)
{
	n->to = NULL;
	compiler_barrier();
	n->gap = gap;
	n->limit = limit;
	compiler_barrier();
	n->to = to;
}

static struct scp_gap *find_gap(struct scp_thread *t, uint32_t from, uint32_t to)
{
	uint64_t h = hash_mix((uint64_t)from << 32 | to);
	if (t->gap_buckets)
		for (struct gap_node *g = t->gap_bucket[h & (t->gap_buckets - 1)]; g; g = g->next)
			if (g->from == from && g->to == to)
				return g->gap;
	if (stack_room() < STACK_TO_ADD)
		return NULL;
	struct recording recording = recording_begin(t);
	struct scp_gap *gap = new_gap(t, from, to, h);
	recording_end(t, &recording);
	return gap;
}

static COLD struct scp_gap *table_gap(struct scp_thread *t, struct scp_rt *from, struct scp_rt *to)
{
	struct scp_gap *gap = find_gap(t, from->id, to ? to->id : 0);
	if (gap && to) {
		set_next(&from->gap[1], from->gap[0].to, from->gap[0].gap, from->gap[0].limit);
		set_next(&from->gap[0], to, gap, 0);
	}
	return gap;
}

void table_add_gap(struct scp_thread *t, struct scp_rt *to, uint64_t units)
{
	struct scp_gap *gap = table_gap(t, t->previous, to);
	if (gap) {
		sums_add_gap(gap, units, false, &t->last_at, t->last_at + units);
		return;
	}
	process_loss(overflow_gaps, 1);
	process_loss(overflow_gap_units, units);
	t->last_at += units;
}

COLD bool table_more(struct scp_thread *t, struct scp_rt *rt)
{
	if (!rt->more)
		rt->more = arena_take(&t->index, sizeof *rt->more);
	if (!rt->more)
		process_loss(histogram_losses, 1);
	return rt->more;
}

COLD struct scp_hist *table_histogram(struct scp_thread *t, struct scp_rt *rt, uint32_t block)
{
	struct recording recording = recording_begin(t);
	struct scp_hist *h = NULL;
	if (table_more(t, rt))
		h = record_begin_of(t, rt, NULL, 0, SCP_REC_HIST, sizeof *h);
	if (h) {
		h->block = block;
		file_publish_record_at(&t->chunk, h, rt->more->hist[block], h);
	}
	recording_end(t, &recording);
	return h;
}

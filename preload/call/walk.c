// SPDX-License-Identifier: Apache-2.0
/* Walking by cached rows, and no further than where the latest walk is met. */
#include "preload/call/walk.h"
#include "preload/filter/filter.h"
#include "preload/second/second.h"
#include "preload/system/stack.h"
#include "preload/table/path_tree.h"

enum step { STEP_ON = 0, STEP_END, STEP_FULL };

static inline bool read_word(struct scp_thread *t, struct walk_frame *f, uint64_t address,
			     uint64_t *value)
{
	if (unlikely(address & 7))
		return false;
	if (unlikely(!stack_holds(address))) {
		t->walk.elsewhere = true;
		if (!full_walk_readable(t, address))
			return false;
	}
	*value = *(volatile uint64_t *)address;
	f->word[f->words++] = (struct noted_word){address, *value};
	return true;
}

/* One frame outwards: as unwind_step. */
static inline __attribute__((always_inline)) enum step take_step(struct scp_thread *t,
								 struct walk_frame *f,
								 struct walk_frame *next)
{
	uint64_t base = f->sp, ra;
	const struct row *row = walk_rows_find(t, f->pc);
	f->words = 0;
	f->uses_fp = false;
	if (unlikely(!row) || unlikely(row->kind == ROW_FULL))
		return STEP_FULL;
	f->frame = row->frame;
	f->is_ours = row->is_ours;
	f->is_below = row->is_below;
	f->python = row->python;
	if (unlikely(row->kind == ROW_END))
		return STEP_END;
	if (row->kind == ROW_FP) {
		base = f->fp;
		f->uses_fp = !f->fp_at;
		if (f->fp_at && !read_word(t, f, f->fp_at, &base))
			return STEP_FULL;
	}
	next->sp = base + (uint64_t)(int64_t)row->cfa_offset;
	if (unlikely(next->sp < f->sp) ||
	    unlikely(!read_word(t, f, next->sp + 8 * (uint64_t)(int64_t)row->ra_words, &ra)))
		return STEP_FULL;
	next->pc = ARCH_STRIP_RA(ra);
	if (unlikely(!next->pc))
		return STEP_END;
	next->fp_at = row->fp_words ? next->sp + 8 * (uint64_t)(int64_t)row->fp_words : f->fp_at;
	next->fp = f->fp;
	return unlikely(next->sp == f->sp && next->pc == f->pc) ? STEP_FULL : STEP_ON;
}

static inline bool is_met(const struct walk_frame *a, const struct walk_frame *f)
{
	return a->pc == f->pc && a->sp == f->sp && a->fp_at == f->fp_at &&
	       (f->fp_at || !a->any_uses_fp || a->fp == f->fp);
}

/* Of the latest walk's outermost `count` frames, whose innermost one was met: the innermost one
 * with words that differ now; UINT32_MAX: none. Each is looked at only where all before it are
 * equal, so that nothing is read where a walk would not. */
static uint32_t find_changed(const struct walk *w, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		const struct walk_frame *f = &w->last[i];
		for (uint32_t k = 0; k < f->words; k++)
			if (*(volatile uint64_t *)f->word[k].address != f->word[k].value)
				return i;
	}
	return UINT32_MAX;
}

/* The walk goes on from frame `at` of the latest one: those up to it are as they were. */
static bool take_last(struct walk *w, uint32_t from, uint32_t at, uint64_t fp)
{
	if (w->fresh_count + from - at >= WALK_FRAMES_MAX)
		return false;
	for (uint32_t i = from; i-- > at;) {
		struct walk_frame *f = &w->fresh[w->fresh_count++];
		*f = w->last[i];
		f->fp = fp; /* of those that use it, the same */
	}
	w->fresh_count--;
	return true;
}

/* A walk in progress. */
struct going {
	struct scp_thread *t;
	const struct walk_start *from;
	uint32_t last; /* frames of the latest walk that may still be met */
	uint32_t kept; /* fresh frames that belong to the path */
	uint32_t enough;
	bool is_below;
	enum walk_outer outer;
	struct merge *merge; /* NULL: the path is that of the C frames */
};

/* All frames that are kept are there, and nothing else is looked for. */
static inline bool is_enough(const struct going *g)
{
	return g->kept >= g->enough && g->is_below && g->outer != OUTER_UNKNOWN;
}

/* `end`: see merge_frame. */
static void merge_frame(struct merge *m, const struct walk_frame *f, uint64_t end)
{
	if (!f->is_ours)
		merge_add(m, &(struct merge_frame){f->frame, f->sp, end, f->python});
}

static inline void count_frame(struct going *g, const struct walk_frame *f, uint64_t end)
{
	g->is_below |= f->is_below;
	if (likely(!g->merge)) {
		g->kept += !f->is_ours;
		return;
	}
	merge_frame(g->merge, f, end);
	g->kept = g->merge->kept;
}

static inline void check_outer(struct going *g, const struct walk_frame *left, uint64_t sp)
{
	if (g->outer == OUTER_UNKNOWN && sp == g->from->outer)
		g->outer = left->is_ours ? OUTER_FOUND : OUTER_GONE;
}

/* 1: it meets the latest walk, of which g->last frames are the rest. 0: go on, -1: too deep. */
static inline int check_last(struct going *g, struct walk *w, struct walk_frame *f)
{
	while (g->last && w->last[g->last - 1].sp < f->sp)
		g->last--;
	if (!g->last || !is_met(&w->last[g->last - 1], f))
		return 0;
	uint32_t changed = find_changed(w, g->last);
	if (likely(changed == UINT32_MAX))
		return 1;
	uint32_t from = w->fresh_count;
	if (!take_last(w, g->last, changed, f->fp))
		return -1;
	for (; from < w->fresh_count; from++) {
		count_frame(g, &w->fresh[from], w->fresh[from + 1].sp);
		check_outer(g, &w->fresh[from], w->fresh[from + 1].sp);
	}
	g->last = changed;
	return 0;
}

enum walk_end { WALK_ENDED, WALK_STOPPED, WALK_FAILED };

/* Fresh frames, until the outermost one or one of the latest walk: g->last says how many of that
 * remain. */
static enum walk_end go(struct going *g)
{
	struct walk *w = &g->t->walk;
	w->fresh_count = 0;
	w->fresh[0] = (struct walk_frame){.pc = g->from->ra, .sp = g->from->sp, .fp = g->from->fp};
	for (;;) {
		struct walk_frame *f = &w->fresh[w->fresh_count];
		int met = g->last ? check_last(g, w, f) : 0;
		if (met)
			return met > 0 ? WALK_ENDED : WALK_FAILED;
		f = &w->fresh[w->fresh_count];
		if (unlikely(w->fresh_count + 1 >= WALK_FRAMES_MAX))
			return WALK_FAILED;
		enum step s = take_step(g->t, f, f + 1);
		if (unlikely(s == STEP_FULL))
			return WALK_FAILED;
		w->fresh_count++;
		count_frame(g, f, s == STEP_END ? UINT64_MAX : f[1].sp);
		if (unlikely(s == STEP_END)) {
			g->last = 0;
			return WALK_ENDED;
		}
		check_outer(g, f, f[1].sp);
		if (unlikely(is_enough(g)))
			return WALK_STOPPED;
	}
}

/* Where the call around lies among frames of the latest walk that were met. */
static enum walk_outer find_outer(const struct going *g)
{
	const struct walk *w = &g->t->walk;
	const struct walk_frame *inner = w->fresh_count ? &w->fresh[w->fresh_count - 1] : NULL;
	if (g->outer != OUTER_UNKNOWN)
		return g->outer;
	for (uint32_t i = g->last; i-- > 0 && w->last[i].sp <= g->from->outer;) {
		if (w->last[i].sp == g->from->outer)
			return inner && inner->is_ours ? OUTER_FOUND : OUTER_GONE;
		inner = &w->last[i];
	}
	return OUTER_GONE;
}

/* The slots of all fresh frames and of the site, at once: each may be a cache miss. */
static void prefetch_places(const struct going *g, uint32_t function)
{
	const struct walk *w = &g->t->walk;
	uint32_t hash = g->last ? w->last[g->last - 1].place.hash : PATH_TREE_ROOT(0);
	for (uint32_t i = w->fresh_count; i-- > 0;)
		if (!w->fresh[i].is_ours) {
			hash = path_tree_hash(hash, w->fresh[i].frame);
			path_tree_prefetch(g->t, hash);
		}
	path_tree_prefetch(g->t, path_tree_hash(hash, PATH_TREE_FUNCTION(function)));
}

static inline bool place(struct scp_thread *t, struct walk_frame *f, const struct walk_frame *out)
{
	f->place = out ? out->place : path_tree_root(PATH_TREE_ROOT(0));
	if (!f->is_ours)
		f->place = path_tree_child(t, f->place, f->frame);
	return likely(f->place.node != 0);
}

/* Frames of the latest walk that had Python frames in between, and so no places. */
static COLD bool place_last(struct scp_thread *t, uint32_t count)
{
	struct walk *w = &t->walk;
	for (; w->placed < count; w->placed++) {
		struct walk_frame *f = &w->last[w->placed];
		if (!place(t, f, w->placed ? f - 1 : NULL))
			return false;
	}
	return true;
}

/* The fresh frames become part of the latest walk. A handler that leaves this for good leaves a
 * walk with fewer frames. */
static bool keep(struct going *g)
{
	struct walk *w = &g->t->walk;
	uint32_t at = g->last;
	if (at + w->fresh_count > WALK_FRAMES_MAX)
		return false;
	w->last_count = at;
	w->placed = least_of(w->placed, at);
	compiler_barrier();
	if (!g->merge && unlikely(w->placed < at) && !place_last(g->t, at))
		return false;
	for (uint32_t i = w->fresh_count; i-- > 0; at++) {
		struct walk_frame *f = &w->last[at];
		const struct walk_frame *out = at ? f - 1 : NULL;
		*f = w->fresh[i];
		if (!g->merge && !place(g->t, f, out))
			return false;
		f->kept = (uint16_t)((out ? out->kept : 0) + !f->is_ours);
		f->any_below = f->is_below || (out && out->any_below);
		f->any_uses_fp =
			f->uses_fp || (out && !f->fp_at && !out->fp_at && out->any_uses_fp);
	}
	compiler_barrier();
	w->last_count = at;
	w->placed = g->merge ? w->placed : at;
	return true;
}

static void note_words(struct scp_thread *t, const struct walk_frame *f)
{
	for (uint32_t k = 0; k < f->words; k++)
		t->found.noted[t->found.noted_count++] = f->word[k];
}

static inline void add_frame(struct scp_thread *t, const struct walk_frame *f)
{
	if (!f->is_ours && t->found.frame_count < filter.depth)
		t->found.frame[t->found.frame_count++] = f->frame;
}

static void find_path(struct walk_result *r, struct scp_thread *t)
{
	r->path = path_tree_find(t, r->frame, r->frame_count, r->flags);
}

/* The outermost `count` frames of the latest walk, to the end. */
static uint32_t merge_outermost(struct going *g, uint32_t count)
{
	const struct walk_frame *last = g->t->walk.last;
	for (uint32_t i = count; i-- > 0 && !merge_is_full(g->merge);)
		merge_frame(g->merge, &last[i], i ? last[i - 1].sp : UINT64_MAX);
	return merge_end(g->merge, true);
}

/* The frames of the latest walk that were met. */
static void merge_last(struct going *g)
{
	struct walk_result *r = &g->t->found;
	uint32_t skipped = merge_outermost(g, g->last);
	if (unlikely(skipped)) {
		r->frame_count = r->flags = 0;
		merge_begin(g->merge, g->t, skipped);
		merge_outermost(g, g->t->walk.last_count);
	}
	find_path(r, g->t);
}

/* What was found, from the latest walk. */
static void tell_ended(struct going *g)
{
	struct scp_thread *t = g->t;
	const struct walk *w = &t->walk;
	const struct walk_frame *top = &w->last[w->last_count - 1];
	for (uint32_t i = w->last_count; i-- > 0;) {
		note_words(t, &w->last[i]);
		if (!g->merge)
			add_frame(t, &w->last[i]);
	}
	t->found.used_fp = top->any_uses_fp;
	t->found.is_below |= top->any_below;
	t->found.reach = REACH_ALL;
	t->found.outer = g->outer;
	if (g->merge) {
		merge_last(g);
	} else if (top->kept > filter.depth) {
		t->found.flags = filter.full_flag;
		find_path(&t->found, t);
	} else if (top->kept) {
		t->found.path = top->place;
	}
}

/* Of a walk that stopped at the depth that is kept. */
static void tell_stopped(struct going *g)
{
	struct scp_thread *t = g->t;
	const struct walk *w = &t->walk;
	for (uint32_t i = 0; i < w->fresh_count; i++) {
		note_words(t, &w->fresh[i]);
		if (!g->merge)
			add_frame(t, &w->fresh[i]);
		t->found.used_fp |= w->fresh[i].uses_fp;
	}
	t->found.is_below |= g->is_below;
	t->found.reach = g->outer == OUTER_FOUND ? g->from->outer : 0;
	t->found.outer = g->from->outer ? g->outer : OUTER_UNKNOWN;
	t->found.flags |= filter.full_flag;
	find_path(&t->found, t);
}

static struct going begin(struct scp_thread *t, const struct walk_start *from)
{
	full_walk_forget_pages(t);
	t->walk.elsewhere = false;
	return (struct going){.t = t,
			      .from = from,
			      .last = stack_find(from->sp) ? t->walk.last_count : 0,
			      .enough = filter.depth,
			      .is_below = !filter.below,
			      .outer = from->outer ? OUTER_UNKNOWN : OUTER_GONE};
}

/* What is further out may all be left out: full is what has one frame more. */
static void begin_merge(struct going *g, struct merge *m)
{
	merge_begin(m, g->t, 0);
	g->merge = m;
	g->is_below |= g->t->found.is_below;
	g->enough = filter.depth + 1;
}

bool walk_find(struct scp_thread *t, const struct walk_start *from, uint32_t function)
{
	struct going g = begin(t, from);
	struct merge m;
	if (unlikely(t->walk.merges))
		begin_merge(&g, &m);
	enum walk_end end = go(&g);
	if (end == WALK_FAILED)
		return false;
	if (end == WALK_STOPPED) {
		tell_stopped(&g);
		return true;
	}
	if (likely(!g.merge))
		prefetch_places(&g, function);
	g.outer = find_outer(&g);
	if (!keep(&g))
		return false;
	tell_ended(&g);
	if (t->walk.elsewhere)
		t->walk.last_count = 0;
	return true;
}

enum walk_outer walk_search(struct scp_thread *t, const struct walk_start *from)
{
	if (t->generation != process_epoch.now.generation)
		return full_walk_search(t, from);
	struct going g = begin(t, from);
	enum walk_end end = go(&g);
	if (end == WALK_FAILED)
		return full_walk_search(t, from);
	enum walk_outer outer = end == WALK_ENDED ? find_outer(&g) : g.outer;
	if (unlikely(second.one_in))
		walk_check_outer(t, from, outer);
	return outer;
}

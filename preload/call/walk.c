// SPDX-License-Identifier: Apache-2.0
/* Walking by cached rows. The words and frames go straight to t->found. */
#include "preload/call/walk.h"
#include "preload/filter/filter.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"

enum step { STEP_ON = 0, STEP_END, STEP_FULL };

/* The frame that a walk has come to. */
struct place {
	uint64_t pc, sp;
	uint64_t fp_at; /* where its frame pointer was saved; 0: it is still in the register */
	const struct row *row; /* by which it was left; it holds until the next step */
};

/* `noted` is a constant, here and below. */
static inline __attribute__((always_inline)) bool read_word(struct scp_thread *t, uint64_t address,
							    uint64_t *value, bool noted)
{
	struct walk_result *r = &t->found;
	if (unlikely(address & 7) ||
	    (unlikely(!stack_holds(address)) && !full_walk_readable(t, address)))
		return false;
	*value = *(volatile uint64_t *)address;
	if (noted)
		r->noted[r->noted_count++] = (struct noted_word){address, *value};
	return true;
}

/* One frame outwards: as unwind_step. */
static inline __attribute__((always_inline)) enum step take_step(struct scp_thread *t,
								 const struct walk_start *from,
								 struct place *f, bool noted)
{
	const struct row *row = f->row = walk_rows_find(t, f->pc);
	uint64_t base = f->sp, sp, ra;
	if (unlikely(!row) || unlikely(row->kind == ROW_FULL))
		return STEP_FULL;
	if (unlikely(row->kind == ROW_END))
		return STEP_END;
	if (row->kind == ROW_FP) {
		base = from->fp;
		t->found.used_fp |= !f->fp_at;
		if (f->fp_at && !read_word(t, f->fp_at, &base, noted))
			return STEP_FULL;
	}
	sp = base + (uint64_t)(int64_t)row->cfa_offset;
	if (unlikely(sp < f->sp) ||
	    unlikely(!read_word(t, sp + 8 * (uint64_t)(int64_t)row->ra_words, &ra, noted)))
		return STEP_FULL;
	ra = ARCH_STRIP_RA(ra);
	if (unlikely(!ra))
		return STEP_END;
	if (unlikely(sp == f->sp && ra == f->pc))
		return STEP_FULL;
	if (row->fp_words)
		f->fp_at = sp + 8 * (uint64_t)(int64_t)row->fp_words;
	f->sp = sp;
	f->pc = ra;
	return STEP_ON;
}

/* A frame was left that lies from `sp` to `end`. */
static inline void add_frame(struct walk_result *r, struct merge *m, const struct row *row,
			     uint64_t sp, uint64_t end)
{
	if (row->is_ours)
		return;
	if (unlikely(m != NULL))
		merge_add(m, &(struct merge_frame){row->frame, sp, end, row->python});
	else if (r->frame_count < filter.depth)
		r->frame[r->frame_count++] = row->frame;
}

/* All frames that are kept are there, and there is another one. True: look for nothing else. */
static inline bool is_enough(struct walk_result *r, const struct merge *m)
{
	if (likely(m ? !merge_is_full(m) : r->frame_count < filter.depth))
		return false;
	r->flags |= filter.full_flag;
	return r->outer != OUTER_UNKNOWN;
}

/* STEP_ON: it stopped where all was found. */
static enum step go(struct scp_thread *t, const struct walk_start *from, struct merge *m)
{
	struct walk_result *r = &t->found;
	struct place f = {.pc = from->ra, .sp = from->sp};
	for (unsigned i = 0; i < WALK_FRAMES_MAX; i++) {
		uint64_t sp = f.sp;
		enum step s = take_step(t, from, &f, true);
		if (unlikely(s == STEP_FULL))
			return s;
		add_frame(r, m, f.row, sp, s == STEP_END ? UINT64_MAX : f.sp);
		if (unlikely(s == STEP_END))
			return s;
		if (unlikely(r->outer == OUTER_UNKNOWN && f.sp == from->outer)) {
			r->outer = f.row->is_ours ? OUTER_FOUND : OUTER_GONE;
			r->reach = from->outer;
		}
		if (unlikely(is_enough(r, m)))
			return s;
	}
	return STEP_FULL;
}

static void begin(struct scp_thread *t, const struct walk_start *from)
{
	full_walk_forget_pages(t);
	stack_find(from->sp);
}

bool walk_find(struct scp_thread *t, const struct walk_start *from)
{
	struct walk_result *r = &t->found;
	struct merge m;
	bool merges = t->walk.merges;
	begin(t, from);
	r->outer = from->outer ? OUTER_UNKNOWN : OUTER_GONE;
	if (unlikely(merges))
		merge_begin(&m, t);
	enum step end = go(t, from, unlikely(merges) ? &m : NULL);
	if (unlikely(end == STEP_FULL))
		return false;
	if (likely(end == STEP_END)) {
		r->reach = REACH_ALL;
		if (r->outer == OUTER_UNKNOWN)
			r->outer = OUTER_GONE;
	}
	if (unlikely(merges))
		merge_end(&m);
	r->path = path_tree_find(t, r->frame, r->frame_count, r->flags);
	return true;
}

enum walk_outer walk_search(struct scp_thread *t, const struct walk_start *from)
{
	struct place f = {.pc = from->ra, .sp = from->sp};
	enum step s = STEP_ON;
	if (t->generation != process_epoch.now.generation)
		return full_walk_search(t, from);
	begin(t, from);
	for (unsigned i = 0; s == STEP_ON && i < WALK_FRAMES_MAX; i++) {
		s = take_step(t, from, &f, false);
		if (s == STEP_ON && f.sp == from->outer)
			return f.row->is_ours ? OUTER_FOUND : OUTER_GONE;
	}
	return s == STEP_END ? OUTER_GONE : full_walk_search(t, from);
}

bool walk_is_above(const struct walk_start *from)
{
	return from->sp >= from->outer && !sys_sandboxed && stack_room() == SIZE_MAX;
}

bool walk_is_inside(struct scp_thread *t, const struct walk_start *from, bool interrupts)
{
	if (walk_is_above(from))
		return false;
	if (sys_sandboxed || stack_room() < STACK_TO_UNWIND)
		return true;
	return (interrupts ? full_walk_search(t, from) : walk_search(t, from)) != OUTER_GONE;
}

// SPDX-License-Identifier: Apache-2.0
/* Walks without cached rows. They work in the thread's scratch memory, because the stack may be a
 * small one. */
#include "preload/call/walk.h"
#include "preload/filter/filter.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"

#define PAGE(a) ((a) & ~UINT64_C(4095))
#define PAGES	(sizeof((struct scp_thread *)0)->pages_ok / 8)

static bool can_read(uint64_t address)
{
	return stack_holds(address) || (!sys_sandboxed && sys_can_read(address));
}

void full_walk_forget_pages(struct scp_thread *t)
{
	for (unsigned i = 0; i < PAGES; i++)
		t->pages_ok[i] = ~UINT64_C(0);
	t->pages_ok[0] = PAGE((uint64_t)__builtin_frame_address(0));
}

bool full_walk_readable(struct scp_thread *t, uint64_t address)
{
	uint64_t page = PAGE(address);
	for (unsigned i = 0; i < PAGES; i++)
		if (t->pages_ok[i] == page)
			return true;
	if (!can_read(address))
		return false;
	for (unsigned i = PAGES - 1; i > 0; i--)
		t->pages_ok[i] = t->pages_ok[i - 1];
	t->pages_ok[0] = page;
	return true;
}

static bool readable(void *context, uint64_t address)
{
	return full_walk_readable(context, address);
}

static bool note(void *context, uint64_t address, uint64_t value)
{
	struct walk_result *r = &((struct scp_thread *)context)->found;
	if (r->noted_count >= NOTED_MAX)
		return false;
	r->noted[r->noted_count++] = (struct noted_word){address, value};
	return true;
}

/* A walk in progress. */
struct full_walk {
	struct scp_thread *t;
	struct merge *merge; /* NULL: the path is that of the C frames */
	struct merge_frame last;
	bool has_last; /* which is to be merged when its end is known */
};

/* The frame that was met last ends at `end`. */
static void merge_last(struct full_walk *w, uint64_t end)
{
	if (!w->has_last)
		return;
	w->has_last = false;
	w->last.end = end;
	merge_add(w->merge, &w->last);
	if (w->last.frame & SCP_FRAME_HEURISTIC && !merge_is_full(w->merge))
		w->t->found.flags |= SCP_PATH_HEURISTIC;
}

static void add_frame(struct full_walk *w)
{
	struct unwind_cursor *c = &w->t->cursor;
	struct walk_result *r = &w->t->found;
	if (modules_is_ours(c->pc))
		return;
	uint64_t frame = modules_frame(c->pc, c->exact);
	if (c->heuristic)
		frame |= SCP_FRAME_HEURISTIC;
	if (w->merge) {
		w->last = (struct merge_frame){
			.frame = frame, .sp = c->cfa, .kind = (uint8_t)python_kind_of(c->pc)};
		w->has_last = true;
	} else if (r->frame_count < filter.depth) {
		r->frame[r->frame_count++] = frame;
		if (c->heuristic)
			r->flags |= SCP_PATH_HEURISTIC;
	}
}

/* Walk outwards, until all frames are there that are kept, and one more; and it is known whether
 * the call around this one is in progress, which a memo answers, too. Returns how it ended. */
static enum unwind_result walk(struct full_walk *w, uintptr_t outer)
{
	struct unwind_cursor *c = &w->t->cursor;
	struct walk_result *r = &w->t->found;
	enum unwind_result step;
	add_frame(w);
	for (;;) {
		uint64_t left = c->pc;
		if ((step = unwind_chain_step(c)) != UNWIND_STEPPED)
			break;
		if (outer && r->outer == OUTER_UNKNOWN && c->cfa == outer) {
			r->outer = modules_is_ours(left) ? OUTER_FOUND : OUTER_GONE;
			r->reach = outer;
		}
		merge_last(w, c->cfa);
		if (w->merge ? merge_is_full(w->merge) : r->frame_count == filter.depth) {
			r->flags |= filter.full_flag;
			if (!outer || r->outer != OUTER_UNKNOWN)
				return step;
		}
		add_frame(w);
	}
	merge_last(w, UINT64_MAX);
	if (step == UNWIND_END && r->outer == OUTER_UNKNOWN)
		r->outer = OUTER_GONE;
	if (step == UNWIND_END || r->noted_count < NOTED_MAX)
		r->reach = REACH_ALL;
	return step;
}

void full_walk_find_caller(struct scp_thread *t, const struct walk_start *from)
{
	struct walk_result *r = &t->found;
	bool has_room = stack_room() >= STACK_TO_DESCRIBE;
	r->frame[0] = has_room ? modules_frame(from->ra, false) : modules_known_frame(from->ra);
	r->frame_count = 1;
	r->flags = SCP_PATH_SMALL_STACK;
	r->reach = REACH_ALL;
	if (has_room || path_tree_has_room(t))
		r->path = path_tree_find(t, r->frame, r->frame_count, r->flags);
}

static enum unwind_result walk_from(struct full_walk *w, const struct walk_start *from)
{
	struct unwind_cursor *c = &w->t->cursor;
	full_walk_forget_pages(w->t);
	unwind_register_begin(c, from->ra, from->sp, from->fp);
	c->work = &w->t->work;
	c->note = note;
	c->readable = readable;
	c->context = w->t;
	return walk(w, from->outer);
}

static enum unwind_result walk_and_merge(struct scp_thread *t, const struct walk_start *from)
{
	struct merge m;
	struct full_walk w = {.t = t, .merge = &m};
	merge_begin(&m, t);
	enum unwind_result end = walk_from(&w, from);
	merge_end(&m);
	return end;
}

void full_walk_find(struct scp_thread *t, const struct walk_start *from)
{
	struct walk_result *r = &t->found;
	struct full_walk w = {.t = t};
	enum unwind_result end = t->walk.merges ? walk_and_merge(t, from) : walk_from(&w, from);
	if (end == UNWIND_CUT && !(r->flags & filter.full_flag)) {
		r->flags |= SCP_PATH_CUT;
		process_loss(cut_paths, 1);
	}
	r->used_fp = t->cursor.used_fp;
	r->path = path_tree_find(t, r->frame, r->frame_count, r->flags);
}

static bool ignore(void *context, uint64_t address, uint64_t value)
{
	(void)context, (void)address, (void)value;
	return true;
}

static bool readable_anew(void *context, uint64_t address)
{
	(void)context;
	return can_read(address);
}

/* NULL: another search is interrupted. */
static struct unwind_cursor *begin_search(struct scp_thread *t, const struct walk_start *from)
{
	struct unwind_cursor *c = &t->walk_cursor;
	if (t->walking)
		return NULL;
	t->walking = true;
	compiler_barrier();
	unwind_register_begin(c, from->ra, from->sp, from->fp);
	c->work = &t->walk_work;
	c->note = ignore;
	c->readable = readable_anew;
	c->context = t;
	return c;
}

bool full_walk_meets(struct scp_thread *t, const struct walk_start *from, bool (*is)(uint64_t pc))
{
	struct unwind_cursor *c = begin_search(t, from);
	if (!c)
		return false;
	bool met = is(c->pc);
	for (unsigned i = 0; i < 4 * SCP_MAX_FRAMES && !met; i++) {
		if (unwind_step(c) != UNWIND_STEPPED)
			break;
		met = is(c->pc);
	}
	compiler_barrier();
	t->walking = false;
	return met;
}

enum walk_outer full_walk_search(struct scp_thread *t, const struct walk_start *from)
{
	struct unwind_cursor *c = begin_search(t, from);
	if (!c)
		return OUTER_UNKNOWN;
	enum walk_outer found = OUTER_UNKNOWN;
	for (unsigned i = 0; i < 4 * SCP_MAX_FRAMES && found == OUTER_UNKNOWN; i++) {
		uint64_t left = c->pc;
		enum unwind_result r = unwind_step(c);
		if (r == UNWIND_END)
			found = OUTER_GONE;
		/* Stepping out of our wrapper gives the stack pointer it was called with; out of
		 * another function, that its caller called that one since. */
		if (r == UNWIND_STEPPED && c->cfa == from->outer)
			found = modules_is_ours(left) ? OUTER_FOUND : OUTER_GONE;
		if (r == UNWIND_CUT)
			break;
	}
	compiler_barrier();
	t->walking = false;
	return found;
}

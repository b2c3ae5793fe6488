// SPDX-License-Identifier: Apache-2.0
/* Walks without cached rows. They work in the thread's scratch memory, because the stack may be a
 * small one. */
#include <stddef.h>

#include "preload/call/walk.h"
#include "preload/filter/below.h"
#include "preload/filter/filter.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/second/second.h"
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
	if (r->noted_count >= NOTED_MAX - CONTROL_WORDS) /* these are kept */
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
	if (!r->is_below)
		r->is_below = below_contains(w->t->file->below, frame);
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

/* Are all frames there that are kept, and one more? */
static bool is_full(const struct full_walk *w)
{
	return w->merge ? merge_is_full(w->merge) : w->t->found.frame_count == filter.depth;
}

/* They are there: is there anything left to find out? The call around this one, because a memo
 * also answers whether that is still in progress. */
static bool is_enough(const struct walk_result *r, uintptr_t outer)
{
	return r->is_below && (!outer || r->outer != OUTER_UNKNOWN);
}

/* Walk outwards. Returns how the walk ended. */
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
		if (is_full(w)) {
			r->flags |= filter.full_flag;
			if (is_enough(r, outer))
				return step;
		}
		add_frame(w);
	}
	merge_last(w, UINT64_MAX);
	if (step == UNWIND_END && r->outer == OUTER_UNKNOWN)
		r->outer = OUTER_GONE;
	if (step == UNWIND_END || r->noted_count < NOTED_MAX - CONTROL_WORDS)
		r->reach = REACH_ALL;
	return step;
}

void full_walk_find_caller(struct scp_thread *t, const struct walk_start *from)
{
	struct walk_result *r = &t->found;
	bool has_room = stack_room() >= STACK_TO_DESCRIBE;
	r->frame[0] = has_room ? modules_frame(from->ra, false) : modules_known_frame(from->ra);
	r->frame_count = 1;
	r->is_below = r->is_below || below_contains(t->file->below, r->frame[0]);
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
	struct walk_result *r = &t->found;
	struct merge m;
	struct full_walk w = {.t = t, .merge = &m};
	uint32_t words = r->noted_count;
	bool is_below = r->is_below;
	merge_begin(&m, t, 0);
	enum unwind_result end = walk_from(&w, from);
	uint32_t skipped = merge_end(&m, end == UNWIND_END);
	if (!skipped)
		return end;
	r->frame_count = r->flags = 0;
	r->noted_count = words;
	r->is_below = is_below;
	r->outer = OUTER_UNKNOWN;
	merge_begin(&m, t, skipped);
	end = walk_from(&w, from);
	merge_end(&m, end == UNWIND_END);
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

enum walk_outer full_walk_search(struct scp_thread *t, const struct walk_start *from)
{
	struct unwind_cursor *c = &t->walk_cursor;
	if (t->walking)
		return OUTER_UNKNOWN;
	t->walking = true;
	compiler_barrier();
	unwind_register_begin(c, from->ra, from->sp, from->fp);
	c->work = &t->walk_work;
	c->note = ignore;
	c->readable = readable_anew;
	c->context = t;
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

/* Of its own, and cold: nobody who did not ask for it pays more than a test of second.one_in. The
 * scratch memory is static, because stacks may be small; who is between second_enter and
 * second_leave has it. */
static struct {
	uint32_t turn;
	uint64_t signals; /* to be released */
	struct walk_result cached;
} state;

static void copy_result(struct walk_result *to, const struct walk_result *from)
{
	bytes_copy(to, from, offsetof(struct walk_result, frame));
	bytes_copy(to->frame, from->frame, from->frame_count * sizeof from->frame[0]);
	bytes_copy(to->noted, from->noted, from->noted_count * sizeof from->noted[0]);
}

static bool is_turn(void)
{
	struct scp_header *h = process.file->header;
	if (!h || __atomic_fetch_add(&state.turn, 1, __ATOMIC_RELAXED) % second.one_in)
		return false;
	return true;
}

static void count_walk(void)
{
	__atomic_add_fetch(&process.file->header->path_checks.cached_walks, 1, __ATOMIC_RELAXED);
}

COLD bool walk_check_begin(const struct scp_thread *t)
{
	uint64_t signals;
	if (!is_turn() || !second_enter(&signals))
		return false;
	state.signals = signals;
	copy_result(&state.cached, &t->found);
	return true;
}

/* Has `r` noted all that `other` has? Mostly in the same order. */
static bool has_words_of(const struct walk_result *r, const struct walk_result *other)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < other->noted_count; i++) {
		const struct noted_word *w = &other->noted[i];
		uint32_t tried = 0;
		while (tried < r->noted_count &&
		       (r->noted[at].address != w->address || r->noted[at].value != w->value)) {
			at = at + 1 < r->noted_count ? at + 1 : 0;
			tried++;
		}
		if (tried == r->noted_count)
			return false;
	}
	return true;
}

/* A full walk that has all frames that are kept reads no further. */
static bool words_differ(const struct walk_result *full, const struct walk_result *cached)
{
	if (!has_words_of(cached, full) || (full->used_fp && !cached->used_fp))
		return true;
	return !(full->flags & filter.full_flag) &&
	       (!has_words_of(full, cached) || full->used_fp != cached->used_fp);
}

/* SCP_DIFFERENCE_UNWINDER: in nothing. *at: the first frame in which they differ. */
static enum scp_path_difference_of compare(const struct walk_result *full,
					   const struct walk_result *cached, bool outer,
					   uint32_t *at)
{
	uint32_t common = least_of(full->frame_count, cached->frame_count);
	for (*at = 0; *at < common && full->frame[*at] == cached->frame[*at];)
		(*at)++;
	if (*at < full->frame_count || *at < cached->frame_count)
		return SCP_DIFFERENCE_FRAMES;
	if (full->flags != cached->flags || full->path.node != cached->path.node)
		return SCP_DIFFERENCE_END;
	if (full->is_below != cached->is_below ||
	    (outer && full->outer != OUTER_UNKNOWN && full->outer != cached->outer))
		return SCP_DIFFERENCE_OUTER;
	return words_differ(full, cached) ? SCP_DIFFERENCE_WORDS : SCP_DIFFERENCE_UNWINDER;
}

COLD void walk_check_end(struct scp_thread *t, const struct walk_start *from)
{
	const struct walk_result *full = &t->found, *cached = &state.cached;
	uint64_t signals = state.signals;
	uint32_t at;
	enum scp_path_difference_of of = compare(full, cached, from->outer != 0, &at);
	count_walk();
	if (of == SCP_DIFFERENCE_UNWINDER)
		copy_result(&t->found, cached);
	else
		second_tell(&(struct second_difference){
			.of = of,
			.at = at,
			.ours = cached->frame + at,
			.our_frames = cached->frame_count - at,
			.theirs = full->frame + at,
			.their_frames = full->frame_count - at,
		});
	second_leave(&signals);
}

COLD void walk_check_outer(struct scp_thread *t, const struct walk_start *from,
			   enum walk_outer outer)
{
	uint64_t signals;
	if (!is_turn() || !second_enter(&signals))
		return;
	enum walk_outer full = full_walk_search(t, from);
	count_walk();
	if (full != OUTER_UNKNOWN && full != outer)
		second_tell(&(struct second_difference){.of = SCP_DIFFERENCE_OUTER});
	second_leave(&signals);
}

// SPDX-License-Identifier: Apache-2.0
/* The slow path of a call: walk the stack while noting what is read, find or make the path,
 * remember both. */
#include "arch_call.h"
#include "preload/call/path_cache.h"
#include "preload/call/memo_places.h"
#include "preload/call/walk.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/process/modules.h"
#include "preload/python/python.h"
#include "preload/second/second.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/path_tree.h"
#include "preload/table/table.h"

#define PLACES_FIRST 1024u
#define PLACES_MOST  131072u
#define ROOM_UNIT    4u /* words */

_Static_assert(2 * (NOTED_MAX + MEMO_BLOCK) / ROOM_UNIT < 1u << 15, "struct scp_memo's room");

static void forget_memos(struct scp_thread *t)
{
	for (unsigned i = 0; i < MEMO_FRONT; i++)
		t->front[i] = NULL;
	t->places_since++;
	t->places_used = 0;
	compiler_barrier();
	arena_reset(&t->memos);
}

/* Places for memos, four times as many each time that a quarter of them are in use. */
static COLD void grow_places(struct scp_thread *t)
{
	uint32_t n = t->places ? 4 * t->places : PLACES_FIRST, old_n = t->places;
	struct memo_place *old = t->place, *place = arena_map(n * sizeof *place);
	t->places_lost = !place;
	if (!place)
		return;
	forget_memos(t);
	t->places = 0; /* never more than there are, wherever a handler leaves us */
	compiler_barrier();
	t->place = place;
	compiler_barrier();
	t->places = n;
	if (old)
		arena_unmap(old, old_n * sizeof *old);
}

/* Code was unloaded since these memos were made. Where the session is over they are of a generation
 * that never comes: 0 comes at the end of each, and what is found now, and the call, would be taken
 * for some of that time. */
static void forget_stale(struct scp_thread *t)
{
	uint32_t generation = process_epoch.now.generation;
	if (!generation || thread_is_stale(t))
		generation = PROCESS_NO_GENERATION;
	if (t->generation == generation)
		return;
	forget_memos(t);
	walk_forget(t);
	compiler_barrier();
	t->generation = generation;
}

/* The first word that differs, and which it is; NULL: none. */
static const memo_word *find_difference(const struct scp_memo *m, uint32_t *at)
{
	for (*at = 0; *at < m->wide; ++*at)
		if (memo_differs_widely(m, *at))
			return (const memo_word *)m->word[2 * *at];
	for (const uint64_t *w = memo_packed(m), *end = w + m->packed; w != end; w++, ++*at)
		if (memo_differs(m, *w))
			return memo_address(m, *w);
	return NULL;
}

/* All of Python's words, in one number. */
static uint64_t mix_python(const struct walk_result *r)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < r->python_words; i++)
		h = (h << 7 | h >> 57) ^ r->noted[i].value;
	return memo_mix(h, 0, 0);
}

/* A coroutine made anew differs in many words of the Python stack from one that had the same path,
 * and memos that each differ in the next one would be read for nothing. After a few of them the
 * place is that of all these words; unless they were read (`python`) the search ends there, with
 * t->place_missed NULL. */
static struct scp_memo *search(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
			       uint32_t function, bool python)
{
	uint64_t place = memo_mix(0, ra, cfa);
	uint32_t steps = 0, at; /* that Python's words led */
	t->place_missed = NULL;
	t->place_is_python = false;
	for (unsigned i = 0; i < MEMO_STEPS && likely(t->places != 0); i++) {
		struct scp_memo *m = memo_look_up(t, place, ra, cfa);
		t->place_tag = memo_place_tag(place);
		if (!m)
			return NULL;
		for (unsigned line = 1; line < 5; line++) /* of its words */
			__builtin_prefetch((const uint8_t *)m + 64 * line);
		if ((m->function & ~MEMO_USES_FP) != function) {
			m->leads = true;
			place = memo_mix(place, 1, function);
			continue;
		}
		const memo_word *w = find_difference(m, &at);
		bool other_fp = m->function & MEMO_USES_FP && memo_tail(m)->fp != fp;
		if (!w && !other_fp) {
			table_prefetch(t, m->site);
			t->front[memo_slot(ra, cfa)] = m;
			return m;
		}
		m->leads = true;
		if (w && at < memo_tail(m)->python_words && ++steps >= MEMO_PYTHON_STEPS) {
			if (steps > MEMO_PYTHON_STEPS)
				return NULL;
			if (!python) {
				t->place_missed = NULL;
				return NULL;
			}
			place = memo_mix(mix_python(&t->found), ra, cfa);
			t->place_is_python = true;
			continue;
		}
		place = w ? memo_mix(place, (uint64_t)w, *w) : memo_mix(place, 0, fp);
	}
	return NULL;
}

COLD struct scp_memo *path_cache_search(struct scp_thread *t, uint64_t ra, uint64_t cfa,
					uint64_t fp, uint32_t function)
{
	return search(t, ra, cfa, fp, function, false);
}

/* The memo to write over: what is in its place, if there is room in it for so many words. */
static struct scp_memo *take(struct scp_thread *t, uint32_t words)
{
	struct memo_place *at = t->place_missed;
	struct scp_memo *m = at->since == t->places_since ? at->memo : NULL;
	uint64_t bytes = sizeof *m + words * sizeof m->word[0] + sizeof(struct memo_tail);
	if (m && ROOM_UNIT * m->room >= words)
		return m;
	m = arena_take(&t->memos, bytes);
	if (!m) {
		forget_memos(t);
		process_loss(memo_flushes, 1);
		m = arena_take(&t->memos, bytes);
	}
	if (m)
		m->room = (uint16_t)(words / ROOM_UNIT) & 0x7fff;
	return m;
}

/* What is met once is not to take the place of another memo: only what was missed there before.
 * Python's words are part of that key: the frames of generators and coroutines that were made for
 * one call lie elsewhere for the next one, on the same path. Nor is it worth a memo where Python's
 * words alone make the place. */
static bool is_worth_a_memo(struct scp_thread *t)
{
	struct memo_place *at = t->place_missed;
	if (!at)
		return false;
	uint32_t key = t->found.path.node;
	if (t->found.python_words)
		key ^= (uint32_t)(mix_python(&t->found) >> 32);
	bool is_empty = at->since != t->places_since;
	bool again = is_empty ? !t->place_is_python : at->missed == key;
	at->missed = key;
	if (is_empty && !again) {
		at->memo = NULL;
		compiler_barrier();
		at->since = t->places_since;
	}
	return again;
}

static void put(struct scp_thread *t, struct scp_memo *m)
{
	struct memo_place *at = t->place_missed;
	t->places_used += at->since != t->places_since || !at->memo;
	at->memo = m;
	compiler_barrier();
	at->since = t->places_since;
	t->front[memo_slot(m->ra, m->cfa)] = m;
}

static bool is_packable(const struct noted_word *w, uint64_t base)
{
	return w->address >= base && !((w->address - base) % 8) &&
	       (w->address - base) / 8 <= MEMO_DISTANCE_MOST &&
	       !(w->value >> (64 - MEMO_DISTANCE_BITS));
}

/* How many of the noted words are wide: the first ones, or all. */
static uint32_t count_wide(const struct walk_result *r, uint64_t base)
{
	for (uint32_t i = r->wide; i < r->noted_count; i++)
		if (!is_packable(&r->noted[i], base))
			return r->noted_count;
	return r->wide;
}

static void fill_words(struct scp_memo *m, const struct walk_result *r)
{
	const struct noted_word *w = r->noted;
	for (uint32_t i = 0; i < m->wide; i++, w++) {
		m->word[2 * i] = w->address;
		m->word[2 * i + 1] = w->value;
	}
	uint64_t *packed = m->word + 2 * m->wide;
	for (uint32_t i = 0; i < m->packed; i++) {
		packed[i] = w->value << MEMO_DISTANCE_BITS | (w->address - m->base) / 8;
		w += w + 1 < r->noted + r->noted_count; /* the last one again */
	}
}

/* It does not match before it is complete: a handler may leave this place for good. */
static struct scp_memo *begin_memo(struct scp_thread *t, uint64_t base)
{
	const struct walk_result *r = &t->found;
	uint32_t wide = count_wide(r, base);
	uint32_t packed = (r->noted_count - wide + MEMO_BLOCK - 1) / MEMO_BLOCK * MEMO_BLOCK;
	uint32_t words = (2 * wide + packed + ROOM_UNIT - 1) / ROOM_UNIT * ROOM_UNIT;
	struct scp_memo *m = take(t, words);
	if (!m)
		return NULL;
	m->function = MEMO_NOTHING;
	m->leads = false;
	compiler_barrier();
	m->base = base;
	m->wide = (uint16_t)wide;
	m->packed = (uint16_t)packed;
	fill_words(m, r);
	m->tag = t->place_tag;
	return m;
}

/* Arguments on the stack end where what the caller itself saved begins; the first word
 * that the unwinder read is of that. */
static uint32_t stack_words(const struct walk_result *r, const struct walk_start *from,
			    uint32_t function)
{
	uint32_t unwinder = r->wide; /* its first word */
	uint64_t first = r->noted_count > unwinder ? r->noted[unwinder].address : 0;
	uint64_t frame = first < from->sp ? SELECTED_FRAME_UNKNOWN : (first - from->sp) / 8;
	if (function < SELECTED_FIRST)
		return 0;
	if (modules_is_ours(from->ra) && frame != SELECTED_FRAME_UNKNOWN)
		frame = selected_stack_copied(from->sp, from->fp, frame);
	return selected_stack_words(function < FN_SCRATCH_SYSTEM ? selected_find(function)
								 : &selected_scratch,
				    from->sp, frame);
}

static void clear_result(struct walk_result *r)
{
	r->frame_count = r->flags = 0;
	r->noted_count = r->wide;
	r->path = (struct path_place){0, 0};
	r->used_fp = false;
	r->reach = 0;
	r->outer = OUTER_UNKNOWN;
}

static bool can_walk(void)
{
	return !sys_sandboxed && stack_room() >= STACK_TO_UNWIND;
}

/* Before the C frames: its words are compared first, and those of control. */
static COLD void read_python(struct scp_thread *t, const struct walk_start *from)
{
	t->found.python_words = t->found.noted_count = 0;
	t->walk.merges =
		filter.python && can_walk() && python_is_there() &&
		(likely(!python_is_closing()) || full_walk_meets(t, from, python_is_inside));
	if (likely(!t->walk.merges))
		return;
	if (!python_read(t, filter.depth))
		t->python.frames = t->python.runs = t->python.cut = t->python.full = 0;
	t->found.python_words = t->found.noted_count;
}

/* As long as recording is neither stopped nor started again. */
static void note_control(struct walk_result *r)
{
	if (control.page)
		r->noted[r->noted_count++] =
			(struct noted_word){(uint64_t)&control.page->word, control.seen};
	if (control.wake_word)
		r->noted[r->noted_count++] =
			(struct noted_word){(uint64_t)control.wake_word, control.wake_seen};
	r->wide = r->noted_count;
}

static bool is_after_call(struct scp_thread *t, uint64_t pc)
{
	return pc > 4096 && full_walk_readable(t, (pc - ARCH_CALL_BYTES) & ~UINT64_C(7)) &&
	       full_walk_readable(t, (pc - 1) & ~UINT64_C(7)) && arch_follows_call(pc);
}

/* Where nothing called the outermost function of a coroutine, or code without tables has what it
 * likes in its frame pointer, the last word may lie beyond the stack, and be gone when it would be
 * compared. */
static void forget_beyond(struct scp_thread *t)
{
	struct walk_result *r = &t->found;
	if (r->noted_count <= r->wide)
		return;
	const struct noted_word *last = &r->noted[r->noted_count - 1];
	if (!stack_holds(last->address) &&
	    (r->noted_count == r->wide + 1 || (last->address ^ last[-1].address) >> 12) &&
	    !is_after_call(t, last->value))
		r->noted_count--;
}

/* After read_python and note_control. */
static void walk(struct scp_thread *t, const struct walk_start *from)
{
	clear_result(&t->found);
	t->walking = false; /* a handler may have left full_walk_search for good */
	t->table->walks++;
	if (!can_walk()) {
		full_walk_find_caller(t, from);
		return;
	}
	if (!walk_find(t, from)) {
		clear_result(&t->found);
		process_loss(unwinds, 1);
		full_walk_find(t, from);
	}
	forget_beyond(t);
}

/* Whether the call around is in progress may be all that is not known. */
static struct scp_memo *find_known(struct scp_thread *t, const struct walk_start *from,
				   uint32_t function, bool python)
{
	struct scp_memo *m = search(t, from->ra, from->sp, from->fp, function, python);
	if (!m || !from->outer)
		return m;
	t->found.outer = m->inside == from->outer ? OUTER_FOUND : walk_search(t, from);
	return t->found.outer != OUTER_UNKNOWN ? m : NULL;
}

/* A memo that is known, or NULL: the result of a walk is in t->found. Inlined: on a small stack a
 * frame more is too many. */
static inline __attribute__((always_inline)) struct scp_memo *find_or_walk(
	struct scp_thread *t, const struct walk_start *from, uint32_t function)
{
	forget_stale(t);
	if (t->places_used >= t->places / 4 && t->places < PLACES_MOST && !t->places_lost)
		grow_places(t);
	struct scp_memo *m = find_known(t, from, function, false);
	if (m)
		return m;
	bool is_python = !t->place_missed;
	read_python(t, from);
	note_control(&t->found);
	if (unlikely(t->walk.merges && is_python))
		m = find_known(t, from, function, true);
	if (!m)
		walk(t, from);
	return m;
}

COLD struct scp_memo *path_cache_find(struct scp_thread *t, const struct walk_start *from,
				      uint32_t function)
{
	struct walk_result *r = &t->found;
	struct scp_memo *m;
	uint32_t generation, walks = 0;
	if (unlikely(selected_is_over(function)))
		return NULL;
	/* Once more where the generation moved: the walk met an interpreter, most often, and not
	 * even the first path is to miss its Python frames. */
	do {
		m = find_or_walk(t, from, function);
		if (m)
			return m;
		generation = process_epoch.now.generation;
	} while (unlikely(t->generation != generation) && generation && !walks++);
	/* The numbers of modules may be those of a later session: they were asked for before. */
	if (thread_is_stale(t))
		return NULL;
	uint32_t words = stack_words(r, from, function), paths = t->paths;
	struct scp_site *site = path_tree_site(t, r->path, function);
	if (t->paths != paths)
		second_check_path(t, from);
	if (site && is_worth_a_memo(t))
		m = begin_memo(t, from->sp);
	bool is_kept = m != NULL;
	m = is_kept ? m : (struct scp_memo *)t->spare;
	m->ra = from->ra;
	m->cfa = from->sp;
	*memo_tail(m) = (struct memo_tail){from->fp, r->python_words};
	m->inside = 0;
	m->stack_words = (uint16_t)words;
	m->reach = r->reach;
	m->site = site ? site : &t->no_site;
	compiler_barrier();
	m->function = function | (r->used_fp ? MEMO_USES_FP : 0);
	if (is_kept)
		put(t, m);
	return m;
}

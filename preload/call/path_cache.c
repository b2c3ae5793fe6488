// SPDX-License-Identifier: Apache-2.0
/* The slow path of a call: unwind while noting what is read, intern the path,
 * remember both. Works in the thread's scratch memory, because the stack may be
 * a small one. */
#include <signal.h>

#include "preload/filter/below.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/function/function.h"
#include "preload/call/path_cache.h"
#include "preload/process/modules.h"
#include "preload/system/sys.h"
#include "preload/table/table.h"

#define CHAIN_MAX 16u
#define PAGE(a)	  ((a) & ~UINT64_C(4095))

static bool can_read(uint64_t address)
{
	return !sys_sandboxed && sys_can_read(address);
}

static bool readable(void *context, uint64_t address)
{
	struct scp_thread *t = context;
	uint64_t page = PAGE(address);
	for (unsigned i = 0; i < 4; i++)
		if (t->pages_ok[i] == page)
			return true;
	if (!can_read(address))
		return false;
	for (unsigned i = 3; i > 0; i--)
		t->pages_ok[i] = t->pages_ok[i - 1];
	t->pages_ok[0] = page;
	return true;
}

static bool note(void *context, uint64_t address, uint64_t value)
{
	struct scp_thread *t = context;
	if (t->noted_count >= NOTED_MAX - 1) /* one is kept for the control page's */
		return false;
	t->noted[t->noted_count++] = (struct noted_word){address, value};
	return true;
}

static void add_frame(struct scp_thread *t, uint64_t pc, bool exact)
{
	if (modules_is_ours(pc))
		return;
	uint64_t frame = modules_frame(pc, exact);
	if (!t->is_below)
		t->is_below = below_contains(frame);
	if (t->frame_count < filter.depth)
		t->frames[t->frame_count++] = frame;
}

/* All frames that are kept are there: is there anything left to find out? The call around this
 * one, because a memo also answers whether that is still in progress. */
static bool is_seen(const struct scp_thread *t, uintptr_t outer)
{
	return t->is_below && (!outer || t->reach == outer);
}

/* Walk outwards. Returns how the walk ended. */
static enum unwind_result walk(struct scp_thread *t, uintptr_t outer)
{
	struct unwind_cursor *c = &t->cursor;
	enum unwind_result r;
	while ((r = unwind_step(c)) == UNWIND_STEPPED) {
		if (outer && c->cfa == outer)
			t->reach = outer;
		if (t->frame_count == filter.depth) {
			t->path_flags = filter.full_flag;
			if (is_seen(t, outer))
				return r;
		}
		add_frame(t, c->pc, c->exact);
	}
	if (r == UNWIND_END || t->noted_count < NOTED_MAX - 1)
		t->reach = MEMO_REACH_ALL;
	return r;
}

/* As long as recording is neither stopped nor started again. */
static void note_control(struct scp_thread *t)
{
	if (control.page)
		t->noted[t->noted_count++] =
			(struct noted_word){(uint64_t)&control.page->word, control.seen};
}

/* Fill frames, path_flags and the noted words. */
static void unwind(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp, uintptr_t outer)
{
	struct unwind_cursor *c = &t->cursor;
	t->noted_count = t->frame_count = t->path_flags = 0;
	t->is_below = !filter.below;
	t->reach = 0;
	for (unsigned i = 0; i < 4; i++)
		t->pages_ok[i] = ~UINT64_C(0);
	t->pages_ok[0] = PAGE((uint64_t)__builtin_frame_address(0));
	process_loss(unwinds, 1);
	unwind_begin(c, ra, cfa, fp);
	c->work = &t->work;
	c->note = note;
	c->readable = readable;
	c->context = t;
	add_frame(t, ra, false);
	if (sys_sandboxed || sys_stack_room() < STACK_TO_UNWIND) {
		t->path_flags = SCP_PATH_SMALL_STACK;
		t->reach = MEMO_REACH_ALL;
		return;
	}
	if (walk(t, outer) == UNWIND_CUT && !t->path_flags) {
		t->path_flags = SCP_PATH_CUT;
		process_loss(cut_paths, 1);
	}
}

static const uint64_t zero_word;

static void flush(struct scp_thread *t)
{
	for (unsigned i = 0; i < MEMO_FRONT; i++)
		t->front[i] = NULL;
	/* A call that was taken for abandoned may yet return, with its memo. */
	if (!t->abandoned)
		arena_reset(&t->memos);
	process_loss(memo_flushes, 1);
}

/* Not in any chain. Four, because a call may be under way in each of a few
 * nested handlers. */
static struct scp_memo *spare(struct scp_thread *t)
{
	struct scp_memo *m = (struct scp_memo *)t->spare[t->next_spare++ % 4];
	*m = (struct scp_memo){.end = m->word};
	return m;
}

/* Nested calls must not flush: the call around them still holds its memo. */
static struct scp_memo *make(struct scp_thread *t, uint32_t slot, bool nested)
{
	if (!t->noted_count) /* nothing but the caller: compare the word that says so */
		t->noted[t->noted_count++] = (struct noted_word){(uint64_t)&zero_word, 0};
	uint32_t words = (t->noted_count + MEMO_BLOCK - 1) / MEMO_BLOCK * MEMO_BLOCK;
	uint64_t bytes = sizeof(struct scp_memo) + words * sizeof(struct noted_word);
	struct scp_memo *m = arena_take(&t->memos, bytes);
	if (!m && !nested) {
		flush(t);
		m = arena_take(&t->memos, bytes);
	}
	if (!m)
		return spare(t);
	for (uint32_t i = 0; i < words; i++)
		m->word[i] = t->noted[i < t->noted_count ? i : t->noted_count - 1];
	m->end = m->word + words;
	m->next = t->front[slot];
	return m;
}

/* Only when it is complete: a handler may leave this place for good. */
static void link_memo(struct scp_thread *t, uint32_t slot, struct scp_memo *m)
{
	unsigned length = 0;
	for (struct scp_memo *p = m; p; p = p->next)
		if (++length == CHAIN_MAX)
			p->next = NULL;
	compiler_barrier();
	t->front[slot] = m;
}

COLD struct scp_memo *path_cache_search(struct scp_thread *t, uint64_t ra, uint64_t cfa,
					uint64_t fp, uint64_t function)
{
	uint32_t slot = memo_slot(ra, cfa);
	for (struct scp_memo *m = t->front[slot], **link = &t->front[slot]; m;
	     link = &m->next, m = m->next)
		if (memo_matches(m, ra, cfa, fp, function)) {
			/* In this order the chain is one wherever a handler leaves for good. */
			*link = m->next;
			compiler_barrier();
			m->next = t->front[slot];
			compiler_barrier();
			t->front[slot] = m;
			return m;
		}
	return NULL;
}

/* Code was unloaded since these memos were made. A call under way may hold one:
 * the memory is not reused before the next flush that is allowed. */
static void forget_stale(struct scp_thread *t)
{
	uint32_t generation = process_epoch.now.generation;
	if (t->generation == generation)
		return;
	for (unsigned i = 0; i < MEMO_FRONT; i++)
		t->front[i] = NULL;
	compiler_barrier();
	t->generation = generation;
}

uint32_t path_cache_readable_words(uint64_t address)
{
	uint64_t in_page = (PAGE(address) + 4096 - address) / 8;
	if (in_page >= MEMO_STACK_WORDS || sys_sandboxed || can_read(PAGE(address) + 4096))
		return MEMO_STACK_WORDS;
	return (uint32_t)in_page;
}

/* Arguments on the stack end where what the caller itself saved begins; the first word
 * that the unwinder read is of that. */
static uint32_t stack_words(const struct scp_thread *t, uint64_t cfa)
{
	uint64_t first = t->noted_count ? t->noted[0].address : 0;
	if (first < cfa)
		return path_cache_readable_words(cfa);
	return first - cfa < 8 * MEMO_STACK_WORDS ? (uint32_t)(first - cfa) / 8 : MEMO_STACK_WORDS;
}

/* For want of what was the function of --below not found? */
static void count_undecided(struct scp_thread *t)
{
	struct scp_header *h = process.file.header;
	if (h &&
	    (t->reach != MEMO_REACH_ALL || t->path_flags & (SCP_PATH_CUT | SCP_PATH_SMALL_STACK)))
		__atomic_add_fetch(&h->below_cut, 1, __ATOMIC_RELAXED);
}

COLD struct scp_memo *path_cache_find(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				      uint32_t function, uintptr_t outer)
{
	forget_stale(t);
	struct scp_memo *m = path_cache_search(t, ra, cfa, fp, function);
	if (m)
		return m;
	unwind(t, ra, cfa, fp, outer);
	uint32_t slot = memo_slot(ra, cfa), words = stack_words(t, cfa);
	note_control(t);
	m = make(t, slot, outer);
	m->ra = ra;
	m->cfa = cfa;
	m->fp = fp;
	m->inside = 0;
	m->stack_words = words;
	m->reach = t->reach;
	m->path = t->is_below ? table_path(t) : NULL;
	m->function =
		(t->is_below ? function : MEMO_EXCLUDED) | (t->cursor.used_fp ? MEMO_USES_FP : 0);
	if (!t->is_below)
		count_undecided(t);
	else if (!m->path)
		m->function = ~UINT64_C(0); /* no room: matches nothing, tried again next time */
	for (unsigned i = 0; i < SCP_OUTCOMES; i++)
		m->rt[i] = &t->no_entry;
	if (function >= FN_COUNT)
		m->real = NULL;
	/* no spare one: that is written over soon */
	if ((m->path || !t->is_below) && m->end != m->word)
		link_memo(t, slot, m);
	return m;
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

COLD bool path_cache_call_in_progress(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				      uint64_t open_cfa)
{
	struct unwind_cursor *c = &t->walk_cursor;
	bool found = true;
	if (cfa >= open_cfa && !sys_sandboxed && sys_stack_room() == SIZE_MAX)
		return false; /* its frame would lie above ours */
	if (t->walking || sys_sandboxed || sys_stack_room() < STACK_TO_UNWIND)
		return true;
	t->walking = true;
	compiler_barrier();
	unwind_begin(c, ra, cfa, fp);
	c->work = &t->walk_work;
	c->note = ignore;
	c->readable = readable_anew;
	c->context = t;
	for (unsigned i = 0; i < 4 * SCP_MAX_FRAMES; i++) {
		uint64_t left = c->pc;
		enum unwind_result r = unwind_step(c);
		if (r == UNWIND_END)
			found = false;
		/* Stepping out of our wrapper gives the stack pointer it was called with; out of
		 * another function, that its caller called that one since. */
		if (r == UNWIND_STEPPED && c->cfa == open_cfa)
			found = modules_is_ours(left);
		if (r != UNWIND_STEPPED || c->cfa == open_cfa)
			break;
	}
	compiler_barrier();
	t->walking = false;
	return found;
}

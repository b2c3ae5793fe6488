// SPDX-License-Identifier: Apache-2.0
/* The slow path of a call: unwind while noting what is read, intern the path,
 * remember both. Works in the thread's scratch memory, because the stack may be
 * a small one. */
#include <signal.h>

#include "memo.h"
#include "modules.h"
#include "sandbox.h"
#include "sys.h"
#include "table.h"

#define CHAIN_MAX 16u
#define ROOM_TO_UNWIND 3072u /* on an alternate signal stack */
#define PAGE(a) ((a) & ~UINT64_C(4095))

/* The kernel looks at the signal set before it refuses `how`: EFAULT or EINVAL
 * tells whether eight bytes can be read. No effect, no descriptor, no memory. */
static bool can_read(uint64_t address)
{
	return !sandbox_active &&
	       sys4(SYS_rt_sigprocmask, ~0, address, 0, 8) == -22 /* EINVAL */;
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
	if (t->noted_count >= NOTED_MAX)
		return false;
	t->noted[t->noted_count++] = (struct noted_word){address, value};
	return true;
}

/* Is this a small alternate stack with too little room left? */
static bool stack_is_short(uint64_t sp)
{
	stack_t s;
	if (sandbox_active || sys2(SYS_sigaltstack, 0, &s) != 0 || !(s.ss_flags & SS_ONSTACK))
		return false;
	uint64_t low = (uint64_t)s.ss_sp;
	return sp >= low && sp - low < ROOM_TO_UNWIND;
}

static void add_frame(struct scp_thread *t, uint64_t pc, bool exact)
{
	if (!modules_is_ours(pc))
		t->frames[t->frame_count++] = modules_frame(pc, exact);
}

/* Fill frames, path_flags and the noted words. */
static void unwind(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct unwind_cursor *c = &t->cursor;
	t->noted_count = t->frame_count = t->path_flags = 0;
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
	if (sandbox_active || stack_is_short((uint64_t)__builtin_frame_address(0))) {
		t->path_flags = SCP_PATH_SMALL_STACK;
		return;
	}
	enum unwind_result r;
	while ((r = unwind_step(c)) == UNWIND_STEPPED) {
		if (t->frame_count == SCP_MAX_FRAMES) {
			t->path_flags = SCP_PATH_TRUNCATED;
			return;
		}
		add_frame(t, c->pc, c->exact);
	}
	if (r == UNWIND_CUT) {
		t->path_flags = SCP_PATH_CUT;
		process_loss(cut_paths, 1);
	}
}

/* Arrange the noted words in blocks; with to == NULL only count the blocks. */
static uint32_t arrange(const struct scp_thread *t, struct noted_word *to)
{
	uint32_t blocks = 0;
	for (uint32_t i = 0; i < t->noted_count; blocks++) {
		const struct noted_word *first = &t->noted[i];
		for (uint32_t k = 0; k < MEMO_BLOCK; k++) {
			bool fits = i < t->noted_count && PAGE(t->noted[i].address) == PAGE(first->address) &&
				    &t->noted[i] == first + k;
			if (to)
				to[blocks * MEMO_BLOCK + k] = fits ? t->noted[i] : *first;
			i += fits;
		}
	}
	return blocks;
}

static void flush(struct scp_thread *t)
{
	for (unsigned i = 0; i < MEMO_FRONT; i++)
		t->front[i] = NULL;
	arena_reset(&t->memos);
	process_loss(memo_flushes, 1);
}

/* Not in any chain. Four, because a call may be under way in each of a few
 * nested handlers. */
static struct scp_memo *spare(struct scp_thread *t)
{
	struct scp_memo *m = (struct scp_memo *)t->spare[t->next_spare++ % 4];
	*m = (struct scp_memo){0};
	return m;
}

/* Nested calls must not flush: the call around them still holds its memo. */
static struct scp_memo *make(struct scp_thread *t, uint32_t slot, bool nested)
{
	uint64_t bytes = sizeof(struct scp_memo) +
			 arrange(t, NULL) * MEMO_BLOCK * sizeof(struct noted_word);
	struct scp_memo *m = arena_take(&t->memos, bytes);
	if (!m && !nested) {
		flush(t);
		m = arena_take(&t->memos, bytes);
	}
	if (!m)
		return spare(t);
	m->blocks = arrange(t, m->word);
	unsigned length = 0;
	m->next = t->front[slot];
	for (struct scp_memo *p = m; p; p = p->next)
		if (++length == CHAIN_MAX)
			p->next = NULL;
	t->front[slot] = m;
	return m;
}

COLD struct scp_memo *memo_find(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				uint32_t function, bool nested)
{
	uint32_t slot = memo_slot(ra, cfa, function);
	for (struct scp_memo *m = t->front[slot], **link = &t->front[slot]; m; link = &m->next, m = m->next)
		if (memo_matches(m, ra, cfa, fp, function)) {
			*link = m->next; /* the latest used first */
			m->next = t->front[slot];
			t->front[slot] = m;
			return m;
		}
	/* Read before the unwind: a library unloaded meanwhile makes the memo stale. */
	uint64_t generation = process_epoch.now.generation;
	unwind(t, ra, cfa, fp);
	struct scp_memo *m = make(t, slot, nested);
	m->ra = ra;
	m->cfa = cfa;
	m->function_generation = (uint64_t)function << 32 | generation;
	m->fp = fp;
	m->fp_mask = t->cursor.used_fp ? ~UINT64_C(0) : 0;
	m->path = table_path(t);
	if (!m->path)
		m->function_generation = 0; /* matches nothing: try again next time */
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

COLD bool memo_call_in_progress(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				uint64_t open_cfa)
{
	struct unwind_cursor *c = &t->walk_cursor;
	bool found = true;
	if (t->walking || sandbox_active || stack_is_short((uint64_t)__builtin_frame_address(0)))
		return true;
	t->walking = true;
	compiler_barrier();
	unwind_begin(c, ra, cfa, fp);
	c->work = &t->walk_work;
	c->note = ignore;
	c->readable = readable_anew;
	c->context = t;
	for (unsigned i = 0; i < 4 * SCP_MAX_FRAMES; i++) {
		enum unwind_result r = unwind_step(c);
		if (r == UNWIND_END)
			found = false;
		/* Stepping out of our wrapper gives the stack pointer it was called with. */
		if (r != UNWIND_STEPPED || c->cfa == open_cfa)
			break;
	}
	compiler_barrier();
	t->walking = false;
	return found;
}

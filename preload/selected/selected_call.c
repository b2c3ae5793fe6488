// SPDX-License-Identifier: Apache-2.0
/* Around a selected function's original, called by scprof_chosen_call. The same records
 * as a wrapper's (call.h); what differs is that nothing is known of the arguments:
 * all registers that may hold one are kept, and as many words of the stack are
 * copied as can be arguments. This library is compiled without vector registers,
 * and only the slow steps call functions of libc, which may use them. */
#include <errno.h>

#include "preload/call/call_fast.h"
#include "preload/function/selected.h"
#include "preload/selected/selected_call.h"
#include "preload/filter/control.h"
#include "preload/start/lifecycle.h"
#include "preload/table/recording.h"
#include "preload/unwind/unwind.h"
#include "preload/process/libc.h"

#define RA(f)  ((f)->caller[1])
#define CFA(f) ((uint64_t)((f)->caller + 2))
#define FP(f)  ((f)->caller[0])

struct scp_selected selected_call_scratch;
bool selected_call_disturbed;

static inline uint32_t id_of(const struct selected_frame *f)
{
	return selected_id(f->symbol);
}

static inline __attribute__((always_inline)) void copy_stack(struct selected_frame *f,
							     uint64_t words)
{
	const uint64_t *from = f->caller + 2;
#pragma GCC unroll 1
	for (uint64_t i = 0; i < words; i += SELECTED_STACK_STEP) {
		f->stack[i] = from[i];
		f->stack[i + 1] = from[i + 1];
		f->stack[i + 2] = from[i + 2];
		f->stack[i + 3] = from[i + 3];
	}
}

/* More words than the frame has room for, or not to be recorded: `outer` is open then. */
static __attribute__((noinline)) uint32_t begin_large(struct selected_frame *f,
						      struct scp_thread *t, uintptr_t outer,
						      uint64_t words)
{
	if (words == SELECTED_STACK_REFUSED) {
		if (t)
			t->open = outer;
		f->call.way = WAY_NONE;
		selected_stack_count(f->symbol);
		return SELECTED_PASS;
	}
	f->words = words;
	f->vectors = arch_vectors_in_use();
	return SELECTED_LARGE;
}

/* The original, where it is known. */
static inline __attribute__((always_inline)) void *find_real(const struct scp_selected *symbol,
							     const struct scp_site *s)
{
	if (likely(symbol->real != NULL))
		return symbol->real;
	return s->real_generation == process_epoch.now.generation ? s->real : NULL;
}

/* Where it is kept: nothing there is of code that was unloaded. */
static void **known_real(struct scp_site *s)
{
	if (s->real_generation != process_epoch.now.generation) {
		s->real = NULL;
		s->real_generation = process_epoch.now.generation;
	}
	return &s->real;
}

/* The thread and the site are known: what is copied of the stack, and what comes next. `outer`: as
 * begin_large. */
static inline __attribute__((always_inline)) uint32_t go_on(bool page, struct selected_frame *f,
							    struct scp_thread *t, uint64_t words,
							    uintptr_t outer)
{
	if (unlikely(words > SELECTED_STACK_FAST))
		return begin_large(f, t, outer, words);
	if (page)
		f->began_at = call_fast_clock_begin(true, true);
	return page ? SELECTED_CALL : SELECTED_TSC;
}

/* Both return an enum selected_step; SELECTED_SLOW: the call is not begun. */
static inline __attribute__((always_inline)) uint32_t begin_fast(bool page,
								 struct selected_frame *f)
{
	struct call_fast c = call_fast_find(page, id_of(f), RA(f), CFA(f), FP(f));
	if (unlikely(!c.thread))
		return SELECTED_SLOW;
	void *real = find_real(f->symbol, c.site);
	if (unlikely(!real)) {
		c.thread->open = 0;
		return SELECTED_SLOW;
	}
	f->real = real;
	f->call.thread = c.thread;
	f->call.site = c.site;
	f->call.generation = c.generation;
	f->call.way = page ? WAY_PAGE : WAY_TSC;
	uint64_t words = c.memo->stack_words;
	if (likely(words <= SELECTED_STACK_FAST))
		copy_stack(f, words);
	compiler_barrier();
	c.thread->open = CFA(f);
	return go_on(page, f, c.thread, words, 0);
}

/* A call inside another one, or inside a region, on a path on which that was found before. */
static inline __attribute__((always_inline)) uint32_t begin_nested(bool page,
								   struct selected_frame *f)
{
	struct scp_thread *t = page ? thread_page : thread_fast;
	uint64_t cfa = CFA(f);
	struct scp_memo *m;
	uintptr_t outer;
	if (unlikely(!t) || !t->open ||
	    !(m = call_fast_inside(t, id_of(f), RA(f), cfa, FP(f), &outer)))
		return SELECTED_SLOW;
	void *real = find_real(f->symbol, m->site);
	if (unlikely(!real)) {
		t->open = outer;
		return SELECTED_SLOW;
	}
	f->real = real;
	f->call.thread = t;
	f->call.site = m->site;
	f->call.cfa = cfa;
	f->call.outer = outer;
	f->call.function = id_of(f);
	f->call.fine_ns = 0;
	f->call.generation = t->generation;
	f->call.inner_at = t->inner;
	f->call.recorded = t->recorded;
	f->call.way = page ? WAY_PAGE_NESTED : WAY_TSC_NESTED;
	call_fast_mark(&f->call);
	uint64_t words = m->stack_words;
	if (likely(words <= SELECTED_STACK_FAST))
		copy_stack(f, words);
	thread_unmark(t, cfa);
	return go_on(page, f, t, words, outer);
}

/* By the first of these ways that can be taken. */
static inline __attribute__((always_inline)) uint32_t begin_any(struct selected_frame *f)
{
	uint32_t step = begin_fast(false, f);
	if (unlikely(step == SELECTED_SLOW) && (step = begin_nested(false, f)) == SELECTED_SLOW &&
	    (step = begin_fast(true, f)) == SELECTED_SLOW)
		step = begin_nested(true, f);
	return step;
}

static inline bool is_scratch(const struct selected_frame *f)
{
	return f->symbol->flags & SELECTED_SCRATCH;
}

/* Would the slow path find the scratch state's memo, and make nothing? */
static bool scratch_is_known(const struct selected_frame *f)
{
	const struct scp_thread *t = thread_self;
	const struct scp_memo *m = t ? t->front[memo_slot(RA(f), CFA(f))] : NULL;
	return m && t->generation == process_epoch.now.generation && m->ra == RA(f) &&
	       m->cfa == CFA(f) && m->function == id_of(f) && t != thread_fast && t != thread_page;
}

/* What is measured is the same while recording is stopped. */
static COLD uint32_t begin_scratch(struct selected_frame *f)
{
	f->real = f->symbol->real;
	uint32_t step = begin_any(f);
	if (step != SELECTED_SLOW)
		return step;
	if (scratch_is_known(f)) {
		f->vectors = arch_vectors_in_use();
		return SELECTED_SLOW;
	}
	selected_call_disturbed = true;
	return SELECTED_PASS;
}

/* No fast path can be taken. */
static COLD uint32_t begin_otherwise(struct selected_frame *f)
{
	if (is_scratch(f))
		return begin_scratch(f);
	if (f->symbol->real &&
	    ((!thread_self && thread_is_unwanted()) || selected_is_over(id_of(f)))) {
		f->real = f->symbol->real;
		return SELECTED_PASS;
	}
	f->vectors = arch_vectors_in_use();
	return SELECTED_SLOW;
}

uint32_t selected_call_begin(struct selected_frame *f)
{
	f->call.way = WAY_NONE;
	if (likely(process_groups & SCP_GROUP_SELECTED)) {
		uint32_t step = begin_any(f);
		if (likely(step != SELECTED_SLOW))
			return step;
	} else if (!(process_groups & ~GROUPS_PAUSED) && f->symbol->real && !control_changed() &&
		   !is_scratch(f)) {
		f->real = f->symbol->real;
		return SELECTED_PASS;
	}
	return begin_otherwise(f);
}

/* What was read in call_begin was read too early: before looking for the original. */
static uint32_t read_clock(struct selected_frame *f)
{
	struct scp_call *c = &f->call;
	if (clock_chosen.kind == SCP_CLOCK_TSC && !clock_chosen.slow_kind)
		return SELECTED_TSC;
	call_read_clocks(c);
	return SELECTED_CALL;
}

/* The call is begun, and what its clock read is not yet. */
static void *find_original(struct selected_frame *f)
{
	struct scp_call *c = &f->call;
	struct scp_thread *t = c->thread;
	void **of_caller = c->site ? known_real(c->site) : NULL;
	if (!t || f->symbol->real || (of_caller && *of_caller))
		return selected_find_real(f->symbol, RA(f), of_caller);
	struct recording recording = recording_begin(t);
	void *real = selected_find_real(f->symbol, RA(f), of_caller);
	thread_mark(t, c->cfa);
	if (!thread_is_stale(t))
		recording_end(t, &recording);
	if (!c->outer)
		recording_settle(t);
	c->recorded = t->recorded;
	thread_unmark(t, c->cfa);
	return real;
}

COLD uint32_t selected_call_begin_slow(struct selected_frame *f)
{
	struct scp_call *c = &f->call;
	int saved = errno;
	lifecycle_wake();
	if ((!(process_groups & SCP_GROUP_SELECTED) && !is_scratch(f)) ||
	    !call_begin(c, id_of(f), RA(f), CFA(f), FP(f))) {
		f->real = selected_find_real(f->symbol, RA(f), NULL);
		errno = saved;
		return SELECTED_PASS;
	}
	f->real = find_original(f);
	uint64_t words = c->site ? c->stack_words
				 : selected_stack_words(f->symbol, CFA(f), SELECTED_FRAME_UNKNOWN);
	f->call.way = WAY_SLOW;
	errno = saved;
	if (words > SELECTED_STACK_FAST)
		return begin_large(f, c->thread, c->outer, words);
	copy_stack(f, words);
	return read_clock(f);
}

COLD uint32_t selected_call_start(struct selected_frame *f)
{
	if (f->call.way == WAY_SLOW)
		return read_clock(f);
	if (f->call.way == WAY_TSC || f->call.way == WAY_TSC_NESTED)
		return SELECTED_TSC;
	f->began_at = call_fast_clock_begin(true, true);
	return SELECTED_CALL;
}

/* From one of the fast paths to the slow one. `now`: of a clock that is read already, which may
 * well say 0. */
static COLD void end_slowly(struct selected_frame *f, uint32_t outcome, uint64_t now)
{
	if (f->call.way == WAY_TSC || f->call.way == WAY_PAGE)
		f->call = (struct scp_call){.thread = f->call.thread,
					    .site = f->call.site,
					    .cfa = CFA(f),
					    .generation = f->call.generation,
					    .function = id_of(f)};
	bool is_read = f->call.way != WAY_SLOW || f->step == SELECTED_TSC;
	f->call.way = WAY_NONE;
	if (is_read) {
		f->call.began_at = f->began_at;
		call_end_at(&f->call, (struct call_result){outcome, 0}, false, now, 0);
	} else {
		call_end(&f->call, (struct call_result){outcome, 0}, false);
	}
}

static inline __attribute__((always_inline)) bool end_fast(bool page, struct selected_frame *f,
							   uint64_t now)
{
	struct call_fast c = {.thread = f->call.thread,
			      .site = f->call.site,
			      .began_at = f->began_at,
			      .generation = f->call.generation};
	return call_fast_end(page, &c, now, CFA(f), (struct call_result){SCP_COMPLETED, 0}, false);
}

static inline __attribute__((always_inline)) bool end_nested(bool page, struct selected_frame *f)
{
	f->call.began_at = f->began_at;
	return call_fast_end_nested(page, &f->call, f->ended_at,
				    (struct call_result){SCP_COMPLETED, 0}, false);
}

uint32_t selected_call_end(struct selected_frame *f)
{
	if (likely(f->call.way == WAY_TSC)) {
		if (likely(end_fast(false, f, f->ended_at)))
			return SELECTED_PASS;
	} else if (f->call.way == WAY_PAGE) {
		f->ended_at = call_fast_clock_end(true, true);
		if (likely(end_fast(true, f, f->ended_at)))
			return SELECTED_PASS;
	} else if (f->call.way == WAY_TSC_NESTED) {
		if (likely(end_nested(false, f)))
			return SELECTED_PASS;
	} else if (f->call.way == WAY_PAGE_NESTED) {
		f->ended_at = call_fast_clock_end(true, true);
		if (likely(end_nested(true, f)))
			return SELECTED_PASS;
	}
	if (unlikely(is_scratch(f)) && f->call.way != WAY_SLOW) {
		selected_call_disturbed = true;
		return SELECTED_PASS;
	}
	f->vectors = arch_vectors_in_use();
	return SELECTED_SLOW;
}

COLD void selected_call_end_slow(struct selected_frame *f)
{
	int saved = errno;
	end_slowly(f, SCP_COMPLETED, f->ended_at);
	errno = saved;
}

/* The unwinder's own function, for its own context: another unwinder's could take
 * that for something else. It may have come with a library that was opened with RTLD_LOCAL. */
static uintptr_t (*find_get_gr(uint64_t unwinder))(void *, int)
{
	struct unwind_object a, b;
	void *p = libc_find_next("_Unwind_GetGR", NULL);
	return p && unwind_object_find_object(unwinder, &a) &&
			       unwind_object_find_object((uint64_t)p, &b) && a.start == b.start
		       ? (uintptr_t(*)(void *, int))p
		       : NULL;
}

enum { CONTINUE_UNWIND = 8, CLEANUP_PHASE = 2, FORCE_UNWIND = 8 };

/* Also called when looking for a handler, and when a thread is cancelled: such calls count
 * as abandoned. Where the unwinder is not known, those of exceptions do, too. */
COLD int selected_call_personality(int version, int actions, uint64_t class, void *exception,
				   void *context)
{
	(void)class, (void)exception;
	int saved = errno;
	if (version != 1 || !(actions & CLEANUP_PHASE) || (actions & FORCE_UNWIND))
		return CONTINUE_UNWIND;
	uintptr_t (*get_gr)(void *, int) = find_get_gr(ARCH_RETURN_ADDRESS());
	uint64_t fp = get_gr ? get_gr(context, ARCH_FP) : 0;
	/* below its saved frame pointer the trampoline keeps where its frame is */
	struct selected_frame *f = fp ? (struct selected_frame *)((uint64_t *)fp)[-1] : NULL;
	if (f && f->call.way != WAY_NONE)
		end_slowly(f, SCP_EXCEPTION, clock_read(clock_chosen.kind));
	errno = saved;
	return CONTINUE_UNWIND;
}

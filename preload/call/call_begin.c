// SPDX-License-Identifier: Apache-2.0
/* How a call begins, for every clock: is it recorded, inside which other call, and on which path?
 * No malloc, stdio, lock, atomic read-modify-write or system call; what is rare is in functions
 * marked COLD. */
#include <errno.h>

#include "preload/call/walk.h"
#include "preload/call/call_fast.h"
#include "preload/call/call.h"
#include "preload/causal/causal.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/function/function.h"
#include "preload/python/python.h"
#include "preload/start/lifecycle.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/recording.h"
#include "preload/table/table.h"
#include "preload/table/tick_phase.h"

#define PASSED_UNSEEN 64u /* calls inside of one of an earlier session */
#define MOST_REFUSED  10  /* then a thread without room asks every 1024 calls */

/* The gap that ends here; the clock moves on a little before the call begins. */
static COLD void note_switch(struct scp_thread *t)
{
	const struct switch_sums *gap = switch_track_begin(&t->switches);
	states_refresh_table(t);
	if (!gap)
		return;
	uint64_t now = clock_read(t->clock);
	states_add_gap(t, now > t->last_at ? now - t->last_at : 0, gap);
}

/* Bookkeeping is marked. */
static inline void check_switch(struct scp_call *c, struct scp_thread *t)
{
	if (c->outer) {
		switch_track_check(&t->switches);
		c->since = t->switches.sums.mark;
	} else if (switch_watch_is_due(&t->switches)) {
		note_switch(t);
	}
}

static bool pass_through(void)
{
	process_loss(skipped_calls, 1);
	return false;
}

COLD void call_fast_note_switch(struct scp_thread *t)
{
	uintptr_t open = t->open;
	thread_mark(t, open);
	note_switch(t);
	thread_unmark(t, open);
}

/* It was switched inside what is open, in which a call begins: likewise, in that call's name, since
 * whether a region is in progress the stack does not tell. */
COLD void call_fast_check(struct scp_thread *t, uint64_t cfa)
{
	uintptr_t open = t->open;
	thread_mark(t, cfa);
	switch_track_check_inside(&t->switches);
	thread_unmark(t, open);
}

/* What was open is not in progress any more. Returns what is around us. */
static uintptr_t abandon(struct scp_thread *t)
{
	process_loss(abandoned_calls, 1);
	t->inner = 0;
	return thread_outside(t);
}

/* Bookkeeping is marked by somebody else: are we inside of it, or was it left for good? */
static COLD bool enter_marked(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
			      uint64_t fp)
{
	if (python_is_asked(cfa)) /* it is our own */
		return false;
	int saved = errno;
	const struct walk_start from = {ra, cfa, fp, t->open & ~(uintptr_t)1};
	bool inside = walk_is_inside(t, &from, true);
	errno = saved;
	if (inside)
		return pass_through();
	c->outer = abandon(t);
	if (!c->outer)
		recording_settle(t);
	t->open = c->outer;
	return true;
}

bool call_is_inside(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
		    uint64_t fp)
{
	uintptr_t open = t->open;
	const struct walk_start from = {ra, cfa, fp, open};
	int saved = errno;
	if (open & 1)
		return enter_marked(c, t, ra, cfa, fp);
	if (call_fast_inside(t, c->function, ra, cfa, fp, &c->outer)) {
		t->open = open;
		return true;
	}
	thread_mark(t, cfa);
	bool stale = thread_is_stale(t); /* its file may be gone */
	struct recording recording = recording_begin(t);
	bool inside = walk_is_inside(t, &from, false);
	if (!stale)
		recording_end(t, &recording);
	c->outer = inside ? open : abandon(t);
	if (!c->outer)
		recording_settle(t);
	thread_unmark(t, c->outer);
	errno = saved;
	return true;
}

/* A thread's first call, or the first in a forked child. A thread that found no room asks again
 * after 1, 2, 4 calls and so on: another one may be making the profile larger at this moment. */
static COLD struct scp_thread *enter_first(void)
{
	static __thread uint32_t wait, refused;
	int saved = errno;
	if (thread_is_unwanted() && process_epoch.now.generation)
		return NULL;
	size_t room = stack_room();
	if (room < STACK_TO_BEGIN || (!process_epoch.now.generation && room < STACK_TO_UNWIND))
		return NULL;
	if (!process_epoch.now.generation) {
		if (!lifecycle_may_begin())
			return NULL;
		uint64_t signals; /* a handler that leaves, or cancels, would leave it half begun */
		sys_hold_signals(&signals);
		lifecycle_start();
		sys_release_signals(&signals);
		wait = refused = 0;
	}
	if (wait) {
		wait--;
		return NULL;
	}
	/* A vfork child, which has its parent's memory, takes no state in its own name. */
	if (process_epoch.now.generation && !sys_sandboxed &&
	    (uint32_t)sys_getpid() != process.file->pid) {
		errno = saved;
		return NULL;
	}
	struct scp_thread *t = process_epoch.now.generation ? thread_acquire() : NULL;
	if (!t && !thread_unwanted && control_is_recording()) {
		wait = 1u << refused;
		refused += refused < MOST_REFUSED;
	} else if (t) {
		refused = 0;
	}
	errno = saved;
	return t;
}

struct scp_thread *call_first_thread(void)
{
	struct scp_thread *t = enter_first();
	return control_is_recording() ? t : NULL;
}

/* Of another session. Until the call around it has ended, if that is in progress, its calls pass
 * through: that is looked at now and then. */
static bool renew(struct scp_thread *t, const struct walk_start *from, uintptr_t *outer)
{
	uintptr_t open = *outer & ~(OPEN_REGION | 1);
	const struct walk_start start = {from->ra, from->sp, from->fp, open};
	if (open && (t->passed++ % PASSED_UNSEEN || walk_is_inside(t, &start, true)))
		return pass_through();
	*outer = 0;
	return thread_renew(t);
}

/* No memo holds on a new path, and none after recording was stopped or begun or a thread renamed:
 * is there still anything to record? Inside a call everything continues as it began. */
static bool is_still_recorded(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
			      uintptr_t *outer)
{
	if (unlikely(control_changed()))
		lifecycle_poll();
	if (!control_is_recording())
		return false;
	if (thread_is_stale(t))
		return renew(t, &(struct walk_start){ra, cfa, fp, 0}, outer);
	if (likely(t->window == control.window && t->names == filter.names) ||
	    (*outer & ~OPEN_REGION))
		return true;
	*outer = 0;
	return thread_check_again(t);
}

static COLD bool is_wanted(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
			   uintptr_t *outer)
{
	int saved = errno;
	bool wanted = is_still_recorded(t, ra, cfa, fp, outer);
	errno = saved;
	return wanted;
}

/* The memo, with what is around told by `outer`: that may have been left for good. NULL: as
 * path_cache_find says. */
static COLD struct scp_memo *find_memo(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				       uint32_t function, uintptr_t *outer)
{
	int saved = errno;
	struct walk_start from = {ra, cfa, fp, *outer & ~OPEN_REGION};
	bool gone = from.outer && walk_is_above(&from);
	if (gone)
		from.outer = 0;
	struct recording recording = recording_begin(t);
	struct scp_memo *m = path_cache_find(t, &from, function);
	recording_end(t, &recording);
	if (gone || (from.outer && t->found.outer == OUTER_GONE))
		*outer = abandon(t);
	if (!*outer)
		recording_settle(t);
	errno = saved;
	return m;
}

/* NULL: not to be recorded; or there is not even the stack to look, which is counted. That is asked
 * in a small frame, which the search's takes the place of: it is called last. */
COLD struct scp_memo *call_find_memo(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				     uint32_t function, uintptr_t *outer)
{
	if (!t->file) /* overhead_way.c's, whose memo another thread has just made stale */
		return NULL;
	if (stack_room() < STACK_TO_RECORD) {
		if (control_is_recording())
			pass_through();
		return NULL;
	}
	if (!is_wanted(t, ra, cfa, fp, outer))
		return NULL;
	return find_memo(t, ra, cfa, fp, function, outer);
}

COLD struct scp_thread *call_marker_thread(uint32_t function, uint64_t ra, uint64_t cfa,
					   uint64_t fp, uintptr_t *open)
{
	struct scp_thread *t = thread_self;
	if (!t || !process_epoch.now.generation) {
		t = call_first_thread();
		if (!t) {
			if (control_is_recording() && !thread_unwanted)
				process_loss(overflow_calls, 1);
			return NULL;
		}
	}
	*open = t->open;
	if (*open & ~OPEN_REGION) {
		struct scp_call c = {.function = function};
		if (!call_is_inside(&c, t, ra, cfa, fp))
			return NULL;
		*open = c.outer;
	}
	return t;
}

static inline void begin_fast(struct scp_call *c, struct scp_thread *t, struct scp_memo *m,
			      uint64_t cfa)
{
	bool page = t == thread_page;
	c->thread = t;
	c->site = m->site;
	c->cfa = cfa;
	c->fine_ns = 0;
	c->generation = t->generation;
	c->inner_at = t->inner;
	c->recorded = t->recorded;
	c->path = page ? CALL_FAST_PAGE : CALL_FAST_TSC;
	call_fast_mark(c);
	thread_unmark(t, cfa);
	bool ordered = function_wants_order(c->function);
	c->clock = ordered ? CALL_ORDERED : 0;
	c->began_at =
		page ? call_fast_clock_begin(true, ordered) : call_fast_clock_begin(false, ordered);
}

/* Begin slow, fast; see call_end. Ordered whatever is called: the clocks that are read here take so
 * long that it does not matter, and reading them then costs the same around all functions. */
void call_read_clocks(struct scp_call *c)
{
	const struct scp_thread *t = c->thread;
	uint32_t kind = t ? t->clock : clock_chosen.kind;
	c->clock = c->path == CALL_SLOW_PATH ? (uint8_t)kind : CALL_ORDERED;
	arch_order();
	if (t && unlikely(t->slow_clock))
		c->slow_began_at = clock_read(t->slow_clock);
	compiler_barrier();
	c->began_at = clock_read(kind);
	arch_order();
}

/* It has begun in the causal profile's eyes: in slow_began_at, which is the second clock's, where
 * there is one. False: it is not recorded, and nothing is marked. */
static COLD bool begin_delayed(struct scp_call *c)
{
	struct scp_thread *t = c->thread;
	if (!t->slow_clock)
		c->slow_began_at = arch_counter();
	if (causal_delay(t, c->site, false, c->cfa, !c->outer))
		return true;
	thread_close(t, c->outer);
	return false;
}

bool call_begin(struct scp_call *c, uint32_t function, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct scp_thread *t = thread_self;
	c->function = function;
	c->outer = 0;
	c->path = CALL_SLOW_PATH;
	if (unlikely(!t || !process_epoch.now.generation)) {
		if (early_pass(function))
			return false;
		t = enter_first();
		if (!control_is_recording() || (!t && thread_unwanted))
			return false;
		if (!t) {
			c->thread = NULL;
			c->site = NULL;
			c->generation = process_epoch.now.generation;
			call_read_clocks(c);
			return c->generation != 0;
		}
	}
	if (unlikely(t->open)) {
		struct scp_memo *m = call_fast_inside(t, function, ra, cfa, fp, &c->outer);
		if (likely(m != NULL) && (t == thread_fast || t == thread_page)) {
			begin_fast(c, t, m, cfa);
			return true;
		}
		if (!m && !(t->open & 1))
			c->outer = t->open;
		else if (!m && !enter_marked(c, t, ra, cfa, fp))
			return false;
	}
	thread_mark(t, cfa);
	struct scp_memo *m = t->front[memo_slot(ra, cfa)];
	if (unlikely(!m || t->generation != process_epoch.now.generation ||
		     !memo_matches(m, ra, cfa, fp, function)) ||
	    unlikely((c->outer & ~OPEN_REGION) && m->inside != c->outer))
		m = call_find_memo(t, ra, cfa, fp, function, &c->outer);
	if (unlikely(!m)) {
		if (thread_self == t)
			t->open = c->outer;
		return false;
	}
	memo_note_inside(m, c->outer);
	c->generation = t->generation;
	c->thread = t;
	c->site = m->site;
	c->stack_words = (uint16_t)m->stack_words;
	c->cfa = cfa;
	if (causal_page_is_there() && !begin_delayed(c))
		return false;
	check_switch(c, t);
	c->inner_at = t->inner;
	c->recorded = t->recorded;
	c->fine_ns = phase_at_begin(c->site);
	thread_unmark(t, cfa);
	call_read_clocks(c);
	return true;
}

// SPDX-License-Identifier: Apache-2.0
/* The hot path for every clock. No malloc, stdio, lock, atomic read-modify-write or system call;
 * what is rare is in functions marked COLD. */
#include <errno.h>

#include "preload/call/call_fast.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/start/lifecycle.h"
#include "preload/table/tick_phase.h"
#include "preload/table/slowest.h"
#include "preload/system/sys.h"
#include "preload/table/sums.h"
#include "preload/table/table.h"

/* Time that no table could take: counted for the function, in the whole process. */
static COLD void add_overflow(struct scp_call *c, uint64_t units, uint64_t bytes)
{
	struct scp_function *f = process.function[c->function];
	process_loss(overflow_calls, 1);
	if (!f)
		return;
	__atomic_add_fetch(&f->overflow_calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&f->overflow_units, units, __ATOMIC_RELAXED);
	__atomic_add_fetch(&f->overflow_bytes, bytes, __ATOMIC_RELAXED);
}

static bool pass_through(void)
{
	process_loss(skipped_calls, 1);
	return false;
}

COLD struct scp_memo *call_fast_search_nested(struct scp_thread *t, uint64_t ra, uint64_t cfa,
					      uint64_t fp, uint32_t function)
{
	uintptr_t open = t->open;
	t->open = open | 1; /* the chain is about to change */
	compiler_barrier();
	struct scp_memo *m = path_cache_search(t, ra, cfa, fp, function);
	compiler_barrier();
	t->open = open;
	return m;
}

/* thread.open is not 0: are we inside that call, or was it abandoned? */
static COLD bool enter_nested(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
			      uint64_t fp)
{
	uintptr_t open = t->open;
	int saved = errno;
	bool inside = open == OPEN_REGION ||
		      path_cache_call_in_progress(t, ra, cfa, fp, open & ~(uintptr_t)1);
	errno = saved;
	if (inside) {
		if (open & 1)
			return pass_through();
		c->outer = open;
		return true;
	}
	process_loss(abandoned_calls, 1);
	t->abandoned = true;
	t->inner = 0;
	t->open = c->outer = thread_outside(t);
	return true;
}

bool call_is_inside(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
		    uint64_t fp)
{
	if (!call_fast_inside(t, c->function, ra, cfa, fp))
		return enter_nested(c, t, ra, cfa, fp);
	c->outer = t->open;
	return true;
}

/* A thread's first call, or the first in a forked child. A thread that found no
 * room asks again only now and then. */
static COLD struct scp_thread *enter_first(void)
{
	static __thread uint32_t wait;
	int saved = errno;
	if (thread_is_unwanted() && process_epoch.now.generation)
		return NULL;
	size_t room = sys_stack_room();
	if (room < STACK_TO_RECORD || (!process_epoch.now.generation && room < STACK_TO_UNWIND))
		return NULL;
	if (!process_epoch.now.generation) {
		lifecycle_start();
		wait = 0;
	}
	if (wait) {
		wait--;
		return NULL;
	}
	struct scp_thread *t = process_epoch.now.generation ? thread_acquire() : NULL;
	if (!t && !thread_unwanted && control_is_recording())
		wait = 1000;
	errno = saved;
	return t;
}

struct scp_thread *call_first_thread(void)
{
	struct scp_thread *t = enter_first();
	return control_is_recording() ? t : NULL;
}

/* No memo holds on a new path, and none after recording was stopped or begun or a thread renamed:
 * is there still anything to record? Inside a call all goes on as it began. */
static bool is_still_recorded(struct scp_thread *t, uintptr_t *outer)
{
	if (unlikely(control_changed()))
		lifecycle_look();
	if (!control_is_recording())
		return false;
	if (likely(t->window == control.window && t->names == filter.names) ||
	    (*outer & ~OPEN_REGION))
		return true;
	*outer = 0;
	return thread_look_again(t);
}

static bool is_known_excluded(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	return filter.below && t->generation == process_epoch.now.generation &&
	       path_cache_search(t, ra, cfa, fp, MEMO_EXCLUDED);
}

/* NULL: not to be recorded; or there is not even the stack to look, which is counted. */
COLD struct scp_memo *call_find_memo(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				     uint32_t function, uintptr_t *outer)
{
	int saved = errno;
	struct scp_memo *m = NULL;
	if (is_still_recorded(t, outer) && !is_known_excluded(t, ra, cfa, fp)) {
		if (sys_stack_room() < STACK_TO_RECORD)
			pass_through();
		else
			m = path_cache_find(t, ra, cfa, fp, function, *outer & ~OPEN_REGION);
	}
	errno = saved;
	return m && !memo_is_excluded(m) ? m : NULL;
}

COLD bool call_is_excluded(uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct scp_thread *t = thread_self;
	if (!t)
		return thread_is_unwanted();
	uintptr_t open = t->open;
	if (!filter.below || (open & 1))
		return false;
	t->open = open | 1; /* the chain may change */
	compiler_barrier();
	bool excluded = is_known_excluded(t, ra, cfa, fp);
	compiler_barrier();
	t->open = open;
	return excluded;
}

static inline void begin_fast(struct scp_call *c, struct scp_thread *t, struct scp_memo *m,
			      uint64_t cfa)
{
	bool page = t == thread_page;
	c->thread = t;
	c->memo = m;
	c->cfa = cfa;
	c->fine_ns = 0;
	c->outer = t->open;
	c->inner_at = t->inner;
	c->path = page ? CALL_FAST_PAGE : CALL_FAST_TSC;
	compiler_barrier();
	t->open = cfa;
	c->began_at = page ? call_fast_clock(true) : call_fast_clock(false);
}

bool call_begin(struct scp_call *c, uint32_t function, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct scp_thread *t = thread_self;
	c->function = function;
	c->outer = 0;
	c->path = CALL_SLOW_PATH;
	if (unlikely(!t || !process_epoch.now.generation)) {
		t = enter_first();
		if (!control_is_recording() || (!t && thread_unwanted))
			return false;
		if (!t) {
			c->thread = NULL;
			c->memo = NULL;
			c->began_at = clock_read(clock_chosen.kind);
			return process_epoch.now.generation != 0;
		}
	}
	if (unlikely(t->open)) {
		struct scp_memo *m = call_fast_inside(t, function, ra, cfa, fp);
		if (likely(m != NULL) && (t == thread_fast || t == thread_page)) {
			begin_fast(c, t, m, cfa);
			return true;
		}
		if (m)
			c->outer = t->open;
		else if (!enter_nested(c, t, ra, cfa, fp))
			return false;
	}
	t->open = cfa | 1;
	compiler_barrier();
	struct scp_memo *m = t->front[memo_slot(ra, cfa)];
	if (unlikely(!m || t->generation != process_epoch.now.generation ||
		     !memo_matches(m, ra, cfa, fp, function)))
		m = call_find_memo(t, ra, cfa, fp, function, &c->outer);
	if (unlikely(!m)) {
		if (thread_self == t)
			t->open = c->outer;
		return false;
	}
	memo_note_inside(m, c->outer);
	c->inner_at = t->inner;
	c->thread = t;
	c->memo = m;
	c->cfa = cfa;
	c->fine_ns = phase_at_begin(m->path);
	if (unlikely(t->slow_clock))
		c->slow_began_at = clock_read(t->slow_clock);
	compiler_barrier();
	t->open = cfa;
	c->began_at = clock_read(t->clock);
	return true;
}

static inline void add_to_histogram(struct scp_thread *t, struct scp_rt *rt, uint64_t units)
{
	uint32_t bucket = sums_bucket(units);
	struct scp_hist *h = rt->hist[bucket / SCP_HIST_BUCKETS];
	if (unlikely(!h)) {
		h = table_histogram(t, rt, bucket / SCP_HIST_BUCKETS);
		if (!h)
			return;
	}
	h->count[bucket % SCP_HIST_BUCKETS]++;
}

static inline void add_slow(struct scp_slow *s, uint64_t units)
{
	s->units += units;
	sums_add_product(&s->units_sq_lo, &s->units_sq_hi, units, units, false);
	if (units > s->max_units)
		s->max_units = units;
}

static inline void add_to_entry(const struct scp_call *c, struct scp_rt *rt, uint64_t units,
				uint64_t slow_units, uint64_t now, uint64_t bytes, bool has_bytes,
				uint64_t *mark)
{
	struct scp_thread *t = c->thread;
	struct scp_entry *e = rt->entry;
	uint64_t calls = sums_begin_entry(e, units, now, bytes, has_bytes, false, mark);
	if (t->histograms)
		add_to_histogram(t, rt, units);
	if (unlikely(rt->slow != NULL))
		add_slow(rt->slow, slow_units);
	if (unlikely(calls == e->batch_end))
		batch_close(t, rt);
	phase_at_end(t, rt, c->fine_ns, t->slow_clock ? c->slow_began_at : c->began_at);
	sums_end_entry(e, calls);
	if (unlikely(units > t->slowest.limit))
		slowest_note(t, rt, units, slow_units, now, bytes);
}

/* The gap before this call ends where it began; nested calls have none. */
static inline void add_gap(struct scp_thread *t, struct scp_rt *rt, uint64_t units)
{
	struct scp_rt *from = t->previous;
	struct scp_gap *g = from->gap_to[0] == rt   ? from->gap[0]
			    : from->gap_to[1] == rt ? from->gap[1]
						    : NULL;
	if (likely(g != NULL))
		sums_add_gap(g, units, false, &t->last_at, t->last_at + units);
	else
		table_add_gap(t, rt, units);
	t->previous = rt;
}

/* Two calls overlap that should not (a call thought abandoned came back), or the
 * clock went backwards between processors. Keep the sums telescoping: the part
 * that was counted before is set against this call, as for nested ones. */
static COLD void end_disordered(struct scp_call *c, struct scp_rt *rt, uint64_t now, uint64_t slow,
				uint64_t bytes, bool has_bytes)
{
	struct scp_thread *t = c->thread;
	uint64_t from = c->began_at;
	now = now < t->last_at ? t->last_at : now;
	now = now < from ? from : now;
	add_to_entry(c, rt, now - from, slow, now, bytes, has_bytes, NULL);
	sums_take_inner(rt->entry, &t->inner);
	if (from < t->last_at)
		t->table->nested_units += t->last_at - from;
	else
		add_gap(t, rt, from - t->last_at);
	t->previous = rt;
	t->last_at = t->table->last_at = now;
	compiler_barrier();
	t->open = 0;
}

/* No entry for it: keep the sums telescoping all the same. */
static COLD void end_without_entry(struct scp_call *c, uint64_t now, uint64_t bytes)
{
	struct scp_thread *t = c->thread;
	add_overflow(c, now - c->began_at, bytes);
	if (!t) { /* a thread without a table: this call is all that is known of its time */
		process_loss(overflow_time_units, now - c->began_at);
		return;
	}
	t->inner = c->outer ? t->inner + 1 : 0;
	if (c->outer) {
		process_loss(overflow_nested_units, now - c->began_at);
	} else {
		process_loss(overflow_gaps, 1);
		process_loss(overflow_gap_units, c->began_at - t->last_at);
		t->last_at = t->table->last_at = now;
	}
	t->open = call_fast_around(t, c->outer);
}

static COLD struct scp_rt *find_entry(struct scp_call *c, uint32_t outcome, bool has_bytes)
{
	int saved = errno;
	struct scp_memo *m = c->memo;
	struct scp_rt *rt = m->path && sys_stack_room() >= STACK_TO_RECORD
				    ? table_entry(c->thread, m->path, c->function, outcome,
						  has_bytes, c->began_at)
				    : NULL;
	if (rt)
		m->rt[outcome] = rt;
	errno = saved;
	return rt;
}

static COLD void end_nested(struct scp_call *c, struct scp_rt *rt, uint64_t now, uint64_t slow,
			    uint64_t bytes, bool has_bytes)
{
	struct scp_thread *t = c->thread;
	now = now < c->began_at ? c->began_at : now; /* a clock that went backwards */
	add_to_entry(c, rt, now - c->began_at, slow, now, bytes, has_bytes, NULL);
	sums_add_inner(rt->entry, &t->inner, c->inner_at);
	t->table->nested_units += now - c->began_at;
	t->table->nested_calls++;
	compiler_barrier();
	t->open = call_fast_around(t, c->outer);
}

void call_record(struct scp_call *c, struct scp_rt *rt, bool nested, uint64_t now, uint64_t slow_at)
{
	struct scp_thread *t = c->thread;
	uint64_t slow = t->slow_clock ? slow_at - c->slow_began_at : 0;
	if (nested) {
		end_nested(c, rt, now, slow, 0, false);
		return;
	}
	if (unlikely(now < c->began_at || c->began_at < t->last_at)) {
		end_disordered(c, rt, now, slow, 0, false);
		return;
	}
	add_gap(t, rt, c->began_at - t->last_at);
	add_to_entry(c, rt, now - c->began_at, slow, now, 0, false, &t->last_at);
	sums_take_inner(rt->entry, &t->inner);
	t->last_at = t->table->last_at = now;
	compiler_barrier();
	t->open = 0;
}

/* Not where the call is nobody's to record: its thread may be gone, its clock forbidden. */
static inline uint64_t read_slow_end(const struct scp_call *c)
{
	const struct scp_thread *t = c->thread;
	if (likely(!clock_chosen.slow_kind) || !t || !process_epoch.now.generation ||
	    thread_self != t || !t->slow_clock)
		return 0;
	return clock_read(t->slow_clock);
}

static void end_at(struct scp_call *c, struct call_result r, bool has_bytes, uint64_t now,
		   uint64_t slow_at)
{
	struct scp_thread *t = c->thread;
	uint64_t slow = 0;
	/* A forked child that returns from its parent's call: not its own to record. */
	if (unlikely(!process_epoch.now.generation || (t && thread_self != t)))
		return;
	if (unlikely(!t)) {
		end_without_entry(c, now, r.bytes);
		return;
	}
	t->open = c->cfa | 1;
	compiler_barrier();
	if (unlikely(t->slow_clock))
		slow = slow_at - c->slow_began_at;
	struct scp_rt *rt = c->memo->rt[r.outcome];
	if (unlikely(rt == &t->no_entry))
		rt = find_entry(c, r.outcome, has_bytes);
	if (unlikely(!rt)) {
		end_without_entry(c, now, r.bytes);
		return;
	}
	if (unlikely(c->outer)) {
		end_nested(c, rt, now, slow, r.bytes, has_bytes);
		return;
	}
	if (unlikely(now < c->began_at || c->began_at < t->last_at)) {
		end_disordered(c, rt, now, slow, r.bytes, has_bytes);
		return;
	}
	add_gap(t, rt, c->began_at - t->last_at);
	add_to_entry(c, rt, now - c->began_at, slow, now, r.bytes, has_bytes, &t->last_at);
	sums_take_inner(rt->entry, &t->inner);
	t->last_at = t->table->last_at = now;
	compiler_barrier();
	t->open = 0;
}

/* Begin slow, fast; end slow, fast: both clocks then time intervals of one length, each with
 * one reading of the other inside. If one enclosed the other, whatever stretches time (another
 * task, the host) would stretch the difference, and no compensation measured at rest fits. */
void call_end(struct scp_call *c, struct call_result r, bool has_bytes)
{
	if (likely(c->path != CALL_SLOW_PATH)) {
		bool page = c->path == CALL_FAST_PAGE;
		uint64_t now = page ? call_fast_clock(true) : call_fast_clock(false);
		if (unlikely(!(page ? call_fast_end_nested(true, c, now, r, has_bytes)
				    : call_fast_end_nested(false, c, now, r, has_bytes))))
			end_at(c, r, has_bytes, now, 0);
		return;
	}
	uint64_t slow_at = read_slow_end(c);
	compiler_barrier();
	end_at(c, r, has_bytes, clock_read(clock_chosen.kind), slow_at);
}

void call_end_at(struct scp_call *c, struct call_result r, bool has_bytes, uint64_t now)
{
	end_at(c, r, has_bytes, now, 0);
}

COLD struct scp_memo *call_fast_search(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				       uint32_t function)
{
	t->open = cfa | 1; /* the chain is about to change */
	compiler_barrier();
	struct scp_memo *m = path_cache_search(t, ra, cfa, fp, function);
	compiler_barrier();
	t->open = m ? cfa : 0;
	return m;
}

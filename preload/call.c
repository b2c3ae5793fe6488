// SPDX-License-Identifier: Apache-2.0
/* The hot path for every clock. No malloc, stdio, lock, atomic read-modify-write or system call;
 * what is rare is in functions marked COLD. */
#include <errno.h>

#include "call_fast.h"
#include "lifecycle.h"
#include "phase.h"
#include "slowest.h"
#include "stack.h"
#include "sums.h"
#include "table.h"

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

/* A call that was found to be inside the open one on this very path needs no second look. */
static bool known_inside(struct scp_thread *t, uint32_t function, uint64_t ra, uint64_t cfa,
			 uint64_t fp)
{
	uintptr_t open = t->open;
	struct scp_memo *m = t->front[memo_slot(ra, cfa)];
	if ((open & 1) || !m || t->generation != process_epoch.now.generation)
		return false;
	if (unlikely(!memo_matches(m, ra, cfa, fp, function))) {
		t->open = open | 1; /* the chain is about to change */
		compiler_barrier();
		m = memo_search(t, ra, cfa, fp, function);
		compiler_barrier();
		t->open = open;
	}
	return m && m->inside == open;
}

/* thread.open is not 0: are we inside that call, or was it abandoned? */
static COLD bool enter_nested(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
			      uint64_t fp)
{
	uintptr_t open = t->open;
	int saved = errno;
	bool inside =
		open == OPEN_REGION || memo_call_in_progress(t, ra, cfa, fp, open & ~(uintptr_t)1);
	errno = saved;
	if (inside) {
		if (open & 1)
			return pass_through();
		c->outer = open;
		return true;
	}
	process_loss(abandoned_calls, 1);
	t->abandoned = true;
	t->open = c->outer = thread_outside(t);
	return true;
}

bool call_is_inside(struct scp_call *c, struct scp_thread *t, uint64_t ra, uint64_t cfa,
		    uint64_t fp)
{
	if (!known_inside(t, c->function, ra, cfa, fp))
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
	size_t room = stack_room();
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
	if (!t)
		wait = 1000;
	errno = saved;
	return t;
}

struct scp_thread *call_first_thread(void)
{
	struct scp_thread *t = enter_first();
	return process_groups ? t : NULL;
}

/* NULL: there is not even the stack to look. */
static COLD struct scp_memo *find_slowly(struct scp_thread *t, uint64_t ra, uint64_t cfa,
					 uint64_t fp, uint32_t function, bool nested)
{
	if (stack_room() < STACK_TO_RECORD)
		return NULL;
	int saved = errno;
	struct scp_memo *m = memo_find(t, ra, cfa, fp, function, nested);
	errno = saved;
	return m;
}

struct scp_memo *call_find_memo(struct scp_thread *t, uint64_t ra, uint64_t cfa, uint64_t fp,
				uint32_t function, bool nested)
{
	return find_slowly(t, ra, cfa, fp, function, nested);
}

bool call_begin(struct scp_call *c, uint32_t function, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct scp_thread *t = thread_self;
	c->function = function;
	c->outer = 0;
	if (unlikely(!t || !process_epoch.now.generation)) {
		t = enter_first();
		if (!process_groups)
			return false;
		if (!t) {
			c->thread = NULL;
			c->memo = NULL;
			c->began_at = clock_read(clock_chosen.kind);
			return process_epoch.now.generation != 0;
		}
	}
	if (unlikely(t->open)) {
		if (known_inside(t, function, ra, cfa, fp))
			c->outer = t->open;
		else if (!enter_nested(c, t, ra, cfa, fp))
			return false;
	}
	t->open = cfa | 1;
	compiler_barrier();
	struct scp_memo *m = t->front[memo_slot(ra, cfa)];
	if (unlikely(!m || t->generation != process_epoch.now.generation ||
		     !memo_matches(m, ra, cfa, fp, function)))
		m = find_slowly(t, ra, cfa, fp, function, c->outer & ~OPEN_REGION);
	if (unlikely(!m)) {
		t->open = c->outer;
		return pass_through();
	}
	m->inside = c->outer;
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
		slowest_note(t, e, units, slow_units, now, bytes);
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
	if (from < t->last_at)
		t->table->nested_units += t->last_at - from;
	else
		add_gap(t, rt, from - t->last_at);
	t->previous = rt;
	t->last_at = t->table->last_at = now;
	compiler_barrier();
	t->open = 0;
}

/* What is open when this nested one has ended: a region may have ended inside it. */
static inline uintptr_t around(const struct scp_call *c)
{
	return unlikely(c->outer == OPEN_REGION) ? thread_outside(c->thread) : c->outer;
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
	if (c->outer) {
		process_loss(overflow_nested_units, now - c->began_at);
	} else {
		process_loss(overflow_gaps, 1);
		process_loss(overflow_gap_units, c->began_at - t->last_at);
		t->last_at = t->table->last_at = now;
	}
	t->open = around(c);
}

static COLD struct scp_rt *find_entry(struct scp_call *c, uint32_t outcome, bool has_bytes)
{
	int saved = errno;
	struct scp_memo *m = c->memo;
	struct scp_rt *rt = m->path && stack_room() >= STACK_TO_RECORD
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
	t->table->nested_units += now - c->began_at;
	t->table->nested_calls++;
	compiler_barrier();
	t->open = around(c);
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
	t->last_at = t->table->last_at = now;
	compiler_barrier();
	t->open = 0;
}

/* Begin slow, fast; end slow, fast: both clocks then time intervals of one length, each with
 * one reading of the other inside. If one enclosed the other, whatever stretches time (another
 * task, the host) would stretch the difference, and no compensation measured at rest fits. */
void call_end(struct scp_call *c, struct call_result r, bool has_bytes)
{
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
	struct scp_memo *m = memo_search(t, ra, cfa, fp, function);
	compiler_barrier();
	t->open = m ? cfa : 0;
	return m;
}

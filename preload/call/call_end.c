// SPDX-License-Identifier: Apache-2.0
/* How a call ends, for every clock: what it adds to its entry, to the gap before it and to the
 * histogram, such that calls - nested calls + gaps + recording = the thread's time, whatever
 * overlaps. The rules of call_begin.c hold here, too. */
#include <errno.h>

#include "preload/call/call_fast.h"
#include "preload/causal/causal.h"
#include "preload/function/selected.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/table.h"
#include "preload/table/recording.h"
#include "preload/table/slowest.h"
#include "preload/table/sums.h"
#include "preload/table/tick_phase.h"

/* Time that no table could take: counted for the function, in the whole process. */
static COLD void add_overflow(struct scp_call *c, uint64_t units, uint64_t bytes)
{
	struct scp_function *f = selected_record(c->function);
	process_loss(overflow_calls, 1);
	if (!f)
		return;
	__atomic_add_fetch(&f->overflow_calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&f->overflow_units, units, __ATOMIC_RELAXED);
	__atomic_add_fetch(&f->overflow_bytes, bytes, __ATOMIC_RELAXED);
}

static inline void add_to_histogram(const struct scp_call *c, struct scp_rt *rt, uint64_t units)
{
	uint64_t *count = table_count(c->thread, rt, units);
	if (likely(count != NULL))
		++*count;
}

/* What the fast path may add from now on: the first calls, and the one after them, are for
 * first_calls_add. */
static inline void set_limits(const struct scp_thread *t, struct scp_rt *rt)
{
	uint64_t least = rt->entry->min_units, most = rt->entry->max_units;
	most = most < t->fast_limit ? most : t->fast_limit;
	bool any = least <= most && rt->entry->calls > SCP_FIRST_CALLS;
	rt->least = ~UINT64_C(0); /* none, wherever a handler leaves us */
	compiler_barrier();
	rt->span = any ? most - least : 0;
	compiler_barrier();
	rt->least = any ? least : ~UINT64_C(0);
}

static inline void add_slow(struct scp_slow *s, uint64_t units)
{
	s->units += units;
	sums_add_product(&s->units_sq_lo, &s->units_sq_hi, units, units, false);
	if (units > s->max_units)
		s->max_units = units;
}

static COLD const struct switch_sums *end_switched(const struct scp_call *c, uint64_t now)
{
	struct scp_thread *t = c->thread;
	struct switch_sums *off = switch_track_end(&t->switches);
	return off ? states_add_top(t, c->began_at > t->last_at ? c->began_at - t->last_at : 0,
				    now > c->began_at ? now - c->began_at : 0, off)
		   : NULL;
}

/* What the call's time off the CPU adds; NULL: it was not switched. */
static inline const struct switch_sums *find_off_cpu(const struct scp_call *c, bool nested,
						     uint64_t now)
{
	struct switch_watch *w = &c->thread->switches;
	if (!nested)
		return unlikely(switch_watch_is_disturbed(w)) ? end_switched(c, now) : NULL;
	switch_track_check(w);
	return unlikely(w->sums.mark.count != c->since.count)
		       ? switch_track_difference(w, &c->since)
		       : NULL;
}

/* `off` as find_off_cpu's. */
static inline void add_to_entry(const struct scp_call *c, struct scp_rt *rt, uint64_t units,
				uint64_t slow_units, uint64_t now, uint64_t bytes, bool has_bytes,
				uint64_t *mark, const struct switch_sums *off)
{
	struct scp_thread *t = c->thread;
	struct scp_entry *e = rt->entry;
	uint64_t before = *(volatile uint64_t *)&e->calls; /* of the file: read once */
	if (unlikely(before <= SCP_FIRST_CALLS) && before)
		first_calls_add(t, rt, before, units);
	uint64_t calls = sums_begin_entry(e, units, now, bytes, has_bytes, false, mark);
	if (t->histograms && likely(before >= SCP_FIRST_CALLS))
		add_to_histogram(c, rt, units);
	if (unlikely(rt->slow != NULL))
		add_slow(rt->slow, slow_units);
	if (unlikely(off != NULL))
		states_add(t, rt, units, off);
	if (unlikely(calls == rt->batch_end))
		batch_close(t, rt);
	phase_at_end(t, rt, c->fine_ns, t->slow_clock ? c->slow_began_at : c->began_at);
	sums_end_entry(e, calls);
	if (unlikely(units > t->slowest.limit))
		slowest_note(t, rt, units, slow_units, c->began_at, bytes, off);
	set_limits(t, rt);
}

/* The gap before this call ends where it began; nested calls have none. */
static inline void add_gap(struct scp_thread *t, struct scp_rt *rt, uint64_t units)
{
	struct scp_rt_next *next = call_fast_next(t->previous, rt);
	if (likely(next != NULL)) {
		sums_add_gap(next->gap, units, false, &t->last_at, t->last_at + units);
		next->limit = next->gap->max_units < UINT32_MAX ? next->gap->max_units : UINT32_MAX;
	} else {
		table_add_gap(t, rt, units);
	}
	follower_renew(t->previous, rt);
	t->previous = rt;
}

/* What was recorded inside a call of so many units. A handler may have come before its first
 * reading of the clock: that is not taken off here. */
static inline uint64_t recorded_of(const struct scp_call *c, uint64_t units)
{
	return c->recorded.units < units ? c->recorded.units : units;
}

/* A top-level interval ends at `now`, and `taken` was taken off: what else was recorded belongs to
 * what follows, a gap or the next interval of a chain of points. */
static inline void close_account(const struct scp_call *c, uint64_t now, uint64_t taken)
{
	struct scp_thread *t = c->thread;
	t->last_at = now;
	t->inside -= taken;
	if (!c->outer)
		recording_settle(t);
	recording_publish(t);
}

COLD struct scp_hist *call_fast_other_histogram(struct scp_rt *rt, uint32_t block)
{
	struct scp_hist *h = rt->more ? rt->more->hist[block] : NULL;
	if (h)
		rt->usual = (uintptr_t)h | block;
	return h;
}

/* batch_close of a top-level interval, after its end. */
COLD void call_fast_close_batch(struct scp_thread *t, struct scp_rt *rt)
{
	batch_close(t, rt);
	if (!thread_outside(t)) /* no chain of points that goes on */
		recording_settle(t);
}

/* Two calls overlap that should not (a call thought abandoned came back), or the clock went
 * backwards: a little between processors, or far, when the machine had slept. Keep the sums
 * telescoping: the part that was counted before is set against this call, as for nested ones. */
static COLD void end_disordered(struct scp_call *c, struct scp_rt *rt, uint64_t now, uint64_t slow,
				uint64_t bytes, bool has_bytes)
{
	struct scp_thread *t = c->thread;
	uint64_t from = c->began_at;
	const struct switch_sums *switched = find_off_cpu(c, false, now);
	now = now < from ? from : now;
	uint64_t taken = recorded_of(c, now - from);
	add_to_entry(c, rt, now - from - taken, slow, now, bytes, has_bytes, NULL, switched);
	sums_take_inner(rt->entry, &t->inner);
	if (from < t->last_at)
		t->table->nested_units += least_of(now, t->last_at) - from;
	else
		add_gap(t, rt, from - t->last_at);
	uint64_t until = now < t->last_at ? t->last_at : now;
	if (until - now > UINT32_MAX) { /* the thread's time goes on from here */
		t->table->closed_units += until - t->table->first_at;
		t->table->first_at = until = now;
	}
	t->previous = rt;
	close_account(c, until, taken);
	thread_unmark(t, 0);
}

/* No entry for it: keep the sums telescoping all the same. */
static COLD void end_without_entry(struct scp_call *c, uint64_t now, uint64_t bytes)
{
	struct scp_thread *t = c->thread;
	uint64_t units = now - c->began_at, taken = t ? recorded_of(c, units) : 0;
	add_overflow(c, units - taken, bytes);
	if (!t) { /* a thread without a table: this call is all that is known of its time */
		process_loss(overflow_time_units, units);
		return;
	}
	t->inner = c->outer ? t->inner + 1 : 0;
	if (c->outer) {
		process_loss(overflow_nested_units, units - taken);
	} else {
		process_loss(overflow_gaps, 1);
		process_loss(overflow_gap_units, c->began_at - t->last_at);
		close_account(c, now, taken);
	}
	t->open = call_fast_around(t, c->outer);
}

static COLD struct scp_rt *find_entry(struct scp_call *c, uint32_t outcome, bool has_bytes)
{
	int saved = errno;
	struct scp_site *s = c->site;
	struct scp_rt *rt = NULL;
	if (s->path && stack_room() >= STACK_TO_RECORD)
		rt = table_entry(c->thread, s, outcome, has_bytes, c->began_at);
	errno = saved;
	return rt;
}

static COLD void end_nested(struct scp_call *c, struct scp_rt *rt, uint64_t now, uint64_t slow,
			    uint64_t bytes, bool has_bytes)
{
	struct scp_thread *t = c->thread;
	const struct switch_sums *switched = find_off_cpu(c, true, now);
	now = now < c->began_at ? c->began_at : now; /* a clock that went backwards */
	uint64_t units = now - c->began_at;
	units -= recorded_of(c, units);
	rt->entry->flags |= (uint64_t)SCP_WAY_NESTED << SCP_ENTRY_WAY_SHIFT;
	add_to_entry(c, rt, units, slow, now, bytes, has_bytes, NULL, switched);
	sums_add_inner(rt->entry, &t->inner, c->inner_at);
	t->table->nested_units += units;
	t->table->nested_calls++;
	compiler_barrier();
	uintptr_t around = call_fast_around(t, c->outer);
	if (!around)
		recording_settle(t);
	t->open = around;
}

/* Inlined: stacks may be small. */
static inline __attribute__((always_inline)) void end_top(struct scp_call *c, struct scp_rt *rt,
							  uint64_t now, uint64_t slow,
							  uint64_t bytes, bool has_bytes)
{
	struct scp_thread *t = c->thread;
	if (unlikely(now < c->began_at || c->began_at < t->last_at)) {
		end_disordered(c, rt, now, slow, bytes, has_bytes);
		return;
	}
	const struct switch_sums *switched = find_off_cpu(c, false, now);
	uint64_t units = now - c->began_at, taken = recorded_of(c, units);
	add_gap(t, rt, c->began_at - t->last_at);
	recording_take(t, taken);
	add_to_entry(c, rt, units - taken, slow, now, bytes, has_bytes, &t->last_at, switched);
	sums_take_inner(rt->entry, &t->inner);
	close_account(c, now, 0);
	thread_unmark(t, 0);
}

static inline uint64_t slow_units(const struct scp_call *c, uint64_t slow_at)
{
	if (likely(!c->thread->slow_clock))
		return 0;
	return recording_units(c->slow_began_at, slow_at, c->recorded.slow_units);
}

void call_record(struct scp_call *c, struct scp_rt *rt, bool nested, uint64_t now, uint64_t slow_at)
{
	uint64_t slow = slow_units(c, slow_at);
	if (nested)
		end_nested(c, rt, now, slow, 0, false);
	else
		end_top(c, rt, now, slow, 0, false);
}

/* Not where the call is not to be recorded: its thread may be gone, its clock forbidden. */
static inline uint64_t read_slow_end(const struct scp_call *c)
{
	const struct scp_thread *t = c->thread;
	if (likely(!clock_chosen.slow_kind) || !t || !process_epoch.now.generation ||
	    thread_self != t || !t->slow_clock)
		return 0;
	return clock_read(t->slow_clock);
}

/* It began in another session, or in a parent: nothing of it is recorded. In the thread's present
 * state, if that is one of this session, nothing is open. */
static COLD bool is_over(const struct scp_call *c)
{
	struct scp_thread *t = c->thread;
	if (process_epoch.now.generation && !process_is_over(c->generation))
		return false;
	if (t)
		t->open = thread_is_stale(t) ? c->outer : thread_outside(t);
	return true;
}

static inline void record_end(struct scp_call *c, struct call_result r, bool has_bytes,
			      uint64_t now, uint64_t slow_at)
{
	struct scp_thread *t = c->thread;
	uint64_t slow;
	if (likely(t != NULL)) {
		/* A forked child that returns from its parent's call: not its own to record. */
		if (unlikely(thread_self != t))
			return;
		thread_mark(t, c->cfa);
	}
	if (unlikely(c->generation != process_epoch.now.generation) && is_over(c))
		return;
	if (unlikely(!t)) {
		end_without_entry(c, now, r.bytes);
		return;
	}
	recording_inside(t, c->outer, &c->recorded);
	slow = slow_units(c, slow_at);
	struct scp_rt *rt = c->site->rt[r.outcome];
	if (unlikely(rt == &t->no_entry))
		rt = find_entry(c, r.outcome, has_bytes);
	if (unlikely(!rt)) {
		end_without_entry(c, now, r.bytes);
		return;
	}
	if (unlikely(c->outer))
		end_nested(c, rt, now, slow, r.bytes, has_bytes);
	else
		end_top(c, rt, now, slow, r.bytes, has_bytes);
}

/* It is recorded. Until its delay is over it is still in progress in the eyes of handlers. */
static COLD void end_delayed(struct scp_call *c, uint32_t outcome)
{
	struct scp_thread *t = c->thread;
	if (!t || thread_self != t || c->path != CALL_SLOW_PATH)
		return;
	uintptr_t around = t->open;
	uint64_t began_at = !t->slow_clock		? c->slow_began_at
			    : t->clock == SCP_CLOCK_TSC ? c->began_at
							: 0;
	thread_mark(t, c->cfa);
	if (thread_is_stale(t) || process_is_over(c->generation)) {
		t->open = around;
		return;
	}
	if (!causal_delay(t, c->site, true, c->cfa, !around)) {
		thread_close(t, around);
		return;
	}
	causal_delay_note_end(t, c->site, outcome, began_at);
	thread_unmark(t, around);
}

void call_end_at(struct scp_call *c, struct call_result r, bool has_bytes, uint64_t now,
		 uint64_t slow_at)
{
	record_end(c, r, has_bytes, now, slow_at);
	if (causal_page_is_there())
		end_delayed(c, r.outcome);
}

/* Begin slow, fast; end slow, fast: both clocks then time intervals of one length, each with
 * one reading of the other inside. If one enclosed the other, whatever stretches time (another
 * task, the host) would stretch the difference, and no compensation measured at rest fits. */
void call_end(struct scp_call *c, struct call_result r, bool has_bytes)
{
	if (likely(c->path != CALL_SLOW_PATH)) {
		bool page = c->path == CALL_FAST_PAGE, ordered = c->clock & CALL_ORDERED;
		uint64_t now = page ? call_fast_clock_end(true, ordered)
				    : call_fast_clock_end(false, ordered);
		if (unlikely(!(page ? call_fast_end_nested(true, c, now, r, has_bytes)
				    : call_fast_end_nested(false, c, now, r, has_bytes))))
			call_end_at(c, r, has_bytes, now, 0);
		return;
	}
	arch_order();
	uint64_t slow_at = read_slow_end(c);
	compiler_barrier();
	call_end_at(c, r, has_bytes, clock_read(c->clock), slow_at);
}

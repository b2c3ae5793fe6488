// SPDX-License-Identifier: Apache-2.0
/* The fast path of a call, inlined into every wrapper twice: the TSC alone, and the page clock
 * alone; a known path, an entry and a gap that exist. Whatever is out of the ordinary goes to
 * call_begin.c and call_end.c, which can do everything; the two leave the same records.
 *
 * Between call_fast_begin and call_fast_end a signal handler may run anywhere. While the memo is
 * looked up bookkeeping is marked, since calls of the handler could write over it. */
#pragma once

#include "preload/table/table.h"
#include "preload/call/call.h"
#include "preload/clock/clock.h"
#include "preload/switches/switch_track.h"
#include "preload/table/sums.h"

/* Plain values, so that they can stay in registers. */
struct call_fast {
	struct scp_thread *thread; /* NULL: not the fast path */
	struct scp_memo *memo;	   /* until the call begins */
	struct scp_site *site;
	uint64_t began_at;
	uint32_t generation;
};

/* The thread was switched since its last call, or this one was chosen at random: with bookkeeping
 * marked meanwhile. */
HIDDEN void call_fast_note_switch(struct scp_thread *t);

HIDDEN void call_fast_check(struct scp_thread *t, uint64_t cfa);

/* `page` is a constant in all of these. */
static inline __attribute__((always_inline)) uint64_t call_fast_clock(bool page)
{
	return page ? *clock_chosen.page : arch_counter();
}

/* The two readings of a call. `ordered`: what the original does lies between them, and nothing
 * else; the processor would otherwise read the clock at the end while the original is under way.
 * (A word in memory is read at once: nothing of the original can come before it.) */
static inline __attribute__((always_inline)) uint64_t call_fast_clock_begin(bool page, bool ordered)
{
	if (ordered)
		arch_order();
	uint64_t now = call_fast_clock(page);
	if (!page && ordered)
		arch_order();
	return now;
}

static inline __attribute__((always_inline)) uint64_t call_fast_clock_end(bool page, bool ordered)
{
	if (ordered)
		arch_order();
	return call_fast_clock(page);
}

/* All of the beginning but the reading of the clock. Where it finds a thread bookkeeping is marked:
 * thread.open = cfa is the caller's to set, when it is done with the memo. */
static inline __attribute__((always_inline)) struct call_fast call_fast_find(
	bool page, uint32_t function, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct call_fast c = {0};
	struct scp_thread *t = page ? thread_page : thread_fast;
	if (unlikely(!t) || unlikely(t->open))
		return c;
	thread_mark(t, cfa);
	c.generation = process_epoch.now.generation;
	c.memo = t->front[memo_slot(ra, cfa)];
	if (unlikely(c.generation != t->generation) || unlikely(!c.memo)) {
		t->open = 0;
		return c;
	}
	if (unlikely(!memo_matches(c.memo, ra, cfa, fp, function))) {
		c.memo = path_cache_search(t, ra, cfa, fp, function);
		if (!c.memo) {
			t->open = 0;
			return c;
		}
		follower_note(t, c.memo);
	}
	if (unlikely(switch_watch_is_due(&t->switches)))
		call_fast_note_switch(t);
	c.thread = t;
	c.site = c.memo->site;
	return c;
}

static inline __attribute__((always_inline)) struct call_fast call_fast_begin(
	bool page, bool ordered, uint32_t function, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	struct call_fast c = call_fast_find(page, function, ra, cfa, fp);
	if (likely(c.thread)) {
		compiler_barrier();
		c.thread->open = cfa;
		c.began_at = call_fast_clock_begin(page, ordered);
	}
	return c;
}

/* The gap between the last call's entry and this one's, if it is at hand. */
static inline __attribute__((always_inline)) struct scp_rt_next *call_fast_next(struct scp_rt *from,
										struct scp_rt *rt)
{
	if (likely(from->gap[0].to == rt))
		return &from->gap[0];
	return likely(from->gap[1].to == rt) ? &from->gap[1] : NULL;
}

/* Another block than the last call's, if there is one. */
HIDDEN struct scp_hist *call_fast_other_histogram(struct scp_rt *rt, uint32_t block);

static inline __attribute__((always_inline)) struct scp_hist *call_fast_histogram(bool page,
										  struct scp_rt *rt,
										  uint32_t bucket)
{
	if (page)
		return NULL;
	uintptr_t usual = table_usual(rt, bucket / SCP_HIST_BUCKETS);
	return likely(table_is_usual(usual))
		       ? (struct scp_hist *)usual
		       : call_fast_other_histogram(rt, bucket / SCP_HIST_BUCKETS);
}

/* A top-level call is recorded: the next one comes after it. */
static inline __attribute__((always_inline)) void call_fast_leave(struct scp_thread *t,
								  struct scp_rt *rt)
{
	t->previous = rt;
	if (unlikely(rt->follower.memo != NULL))
		follower_fetch(t, &rt->follower);
}

/* The clock has not advanced since the last call: no sum of units changes. False: nothing is
 * recorded yet. */
static inline __attribute__((always_inline)) bool call_fast_add_tickless(
	struct scp_thread *t, struct scp_rt *rt, struct scp_gap *gap, uint64_t now, uint64_t bytes,
	bool has_bytes)
{
	struct scp_entry *e = rt->entry;
	uint64_t calls = e->calls + 1;
	if (unlikely(t->inner) || unlikely(calls == rt->batch_end))
		return false;
	gap->calls++;
	sums_add_tickless(e, calls, now, bytes, has_bytes);
	t->table->last_at = now;
	call_fast_leave(t, rt);
	return true;
}

HIDDEN void call_fast_close_batch(struct scp_thread *t, struct scp_rt *rt);

/* Add a top-level interval, with bookkeeping marked. False: nothing is recorded yet. */
static inline __attribute__((always_inline)) bool call_fast_add(bool page, struct scp_thread *t,
								struct scp_rt *rt,
								uint64_t began_at, uint64_t now,
								uint64_t bytes, bool has_bytes)
{
	uint64_t units = now - began_at, gap_units = began_at - t->last_at;
	struct scp_rt_next *next = call_fast_next(t->previous, rt);
	/* Within the limits also means: neither is negative, and both have 32 bits. */
	if (unlikely(units - rt->least > rt->span) || unlikely(!next) || unlikely(t->inside) ||
	    unlikely(gap_units > next->limit) || (has_bytes && unlikely(bytes >> 32)))
		return false;
	if (page && likely(!(units | gap_units)) &&
	    likely(call_fast_add_tickless(t, rt, next->gap, now, bytes, has_bytes)))
		return true;
	uint32_t bucket = page ? 0 : sums_bucket(units);
	struct scp_hist *h = call_fast_histogram(page, rt, bucket);
	if (!page && unlikely(!h))
		return false;
	struct scp_entry *e = rt->entry;
	sums_add_gap(next->gap, gap_units, true, &t->last_at, began_at);
	uint64_t calls = sums_begin_entry(e, units, now, bytes, has_bytes, true, &t->last_at);
	sums_take_inner(e, &t->inner);
	t->table->last_at = now;
	if (!page)
		h->count[bucket % SCP_HIST_BUCKETS]++;
	if (unlikely(calls == rt->batch_end))
		call_fast_close_batch(t, rt);
	sums_end_entry(e, calls);
	call_fast_leave(t, rt);
	return true;
}

/* Add a nested interval, likewise. */
static inline __attribute__((always_inline)) bool call_fast_add_nested(
	bool page, struct scp_thread *t, struct scp_rt *rt, uint64_t began_at, uint64_t inner_at,
	uint64_t now, uint64_t bytes, bool has_bytes)
{
	uint64_t units = now - began_at;
	if (unlikely(!rt->entry) || unlikely(units - rt->least > rt->span) ||
	    (has_bytes && unlikely(bytes >> 32)))
		return false;
	uint32_t bucket = page ? 0 : sums_bucket(units);
	struct scp_hist *h = call_fast_histogram(page, rt, bucket);
	if (!page && unlikely(!h))
		return false;
	struct scp_entry *e = rt->entry;
	uint64_t calls = sums_begin_entry(e, units, now, bytes, has_bytes, true, NULL);
	sums_add_inner(e, &t->inner, inner_at);
	if (!page)
		h->count[bucket % SCP_HIST_BUCKETS]++;
	if (unlikely(calls == rt->batch_end))
		batch_close(t, rt);
	sums_end_entry(e, calls);
	t->table->nested_units += units;
	t->table->nested_calls++;
	return true;
}

/* thread.open is not 0: the memo of a path on which that call, or region, was found to be around us
 * before. Equal words: the walk that found it would find it again. Bookkeeping is marked then, and
 * `*outer` what was open. NULL: the slow path; nothing is changed. */
static inline __attribute__((always_inline)) struct scp_memo *call_fast_inside(
	struct scp_thread *t, uint32_t function, uint64_t ra, uint64_t cfa, uint64_t fp,
	uintptr_t *outer)
{
	uintptr_t open = t->open;
	struct scp_memo *m = t->front[memo_slot(ra, cfa)];
	if (unlikely(open & 1) || unlikely(!m) ||
	    unlikely(t->generation != process_epoch.now.generation))
		return NULL;
	thread_mark(t, cfa);
	if ((likely(memo_matches(m, ra, cfa, fp, function)) ||
	     (m = path_cache_search(t, ra, cfa, fp, function))) &&
	    likely(m->inside == open)) {
		*outer = open;
		return m;
	}
	thread_unmark(t, open);
	return NULL;
}

/* What is open when a nested call has ended: a region may have ended inside it. */
static inline uintptr_t call_fast_around(const struct scp_thread *t, uintptr_t outer)
{
	return unlikely(outer == OPEN_REGION) ? thread_outside(t) : outer;
}

/* A nested call begins here: what was before is not its own. */
static inline __attribute__((always_inline)) void call_fast_mark(struct scp_call *c)
{
	if (unlikely(switch_watch_has_changed(&c->thread->switches)))
		call_fast_check(c->thread, c->cfa);
	c->since = c->thread->switches.sums.mark;
}

/* Was the thread switched since? */
static inline __attribute__((always_inline)) bool call_was_switched(const struct scp_call *c)
{
	const struct switch_watch *w = &c->thread->switches;
	return unlikely(switch_watch_has_changed(w)) || w->sums.mark.count != c->since.count;
}

/* The fast path of a nested call; as call_fast_end, but `rt` and the clock are looked up. */
static inline __attribute__((always_inline)) bool call_fast_end_nested(
	bool page, const struct scp_call *c, uint64_t now, struct call_result r, bool has_bytes)
{
	struct scp_thread *t = c->thread;
	if (unlikely(thread_self != t))
		return false;
	thread_mark(t, c->cfa);
	if (unlikely(c->generation != process_epoch.now.generation) ||
	    unlikely(call_was_switched(c)) || unlikely(t->recorded.units != c->recorded.units))
		return false;
	if (unlikely(!call_fast_add_nested(page, t, c->site->rt[r.outcome], c->began_at,
					   c->inner_at, now, r.bytes, has_bytes)))
		return false;
	thread_unmark(t, call_fast_around(t, c->outer));
	return true;
}

/* False: nothing is recorded yet, take the slow path with the same `now`. */
static inline __attribute__((always_inline)) bool call_fast_end(bool page,
								const struct call_fast *c,
								uint64_t now, uint64_t cfa,
								struct call_result r,
								bool has_bytes)
{
	struct scp_thread *t = c->thread;
	thread_mark(t, cfa);
	/* Another generation: another session, forked, or code unloaded. */
	if (unlikely(c->generation != process_epoch.now.generation) ||
	    unlikely(switch_watch_is_disturbed(&t->switches))) {
		t->open = cfa;
		return false;
	}
	struct scp_rt *rt = c->site->rt[r.outcome];
	if (unlikely(!call_fast_add(page, t, rt, c->began_at, now, r.bytes, has_bytes)))
		return false;
	thread_unmark(t, 0);
	return true;
}

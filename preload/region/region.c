// SPDX-License-Identifier: Apache-2.0
/* Beginning and ending regions. What a program left without an end (return, longjmp) is found when
 * something begins or ends that could not if it were still there. */
#include "preload/process/arena.h"
#include "preload/call/call_fast.h"
#include "preload/causal/causal.h"
#include "preload/filter/control.h"
#include "preload/table/tick_phase.h"
#include "preload/region/region.h"
#include "preload/system/stack.h"
#include "preload/table/recording.h"
#include "preload/table/table.h"

/* Where a compiler pops arguments late, the stack pointer differs between two markers of one
 * frame by so much at most. */
#define SP_SLACK 128u

static COLD bool has_room(struct scp_thread *t, enum region_kind kind)
{
	if (!t->regions) {
		t->regions = arena_map(REGIONS_BYTES);
		/* Scopes of other threads, and of a parent, have other numbers. */
		t->region_serial = (uint64_t)process_epoch.now.generation << 48 |
				   (uint64_t)(t->table_id & 0xffff) << 32;
	}
	if (t->regions && t->region_depth < REGIONS_OPEN_MAX)
		return true;
	if (kind != REGION_SCOPE) /* whose end is not going to come here */
		t->region_beyond++;
	process_loss(overflow_calls, 1);
	return false;
}

static void remove_open(struct scp_thread *t, uint32_t at)
{
	t->region_depth--;
	for (; at < t->region_depth; at++)
		t->regions[at] = t->regions[at + 1];
}

/* A scope or function whose frame lies below `sp`, where the stack now ends. */
static bool is_left(const struct region_open *r, uintptr_t sp)
{
	return (r->kind == REGION_SCOPE || r->kind == REGION_FUNCTION) && r->sp + SP_SLACK < sp;
}

/* Begun once more without an end between. Blocks of one kind are open side by side, as those of
 * coroutines: the same one has the same token. */
static bool is_again(const struct region_open *r, const struct region_open *fresh)
{
	return r->kind == fresh->kind && r->sp == fresh->sp && r->function == fresh->function &&
	       (r->kind != REGION_BLOCK || r->serial == fresh->serial);
}

/* Give up what cannot be open any more, now that this begins here: what `sp` has left, and the
 * same region, begun at the same place of the same frame. On an alternate stack addresses
 * tell nothing. Returns where `fresh` lies now. */
static COLD struct region_open *give_up_for(struct scp_thread *t, struct region_open *fresh)
{
	uint32_t d = t->region_depth;
	if (stack_room() != SIZE_MAX)
		return fresh;
	while (d && t->regions[d - 1].sp <= fresh->sp) {
		const struct region_open *r = &t->regions[--d];
		bool again = is_again(r, fresh) && r->site == fresh->site && r->site;
		if (again || is_left(r, fresh->sp)) {
			remove_open(t, d);
			process_loss(abandoned_calls, 1);
		}
	}
	if (!t->region_depth && !t->point.name) { /* what lay in those is in no interval */
		t->inner = 0;
		recording_settle(t);
	}
	t->regions[t->region_depth] = *fresh;
	return &t->regions[t->region_depth];
}

/* Is there anything to be given up? Plain regions of one frame are looked at again only
 * where one of the same name is the innermost but few. */
static inline bool is_any_left(const struct scp_thread *t, const struct region_open *fresh)
{
	uint32_t d = t->region_depth;
	if (likely(!d) || likely(t->regions[d - 1].sp > fresh->sp))
		return false;
	for (unsigned i = 0; i < 4 && d; i++) {
		const struct region_open *r = &t->regions[--d];
		if (is_left(r, fresh->sp) || is_again(r, fresh))
			return true;
	}
	return false;
}

/* The site, and the entry if there is one. */
static inline __attribute__((always_inline)) void fill_site(const struct scp_thread *t,
							    struct region_open *r,
							    const struct scp_memo *m)
{
	struct scp_site *s = m && m->site->path ? m->site : NULL;
	r->site = s;
	r->rt = s && likely(s->rt[SCP_COMPLETED] != &t->no_entry) ? s->rt[SCP_COMPLETED] : NULL;
}

/* `tsc` is a constant, here and in end: the clock is the counter alone (thread_fast). */
static inline __attribute__((always_inline)) struct region_open *begin(
	bool tsc, struct scp_thread *t, uintptr_t open, uint32_t function, enum region_kind kind,
	uint64_t serial, struct region_caller from)
{
	thread_mark(t, from.cfa);
	struct scp_memo *m = function ? region_memo(t, function, from, open) : NULL;
	if ((unlikely(!m) && region_leaves_out(t, open)) ||
	    (unlikely(!t->regions || t->region_depth == REGIONS_OPEN_MAX) && !has_room(t, kind))) {
		if (thread_self == t)
			t->open = thread_after(t, open);
		return NULL;
	}
	/* Field by field, each read again in its own width: the processor forwards only those. */
	struct region_open *r = &t->regions[t->region_depth];
	r->sp = from.cfa;
	r->function = function;
	r->kind = kind;
	r->failed = false;
	r->serial = kind == REGION_SCOPE ? ++t->region_serial : serial;
	fill_site(t, r, m);
	if (unlikely(is_any_left(t, r)))
		r = give_up_for(t, r);
	bool in_call = open & ~OPEN_REGION;
	r->top = !in_call && !thread_outside(t);
	r->fine_ns = tsc ? 0 : phase_at_begin(r->site);
	r->inner_at = t->inner;
	r->recorded = t->recorded;
	if (r->top && unlikely(switch_watch_is_due(&t->switches)))
		call_fast_note_switch(t);
	else if (!r->top)
		switch_track_check(&t->switches);
	r->since = t->switches.sums.mark;
	compiler_barrier();
	t->region_depth++;
	arch_order(); /* as around a call: call_fast_clock_begin */
	if (!tsc && t->slow_clock)
		r->slow_began_at = clock_read(t->slow_clock);
	thread_unmark(t, in_call ? open : OPEN_REGION);
	r->began_at = tsc ? arch_counter() : clock_read(t->clock);
	arch_order();
	return r;
}

static COLD struct region_open *begin_slowly(uint32_t function, enum region_kind kind,
					     uint64_t serial, uint64_t ra, uint64_t cfa,
					     uint64_t fp)
{
	const struct region_caller from = {ra, cfa, fp};
	uintptr_t open = 0;
	struct scp_thread *t = region_thread(function, from, &open);
	uint64_t at = 0;
	if (causal_page_is_there() && t) {
		at = arch_counter();
		if (!region_delay_begin(t, open, function, from))
			return NULL;
	}
	struct region_open *r = t ? begin(false, t, open, function, kind, serial, from) : NULL;
	if (at && r && !t->slow_clock)
		r->slow_began_at = at;
	return r;
}

static inline __attribute__((always_inline)) struct region_open *begin_region(
	uint32_t function, enum region_kind kind, uint64_t serial, struct region_caller from)
{
	struct scp_thread *t = thread_fast;
	if (unlikely(!t) || unlikely(!process_epoch.now.generation) ||
	    unlikely(t->open & ~OPEN_REGION))
		return begin_slowly(function, kind, serial, from.ra, from.cfa, from.fp);
	return begin(true, t, t->open, function, kind, serial, from);
}

/* Not the innermost: index of the one meant, with what was left inside it given up; or
 * that there is none. */
static COLD bool find_below(struct scp_thread *t, uint32_t *at, enum region_kind kind,
			    uint32_t function, uint64_t serial)
{
	uint32_t d = t->region_depth;
	while (d && !region_is_meant(&t->regions[d - 1], kind, function, serial))
		d--;
	if (!d) {
		/* forked, or given up; or it began where nothing is recorded */
		if (kind != REGION_SCOPE && !control.used)
			process_loss(unmatched_ends, 1);
		return false;
	}
	*at = d - 1;
	for (uint32_t i = t->region_depth; kind != REGION_PLAIN && kind != REGION_BLOCK && i > d;
	     i--)
		if (is_left(&t->regions[i - 1], t->regions[d - 1].sp)) {
			remove_open(t, i - 1);
			process_loss(abandoned_calls, 1);
		}
	return true;
}

/* `inside`: recorded inside it. */
static inline void record(struct scp_thread *t, const struct region_open *r,
			  const struct scp_recorded *inside, uintptr_t after, uint64_t now,
			  uint64_t slow_at)
{
	struct scp_call c = {.thread = t,
			     .began_at = r->began_at,
			     .slow_began_at = r->slow_began_at,
			     .fine_ns = r->fine_ns,
			     .inner_at = r->inner_at,
			     .recorded = *inside,
			     .since = r->since,
			     .function = r->function,
			     .outer = after};
	call_record(&c, r->rt, !r->top, now, slow_at);
}

static inline struct scp_recorded recorded_inside(const struct scp_thread *t,
						  const struct region_open *r)
{
	struct scp_recorded inside = r->recorded;
	recording_inside(t, !r->top, &inside);
	return inside;
}

/* Its entry is to be made, after its end. */
static COLD void end_first(struct scp_thread *t, struct region_open *r, uintptr_t after,
			   uint64_t now, uint64_t slow_at)
{
	const struct scp_recorded inside = recorded_inside(t, r);
	uint32_t outcome = r->failed ? SCP_EXCEPTION : SCP_COMPLETED;
	r->rt = r->site ? region_entry(t, r->site, outcome, r->began_at) : NULL;
	if (r->rt) {
		record(t, r, &inside, after, now, slow_at);
		return;
	}
	process_loss(overflow_calls, 1);
	if (!after)
		recording_settle(t);
}

static inline __attribute__((always_inline)) void end(bool tsc, struct scp_thread *t,
						      enum region_kind kind, uint32_t function,
						      uint64_t serial, uintptr_t sp, uint64_t now,
						      uint64_t slow_at)
{
	uintptr_t open = t->open;
	if (unlikely(open & 1))
		return; /* as its beginning, which was counted */
	if (unlikely(t->region_beyond)) {
		if (kind != REGION_SCOPE) {
			t->region_beyond--;
			return;
		}
		t->region_beyond = 0;
	}
	thread_mark(t, sp);
	if (thread_is_stale(t)) {
		t->open = open;
		return;
	}
	uint32_t at = t->region_depth - 1;
	if ((unlikely(!t->region_depth) ||
	     unlikely(!region_is_meant(&t->regions[at], kind, function, serial))) &&
	    !find_below(t, &at, kind, function, serial)) {
		t->open = open;
		return;
	}
	struct region_open *r = &t->regions[at], removed;
	if (likely(at == t->region_depth - 1)) {
		t->region_depth = at; /* what lies there stays, while bookkeeping is marked */
	} else {
		removed = *r;
		remove_open(t, at);
		r = &removed;
	}
	uintptr_t after = thread_after(t, open);
	if (unlikely(!r->rt)) {
		end_first(t, r, after, now, slow_at);
	} else if (!tsc || unlikely(region_was_switched(t, r->top, &r->since)) ||
		   unlikely(!(r->top ? call_fast_add(false, t, r->rt, r->began_at, now, 0, false)
				     : r->recorded.units == t->recorded.units &&
					       call_fast_add_nested(false, t, r->rt, r->began_at,
								    r->inner_at, now, 0, false)))) {
		const struct scp_recorded inside = recorded_inside(t, r);
		record(t, r, &inside, after, now, slow_at);
	}
	if (!tsc && causal_page_is_there())
		region_delay_note_end(t, r);
	thread_unmark(t, after);
}

static COLD void end_slowly(enum region_kind kind, uint32_t function, uint64_t serial, uintptr_t sp)
{
	if (causal_page_is_there())
		region_delay_end(kind, function, serial, sp);
	struct scp_thread *t = thread_self;
	/* A forked child that ends its parent's region: not its own to record. */
	if (!t || !process_epoch.now.generation)
		return;
	uint64_t slow_at = t->slow_clock ? clock_read(t->slow_clock) : 0;
	compiler_barrier();
	end(false, t, kind, function, serial, sp, clock_read(t->clock), slow_at);
}

static inline __attribute__((always_inline)) void end_region(enum region_kind kind,
							     uint32_t function, uint64_t serial,
							     uintptr_t sp)
{
	struct scp_thread *t = thread_fast;
	arch_order();
	if (likely(t))
		end(true, t, kind, function, serial, sp, arch_counter(), 0);
	else
		end_slowly(kind, function, serial, sp);
}

struct region_open *region_begin(uint32_t function, enum region_kind kind, uint64_t serial,
				 uint64_t ra, uint64_t cfa, uint64_t fp)
{
	return begin_region(function, kind, serial, (struct region_caller){ra, cfa, fp});
}

void region_end(enum region_kind kind, uint32_t function, uint64_t serial, uintptr_t sp)
{
	end_region(kind, function, serial, sp);
}

void region_marker_begin(struct scprof_site *site)
{
	/* Without a name it is begun all the same, so that ends find their own. */
	if (region_is_on(SCP_GROUP_REGION))
		begin_region(region_site_name(site), REGION_PLAIN, 0, REGION_CALLER());
}

void region_marker_end(void)
{
	if (region_is_on(SCP_GROUP_REGION))
		end_region(REGION_PLAIN, REGION_ANY, 0, ARCH_CALLER_SP());
}

void region_marker_end_of(struct scprof_site *site)
{
	if (region_is_on(SCP_GROUP_REGION))
		region_end(REGION_PLAIN, region_site_name(site), 0, ARCH_CALLER_SP());
}

unsigned long region_marker_enter(struct scprof_site *site)
{
	if (!region_is_on(SCP_GROUP_REGION))
		return 0;
	const struct region_open *r =
		begin_region(region_site_name(site), REGION_SCOPE, 0, REGION_CALLER());
	return likely(r != NULL) ? r->serial : 0;
}

/* Another thread's, or a parent's: its number is found on no stack of ours. */
void region_marker_leave(unsigned long serial)
{
	if (likely(process_groups & SCP_GROUP_REGION))
		end_region(REGION_SCOPE, 0, serial, ARCH_CALLER_SP());
}

void region_marker_open(struct scprof_site *site, unsigned token)
{
	if (region_is_on(SCP_GROUP_REGION))
		begin_region(region_site_name(site), REGION_BLOCK, token, REGION_CALLER());
}

/* Its entry is another one: to be found at the end. */
static COLD void fail(struct scp_thread *t, unsigned token)
{
	if (!t || (t->open & 1))
		return;
	for (uint32_t d = t->region_depth; d; d--)
		if (region_is_meant(&t->regions[d - 1], REGION_BLOCK, 0, token)) {
			t->regions[d - 1].failed = true;
			t->regions[d - 1].rt = NULL;
			return;
		}
}

void region_marker_close(unsigned token, int failed)
{
	if (unlikely(failed))
		fail(thread_self, token);
	if (likely(process_groups & SCP_GROUP_REGION))
		end_region(REGION_BLOCK, 0, token, ARCH_CALLER_SP());
}

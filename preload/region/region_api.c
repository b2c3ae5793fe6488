// SPDX-License-Identifier: Apache-2.0
/* What scprof.h calls: the places of markers, and the chain of points. */
#include "preload/call/call_fast.h"
#include "preload/causal/causal.h"
#include "preload/filter/control.h"
#include "preload/region/region.h"
#include "preload/start/lifecycle.h"
#include "preload/table/recording.h"
#include "include/scprof.h"
#include "preload/table/table.h"

_Static_assert(sizeof(unsigned long) == 8, "two ids in a word");

/* The pair of the point before and this place's; a place knows four of them. */
static inline uint32_t site_pair(struct scprof_site *s, uint32_t from, uint32_t to)
{
	unsigned long *cached = &s->cache[1 + from % 4];
	unsigned long known = __atomic_load_n(cached, __ATOMIC_RELAXED);
	if (likely(known >> 32 == from))
		return (uint32_t)known;
	uint32_t pair = region_name_pair(from, to, false);
	if (pair)
		__atomic_store_n(cached, (unsigned long)from << 32 | pair, __ATOMIC_RELAXED);
	return pair;
}

static inline uint32_t site_cycle(struct scprof_site *s, uint32_t name)
{
	unsigned long known = __atomic_load_n(&s->cache[5], __ATOMIC_RELAXED);
	if (unlikely(!known)) {
		known = region_name_pair(name, name, true);
		__atomic_store_n(&s->cache[5], known, __ATOMIC_RELAXED);
	}
	return (uint32_t)known;
}

/* One interval that ends at this point. c->recorded: inside it. */
static inline __attribute__((always_inline)) void add_interval(struct scp_call *c,
							       struct region_caller from,
							       bool nested, uint64_t now,
							       uint64_t slow_at)
{
	struct scp_thread *t = c->thread;
	struct scp_memo *m = c->function ? region_memo(t, c->function, from, c->outer) : NULL;
	struct scp_site *s = m ? m->site : NULL;
	struct scp_rt *rt = s && s->path ? s->rt[SCP_COMPLETED] : NULL;
	if (unlikely(rt == &t->no_entry))
		rt = t->point.name ? region_entry(t, s, SCP_COMPLETED, c->began_at) : NULL;
	if (unlikely(!rt)) {
		if (t->point.name && control_is_recording()) { /* else it is of an earlier window */
			process_loss(overflow_calls, 1);
			if (!nested)
				recording_take(t, c->recorded.units);
		}
		return;
	}
	if (unlikely(!thread_fast) || unlikely(region_was_switched(t, !nested, &c->since)) ||
	    unlikely(!(nested ? !c->recorded.units &&
					call_fast_add_nested(false, t, rt, c->began_at, c->inner_at,
							     now, 0, false)
			      : call_fast_add(false, t, rt, c->began_at, now, 0, false))))
		call_record(c, rt, nested, now, slow_at);
	thread_unmark(t, from.cfa | 1);
}

static inline __attribute__((always_inline)) void end_interval(
	struct scp_thread *t, struct scprof_site *site, uint32_t name, struct region_caller from,
	uintptr_t open, uint64_t now, uint64_t slow_at)
{
	struct region_point *p = &t->point;
	struct scp_call c = {.thread = t,
			     .outer = open,
			     .inner_at = p->inner_at,
			     .recorded = p->recorded,
			     .since = p->since};
	struct scp_recorded of_cycle = p->head_recorded;
	recording_inside(t, !p->top, &c.recorded);
	recording_inside(t, true, &of_cycle);
	uint64_t inside = t->inner - (p->top ? 0 : p->inner_at);
	c.began_at = p->at;
	c.slow_began_at = p->slow_at;
	c.function = site_pair(site, p->name, name);
	add_interval(&c, from, !p->top, now, slow_at);
	p->cycle_inner += inside;
	if (p->head != name || p->name == name)
		return;
	/* The cycle has what lies in its intervals, and is itself in none of them. */
	inside = t->inner;
	t->inner = p->cycle_inner;
	c.inner_at = 0;
	c.recorded = of_cycle;
	c.since = p->head_since;
	c.began_at = p->head_at;
	c.slow_began_at = p->head_slow_at;
	c.function = site_cycle(site, name);
	add_interval(&c, from, true, now, slow_at);
	t->inner = inside;
}

static inline void note_switch(struct scp_thread *t, struct region_point *p)
{
	if (p->top && unlikely(switch_watch_is_due(&t->switches)))
		call_fast_note_switch(t);
	else if (!p->top)
		switch_track_check(&t->switches);
	p->since = t->switches.sums.mark;
	if (p->head_at == p->at)
		p->head_since = p->since;
}

/* The interval that this point is going to end, with bookkeeping marked. False: the thread has no
 * state any more. */
static bool delay_interval(struct scp_thread *t, struct scprof_site *site, uint32_t name,
			   struct region_caller from, uintptr_t open)
{
	uint32_t pair = site_pair(site, t->point.name, name);
	const struct scp_memo *m = pair ? region_memo(t, pair, from, open) : NULL;
	struct scp_site *s = m ? m->site : NULL;
	if (!s)
		return thread_self == t && control_is_recording();
	if (!causal_delay(t, s, false, open, false) || !causal_delay(t, s, true, open, false))
		return false;
	causal_delay_note_end(t, s, SCP_COMPLETED, t->clock == SCP_CLOCK_TSC ? t->point.at : 0);
	return true;
}

/* Before the point is passed. */
static COLD void delay_point(struct scprof_site *site, struct region_caller from)
{
	const char *library;
	uint32_t group, name = region_site_name(site);
	uintptr_t open = 0;
	struct scp_thread *t = name ? region_thread(name, from, &open) : NULL;
	if (!t)
		return;
	thread_mark(t, from.cfa);
	if (!t->point.name || delay_interval(t, site, name, from, open))
		causal_delay_note_point(t, region_name_text(name, &library, &group));
	compiler_barrier();
	if (thread_self == t)
		t->open = thread_after(t, open);
}

/* The second clock, if there is one. */
static COLD uint64_t begin_beside(struct scprof_site *site, struct region_caller from)
{
	if (causal_page_is_there())
		delay_point(site, from);
	return clock_chosen.slow_kind ? clock_read(clock_chosen.slow_kind) : 0;
}

static void api_point(struct scprof_site *site)
{
	struct region_caller from = REGION_CALLER();
	uintptr_t open = 0;
	if (unlikely(!region_is_on(SCP_GROUP_REGION)))
		return;
	arch_order(); /* as around a call: call_fast_clock_begin */
	uint64_t slow_at = unlikely(clock_chosen.beside) ? begin_beside(site, from) : 0;
	compiler_barrier();
	uint64_t now = clock_read(clock_chosen.kind);
	uint32_t name = region_site_name(site);
	struct scp_thread *t = name ? region_thread(name, from, &open) : NULL;
	if (unlikely(!t))
		return;
	thread_mark(t, from.cfa);
	if (unlikely(thread_is_stale(t)) && !t->point.name)
		region_memo(t, name, from, open); /* which makes it one of this session */
	const struct scp_recorded recorded = t->recorded;
	if (likely(t->point.name))
		end_interval(t, site, name, from, open, now, slow_at);
	struct region_point *p = &t->point;
	if ((unlikely(!p->name) || unlikely(thread_is_stale(t))) && region_leaves_out(t, 0)) {
		/* What was open is forgotten with the window, or the session. */
		thread_close(t, thread_after(t, open));
		return;
	}
	p->at = now;
	p->slow_at = slow_at;
	p->recorded = recorded; /* what was recorded meanwhile is in the next interval */
	bool fresh = !p->name;
	p->name = name;
	p->top = !t->region_depth && !(open & ~OPEN_REGION);
	if (fresh || p->head == name) {
		p->head = name;
		p->head_at = now;
		p->head_slow_at = slow_at;
		p->head_recorded = recorded;
		p->cycle_inner = 0;
	}
	p->inner_at = t->inner;
	note_switch(t, p);
	thread_unmark(t, open ? open : OPEN_REGION);
}

static void api_point_stop(void)
{
	struct scp_thread *t = thread_self;
	if (!t || !process_epoch.now.generation || (t->open & 1))
		return;
	t->point = (struct region_point){0};
	if (t->open == OPEN_REGION)
		t->open = thread_outside(t);
	if (!t->open) {
		t->inner = 0;
		recording_settle(t);
	}
}

EXPORT const struct scprof_api scprof_regions_1 = {
	.bytes = sizeof(struct scprof_api),
	.begin = region_marker_begin,
	.end = region_marker_end,
	.end_of = region_marker_end_of,
	.enter = region_marker_enter,
	.leave = region_marker_leave,
	.point = api_point,
	.point_stop = api_point_stop,
	.start = lifecycle_resume,
	.stop = lifecycle_stop,
	.open = region_marker_open,
	.close = region_marker_close,
	.groups = &process_groups,
	.wanted = SCP_GROUP_REGION | GROUPS_UNSET,
};

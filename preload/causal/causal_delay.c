// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal.h"
#include "preload/system/sys.h"
#include "preload/table/recording.h"

struct causal_counter causal_counter;

#define SHARED	      (SCP_CAUSAL_THREADS - 1)
#define RECLAIM_TRIES 8u

/* What a thread counts, in a block of the page that is its own: taken at its first count, given
 * back when it ends. The last block is everybody's who finds none. */
struct causal_block {
	struct scp_causal_thread *counts;
	uint64_t owner;
	uint32_t session; /* of process_epoch, that it was taken in */
	uint32_t window;  /* of the page, that `spent` is of */
	bool shared;
	uint64_t spent;		      /* units that the thread was delayed in this window */
	uint64_t own_from, own_spent; /* the same in a span of the library's */
};
static __thread struct causal_block self;

static bool own(struct scp_causal_page *page, uint32_t i, uint64_t from, uint64_t owner)
{
	return __atomic_compare_exchange_n(&page->thread[i].owner, &from, owner, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Of a thread that ended without giving it back, or with its process: a few are looked at in turn.
 * In a container, who lives may seem gone: so only where none is free. */
static uint32_t reclaim(struct scp_causal_page *page, uint64_t owner)
{
	static uint32_t cursor;
	for (unsigned tries = 0; !sys_sandboxed && tries < RECLAIM_TRIES; tries++) {
		uint32_t i = __atomic_fetch_add(&cursor, 1, __ATOMIC_RELAXED) % SHARED;
		uint64_t held = __atomic_load_n(&page->thread[i].owner, __ATOMIC_RELAXED);
		if (sys3(SYS_tgkill, (int)(held >> 32), (uint32_t)held, 0) == -3 /* ESRCH */ &&
		    own(page, i, held, owner))
			return i;
	}
	return SHARED;
}

static uint32_t find(struct scp_causal_page *page, uint64_t owner)
{
	uint32_t first = (uint32_t)hash_mix(owner) % SHARED;
	if (!(uint32_t)owner) /* in a sandbox: it cannot be asked who we are */
		return SHARED;
	for (uint32_t n = 0, i = first; n < SHARED; n++, i = i + 1 == SHARED ? 0 : i + 1)
		if (!__atomic_load_n(&page->thread[i].owner, __ATOMIC_RELAXED) &&
		    own(page, i, 0, owner))
			return i;
	return reclaim(page, owner);
}

static void give_back(struct causal_block *b)
{
	uint64_t owner = b->owner;
	if (b->counts && !b->shared)
		__atomic_compare_exchange_n(&b->counts->owner, &owner, 0, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	*b = (struct causal_block){0};
}

static COLD struct causal_block *take_block(const struct scp_thread *t)
{
	struct causal_block *b = &self;
	uint64_t owner = (uint64_t)process.file->pid << 32 | (uint32_t)t->tid;
	struct scp_causal_page *page = causal_page_now();
	if (!page || !process_epoch.now.session)
		return NULL;
	if (b->owner == owner) /* of another session; in a child it is the parent's */
		give_back(b);
	uint32_t i = find(page, owner);
	if (i == SHARED)
		__atomic_add_fetch(&page->threads_lost, 1, __ATOMIC_RELAXED);
	*b = (struct causal_block){.counts = &page->thread[i],
				   .owner = owner,
				   .session = process_epoch.now.session,
				   .window = ~page->window,
				   .shared = i == SHARED};
	return b;
}

/* The calling thread's, with bookkeeping marked. */
static inline struct causal_block *block_of(const struct scp_thread *t)
{
	struct causal_block *b = &self;
	return likely(b->session == process_epoch.now.session) && likely(b->counts) ? b
										    : take_block(t);
}

static inline void add(const struct causal_block *b, uint64_t *count, uint64_t by)
{
	if (unlikely(b->shared))
		__atomic_add_fetch(count, by, __ATOMIC_RELAXED);
	else
		__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + by,
				 __ATOMIC_RELAXED);
}

COLD void causal_block_end(void)
{
	struct causal_block *b = &self;
	if (b->session && b->session == process_epoch.now.session)
		give_back(b);
}

/* The rules of call_begin.c hold here: no malloc, stdio, lock or system call; an atomic
 * read-modify-write in the shared block alone. */
/* Whatever the page says: a thread runs by itself for a quarter of its time at least, and no delay
 * is longer than a hundredth of a second. */
#define OWN_LONGEST_US 10000u
#define OWN_SPAN_US    128000u
#define OWN_SPENT_US   96000u
/* What comes between: this much beyond twice what was asked. */
#define SLACK_US 2u

static inline bool is_within_own(struct causal_block *b, uint64_t asked, uint64_t now)
{
	uint64_t us = causal_counter.microsecond;
	if (now - b->own_from > OWN_SPAN_US * us) {
		b->own_from = now;
		b->own_spent = 0;
	}
	return asked <= OWN_LONGEST_US * us && b->own_spent + asked <= OWN_SPENT_US * us;
}

static inline bool is_within(struct causal_block *b, const struct scp_causal_page *page,
			     uint64_t asked, uint64_t now)
{
	uint32_t window = __atomic_load_n(&page->window, __ATOMIC_RELAXED);
	uint64_t limit = __atomic_load_n(&page->limit, __ATOMIC_RELAXED);
	if (b->window != window) {
		b->window = window;
		b->spent = 0;
	}
	return now < __atomic_load_n(&page->expires, __ATOMIC_RELAXED) &&
	       asked <= __atomic_load_n(&page->longest, __ATOMIC_RELAXED) && asked <= limit &&
	       b->spent <= limit - asked && is_within_own(b, asked, now);
}

/* Between two looks at the counter an interrupt may come; longer: another thread had the CPU. */
#define AWAY_US 100u

/* Spins until `least` after `from`. Returns how long the thread was away. */
static uint64_t spin_for(uint64_t from, uint64_t least)
{
	uint64_t most = AWAY_US * causal_counter.microsecond, away = 0, last = from, now;
	do {
		now = arch_counter();
		if (unlikely(now - last > most))
			away += now - last;
		last = now;
	} while (now - from < least);
	return away;
}

struct spun {
	uint64_t took, busy; /* took 0: the state is gone */
};

static struct spun spin(struct scp_thread *t, uintptr_t open, bool top, uint64_t asked,
			uint64_t from)
{
	uintptr_t marked = t->open;
	uint64_t least = asked > causal_counter.reading ? asked - causal_counter.reading : 0;
	const struct recording r = recording_begin(t);
	thread_unmark(t, open);
	uint64_t away = spin_for(from, least);
	compiler_barrier();
	if (thread_self != t)
		return (struct spun){0, 0};
	t->open = marked; /* first: see thread_state_writes_to */
	compiler_barrier();
	if (thread_is_stale(t)) {
		t->open = open;
		return (struct spun){0, 0};
	}
	recording_end(t, &r);
	if (top) {
		t->inner = 0; /* of handlers' calls */
		recording_settle(t);
	}
	uint64_t took = arch_counter() - from + causal_counter.reading;
	uint64_t busy = took > away ? took - away : 0;
	return (struct spun){
		took > 2 * asked + SLACK_US * causal_counter.microsecond ? asked : took, busy};
}

/* `slot`: of the entry; 0: not counted. */
static bool delay(struct scp_thread *t, uintptr_t open, bool top, uint64_t asked, uint32_t slot)
{
	const struct scp_causal_page *page = causal_page_now();
	struct causal_block *b = block_of(t);
	uint64_t from = arch_counter();
	if (!page || !b)
		return true;
	if (!is_within(b, page, asked, from)) {
		add(b, &b->counts->skipped, 1);
		return true;
	}
	b->spent += asked; /* before: wherever a handler leaves us */
	b->own_spent += asked;
	struct spun spun = spin(t, open, top, asked, from);
	uint64_t took = spun.took;
	if (!took)
		return false;
	b = block_of(t);
	if (!b)
		return true;
	if (took > asked) {
		b->spent += took - asked;
		b->own_spent += took - asked;
	}
	if (slot) {
		struct scp_causal_count *c = &b->counts->slot[slot];
		add(b, &c->delayed, 1);
		add(b, &c->units, took);
		add(b, &c->busy, spun.busy);
	}
	return true;
}

bool causal_delay(struct scp_thread *t, struct scp_site *s, bool at_end, uintptr_t open, bool top)
{
	uint32_t state = causal_site_of(t, s);
	struct scp_causal_page *page = causal_page_now();
	if (!(state & CAUSAL_SITE_ENTERED) || at_end != !!(state & CAUSAL_SITE_AT_END) || !page)
		return true;
	const struct scp_causal_site *e = &page->site[state & CAUSAL_SITE_INDEX];
	uint32_t slot = __atomic_load_n(&e->slot, __ATOMIC_RELAXED);
	uint32_t asked = __atomic_load_n(&e->delay, __ATOMIC_RELAXED);
	struct causal_block *b = slot || asked ? block_of(t) : NULL;
	if (!b)
		return true;
	slot = slot < SCP_CAUSAL_SLOTS ? slot : 0;
	if (slot)
		add(b, &b->counts->slot[slot].calls, 1);
	if (likely(!asked))
		return true;
	if (!(state & CAUSAL_SITE_NEVER))
		return delay(t, open, top, asked, slot);
	add(b, &b->counts->skipped, 1);
	return true;
}

static void add_progress(const struct scp_thread *t, uint64_t units)
{
	struct causal_block *b = block_of(t);
	if (!b)
		return;
	add(b, &b->counts->progress.completed, 1);
	if (units)
		add(b, &b->counts->progress.units, units);
}

void causal_delay_note_end(const struct scp_thread *t, struct scp_site *s, uint32_t outcome,
			   uint64_t began_at)
{
	if (!s->path || !(causal_site_of(t, s) & CAUSAL_SITE_KNOWN) ||
	    likely(s->progress != 1 + (uint64_t)outcome))
		return;
	uint64_t now = arch_counter();
	add_progress(t, began_at && now > began_at ? now - began_at : 0);
}

void causal_delay_note_point(const struct scp_thread *t, const char *name)
{
	if (causal_site_progress(name) == 1 + SCP_COMPLETED)
		add_progress(t, 0);
}

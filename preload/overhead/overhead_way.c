// SPDX-License-Identifier: Apache-2.0
/* thread_self points to a scratch state meanwhile. The ways are those of wrappers.c, of
 * selected_call.c and of region.c; the slow paths would make what they do not find, in the profile,
 * so they are gone only where all is found. */
#include "preload/overhead/overhead.h"
#include "preload/call/call_fast.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/process/process.h"
#include "preload/region/region.h"
#include "preload/selected/selected_call.h"
#include "preload/switches/switch_track.h"

#define WORDS_APART 8u /* each in a cache line of its own, as on a stack */
#define REGIONS	    2u

static struct {
	struct scp_thread thread;
	struct scp_table table;
	struct scp_entry entry;
	struct scp_gap gap;
	struct scp_slow slow;
	struct scp_hist hist[SCP_HIST_BLOCKS];
	struct scp_rt rt;
	struct scp_site site;
	struct scp_rt_more more;
	union {
		struct scp_memo memo;
		uint64_t room[sizeof(struct scp_memo) / 8 + OVERHEAD_WAY_WORDS];
	} m;
	uint64_t stack[OVERHEAD_WAY_WORDS * WORDS_APART];
	struct region_open region[REGIONS];
	uint32_t function, words;
	bool slowly; /* there is no fast path */
} scratch __attribute__((aligned(64))) LARGE;

_Static_assert((SCP_COST_SHORT_FRAMES - 1) % MEMO_BLOCK == 0 &&
		       (SCP_COST_LONG_FRAMES - 1) % MEMO_BLOCK == 0,
	       "whole blocks");

static __attribute__((noinline)) long empty(int fd, const void *buf, size_t n, int flags)
{
	(void)fd, (void)buf, (void)flags;
	__asm__ volatile("");
	return (long)n;
}

overhead_function *volatile overhead_way_plain = empty, *volatile overhead_way_call = empty;

/* The slow path would find all that it looks for. */
static bool is_known(uint64_t ra, uint64_t cfa)
{
	const struct scp_memo *m = &scratch.m.memo;
	return scratch.thread.generation == process_epoch.now.generation && m->ra == ra &&
	       m->cfa == cfa;
}

static inline __attribute__((always_inline)) bool fast_path(bool page, int fd, const void *buf,
							    size_t n, int flags, uint64_t ra,
							    uint64_t cfa, uint64_t fp, long *r)
{
	overhead_function *real = overhead_way_plain;
	uint32_t function = *(volatile uint32_t *)&scratch.function;
	bool ordered = function != FN_SCRATCH_SYSTEM;
	struct call_fast fast = call_fast_begin(page, ordered, function, ra, cfa, fp);
	if (unlikely(!fast.thread))
		return false;
	*r = real(fd, buf, n, flags);
	uint64_t now = call_fast_clock_end(page, ordered);
	struct call_result what = {likely(*r >= 0) ? SCP_COMPLETED : SCP_ERROR, (uint64_t)*r};
	if (unlikely(!call_fast_end(page, &fast, now, cfa, what, true)))
		selected_call_disturbed = true;
	return true;
}

/* The body of a wrapper; see wrappers.c. */
static __attribute__((noinline)) long wrapped(int fd, const void *buf, size_t n, int flags)
{
	struct scp_call call;
	uint64_t ra = ARCH_RETURN_ADDRESS(), cfa = ARCH_CALLER_SP();
	long r = 0;
	if (unlikely(!process_groups) || unlikely(selected_call_disturbed))
		return 0;
	if (fast_path(false, fd, buf, n, flags, ra, cfa, ARCH_CALLER_FP(), &r))
		return r;
	if (fast_path(true, fd, buf, n, flags, ra, cfa, ARCH_CALLER_FP(), &r))
		return r;
	if (!scratch.slowly || !is_known(ra, cfa)) {
		selected_call_disturbed = true;
		return 0;
	}
	bool recorded = call_begin(&call, scratch.function, ra, cfa, ARCH_CALLER_FP());
	r = overhead_way_plain(fd, buf, n, flags);
	selected_call_disturbed = !recorded;
	if (recorded)
		call_end(&call, (struct call_result){SCP_COMPLETED, (uint64_t)r}, true);
	return r;
}

/* A region without anything in it. */
static __attribute__((noinline)) long marked(int fd, const void *buf, size_t n, int flags)
{
	uint64_t ra = ARCH_RETURN_ADDRESS(), cfa = ARCH_CALLER_SP();
	(void)fd, (void)buf, (void)flags;
	if (unlikely(selected_call_disturbed) || !is_known(ra, cfa)) {
		selected_call_disturbed = true;
		return 0;
	}
	region_begin(scratch.function, REGION_PLAIN, 0, ra, cfa, ARCH_CALLER_FP());
	__asm__ volatile("" ::: "memory");
	region_end(REGION_PLAIN, scratch.function, 0, cfa);
	return (long)n;
}

/* Instead of those, once: their calls will come from where this one comes from. */
static __attribute__((noinline)) long remember_caller(int fd, const void *buf, size_t n, int flags)
{
	struct scp_memo *m = &scratch.m.memo;
	(void)fd, (void)buf, (void)flags;
	m->ra = ARCH_RETURN_ADDRESS();
	m->cfa = ARCH_CALLER_SP();
	m->function = scratch.function;
	m->site = &scratch.site;
	m->inside = 0;
	scratch.site.path = 1;
	for (unsigned i = 0; i < SCP_OUTCOMES; i++)
		scratch.site.rt[i] = &scratch.rt;
	m->base = (uint64_t)scratch.stack;
	m->packed = (uint16_t)scratch.words;
	for (unsigned i = 0; i < scratch.words; i++)
		m->word[i] = i * WORDS_APART; /* where 0 is */
	scratch.thread.front[memo_slot(m->ra, m->cfa)] = m;
	return (long)n;
}

static void prepare_entry(uint32_t slow_kind)
{
	struct scp_rt *rt = &scratch.rt;
	rt->entry = &scratch.entry;
	rt->least = 0;
	rt->span = UINT32_MAX;
	rt->gap[0] = (struct scp_rt_next){rt, &scratch.gap, UINT32_MAX};
	rt->more = &scratch.more;
	rt->slow = slow_kind ? &scratch.slow : NULL;
	for (unsigned i = 0; i < SCP_HIST_BLOCKS; i++)
		rt->more->hist[i] = &scratch.hist[i];
	rt->usual = (uintptr_t)&scratch.hist[0];
	scratch.entry.calls = SCP_FIRST_CALLS + 1; /* the first ones cost more */
	scratch.entry.batch_end = rt->batch_end = ~UINT64_C(0);
}

static void prepare_thread(const struct overhead_way *w)
{
	struct scp_thread *t = &scratch.thread;
	t->open = t->inner = t->inside = t->region_depth = 0;
	t->generation = process_epoch.now.generation;
	t->session = process_epoch.now.session;
	t->clock = w->clock;
	t->slow_clock = w->slow;
	t->histograms = clock_chosen.histograms;
	t->table = &scratch.table;
	t->regions = scratch.region;
	t->fast_limit = UINT32_MAX;
	t->slowest.limit = UINT64_MAX; /* none of these is one of the program's slow calls */
	switch_detector_release(&t->switches);
	t->previous = &scratch.rt;
	t->last_at = clock_read(t->clock);
}

void overhead_way_prepare(const struct overhead_way *w)
{
	struct scp_thread *t = &scratch.thread;
	uint32_t way = w->way & ~(uint32_t)SCP_WAY_NESTED;
	scratch.function = way == SCP_WAY_SYSTEM ? FN_SCRATCH_SYSTEM : FN_SCRATCH;
	scratch.words = w->words;
	scratch.slowly = !w->fast || (w->way & SCP_WAY_NESTED);
	prepare_thread(w);
	prepare_entry(w->slow);
	selected_call_scratch =
		(struct scp_selected){.real = empty,
				      .id = FN_SCRATCH - SELECTED_FIRST,
				      .flags = SELECTED_SCRATCH | SCP_SELECTED_STACK,
				      .stack_words = SELECTED_STACK_FAST};
	thread_self = t;
	thread_fast = w->fast && w->clock == SCP_CLOCK_TSC ? t : NULL;
	thread_page = w->fast && w->clock == SCP_CLOCK_PAGE ? t : NULL;
	overhead_way_call = remember_caller;
}

void overhead_way_enter(const struct overhead_way *w)
{
	struct scp_thread *t = &scratch.thread;
	uint32_t way = w->way & ~(uint32_t)SCP_WAY_NESTED;
	overhead_way_call = way == SCP_WAY_SELECTED ? selected_scratch_stub
			    : way == SCP_WAY_REGION ? marked
						    : wrapped;
	if (!(w->way & SCP_WAY_NESTED))
		return;
	t->regions[0] = (struct region_open){.kind = REGION_PLAIN, .sp = UINTPTR_MAX};
	t->region_depth = 1;
	t->open = scratch.m.memo.inside = OPEN_REGION;
}

void overhead_way_count(uint64_t *inside, uint64_t *slow)
{
	*inside = scratch.entry.units;
	*slow = scratch.slow.units;
}

// SPDX-License-Identifier: Apache-2.0
/* How long a reading of the counter takes depends on what the processor overlaps it
 * with, so reading it in a loop says little about a wrapped call. Here the calls go the
 * very way of the wrappers (call_fast.h, call_begin.c): thread_self points to a scratch state
 * meanwhile, whose one memo, entry and gap lie beside it in private memory. There are
 * two sets of rounds, for short and for long paths: on some processors an empty
 * function's duration falls by a quarter once more than two blocks of words are compared. */
#include "preload/overhead/overhead_rounds.h"
#include "preload/call/call_fast.h"
#include "preload/switches/switch_detector.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/selected/selected_call.h"
#include "preload/overhead/overhead_estimate.h"
#include "preload/process/process.h"

#define LEAST_ROUNDS 5u
#define WARM_UP	     3u		/* rounds that do not count */
#define BUDGET_NS    40000u	/* when it is spent, LEAST_ROUNDS are enough */
#define CALLS	     32u	/* in a round... */
#define FEW_CALLS    8u		/* ...where a reading is a system call */
#define MOST_SHIFT   100	/* units; more would be a mistake */
#define WORDS_APART  8u		/* each in a cache line of its own, as on a stack */
#define NO_FUNCTION  (~0u >> 1) /* no wrapper has this id, nor any selected function */

/* What is compared for a path of so many frames: all but the caller itself. */
#define SHORT_WORDS (SCP_COST_SHORT_FRAMES - 1)
#define LONG_WORDS  (SCP_COST_LONG_FRAMES - 1)

typedef long function4(int, const void *, size_t, int);

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
		uint64_t room[sizeof(struct scp_memo) / 8 + 2 * LONG_WORDS];
	} m;
	uint64_t stack[LONG_WORDS * WORDS_APART];
	uint32_t words;
	bool inner;
	bool disturbed; /* a call could not go its way: code was unloaded, the process stood still
			 */
} scratch __attribute__((aligned(64)));

_Static_assert(SHORT_WORDS % MEMO_BLOCK == 0 && LONG_WORDS % MEMO_BLOCK == 0, "whole blocks");
_Static_assert(CALLS % 8 == 0 && FEW_CALLS % 8 == 0, "see time_readings");

static struct overhead_results results;

static __attribute__((noinline)) long empty(int fd, const void *buf, size_t n, int flags)
{
	(void)fd, (void)buf, (void)flags;
	__asm__ volatile("");
	return (long)n;
}

/* As function_real[]: read again for each call. */
static function4 *volatile original = empty, *volatile through;

static inline __attribute__((always_inline)) bool fast_path(bool page, int fd, const void *buf,
							    size_t n, int flags, uint64_t ra,
							    uint64_t cfa, uint64_t fp, long *r)
{
	function4 *real = original;
	struct call_fast fast = call_fast_begin(page, NO_FUNCTION, ra, cfa, fp);
	if (unlikely(!fast.thread))
		return false;
	*r = real(fd, buf, n, flags);
	uint64_t now = call_fast_clock(page);
	struct call_result what = {likely(*r >= 0) ? SCP_COMPLETED : SCP_ERROR, (uint64_t)*r};
	if (unlikely(!call_fast_end(page, &fast, now, cfa, what, true)))
		scratch.disturbed = true;
	return true;
}

/* The body of a wrapper; see wrappers.c. The slow path makes what it does not find, in the
 * profile: it is gone only where all is found. */
static __attribute__((noinline)) long wrapped(int fd, const void *buf, size_t n, int flags)
{
	struct scp_call call;
	struct scp_thread *t = &scratch.thread;
	uint64_t ra = ARCH_RETURN_ADDRESS(), cfa = ARCH_CALLER_SP();
	long r = 0;
	if (unlikely(!process_groups) || unlikely(scratch.disturbed))
		return 0;
	if (fast_path(false, fd, buf, n, flags, ra, cfa, ARCH_CALLER_FP(), &r))
		return r;
	if (fast_path(true, fd, buf, n, flags, ra, cfa, ARCH_CALLER_FP(), &r))
		return r;
	if ((!scratch.inner && (thread_fast || thread_page)) ||
	    t->generation != process_epoch.now.generation || scratch.m.memo.ra != ra ||
	    scratch.m.memo.cfa != cfa) {
		scratch.disturbed = true;
		return 0;
	}
	bool recorded = call_begin(&call, NO_FUNCTION, ra, cfa, ARCH_CALLER_FP());
	r = original(fd, buf, n, flags);
	if (recorded)
		call_end(&call, (struct call_result){SCP_COMPLETED, (uint64_t)r}, true);
	return r;
}

/* Instead of `wrapped`, once: its calls will come from where this one comes from. */
static __attribute__((noinline)) long remember_caller(int fd, const void *buf, size_t n, int flags)
{
	struct scp_memo *m = &scratch.m.memo;
	(void)fd, (void)buf, (void)flags;
	m->ra = ARCH_RETURN_ADDRESS();
	m->cfa = ARCH_CALLER_SP();
	m->function = NO_FUNCTION;
	m->site = &scratch.site;
	scratch.site.path = 1;
	for (unsigned i = 0; i < SCP_OUTCOMES; i++)
		scratch.site.rt[i] = &scratch.rt;
	for (unsigned i = 0; i < scratch.words; i++)
		m->word[i] = (struct noted_word){(uint64_t)&scratch.stack[i * WORDS_APART], 0};
	m->end = m->word + scratch.words;
	scratch.thread.front[memo_slot(m->ra, m->cfa)] = m;
	return (long)n;
}

static __attribute__((noinline)) uint64_t time_calls(function4 *volatile *f, uint32_t timer)
{
	uint64_t from = clock_read(timer);
	for (unsigned i = 0; i < results.calls; i++)
		(*f)(-1, NULL, 0, 0);
	return clock_read(timer) - from;
}

/* Eight readings (none of SCP_CLOCK_NONE), a call after each. As in a wrapper nothing else
 * lies in between; the loop around them must not show. */
static inline __attribute__((always_inline)) void read_and_call(uint32_t kind, function4 *real)
{
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		uint64_t v = kind ? clock_read(kind) : 0;
		__asm__ volatile("" : : "r"(v));
		real(-1, NULL, 0, 0);
	}
}

static __attribute__((noinline)) uint64_t time_readings(uint32_t kind, uint32_t timer)
{
	uint64_t from = clock_read(timer);
	for (unsigned i = 0; i < results.calls; i += 8)
		if (kind == SCP_CLOCK_NONE)
			read_and_call(SCP_CLOCK_NONE, original);
		else if (kind == SCP_CLOCK_PAGE)
			read_and_call(SCP_CLOCK_PAGE, original);
		else if (kind == SCP_CLOCK_TSC)
			read_and_call(SCP_CLOCK_TSC, original);
		else
			read_and_call(kind, original);
	return clock_read(timer) - from;
}

/* Everything that a call looks for is there, and nothing ever fills up. */
static void prepare(uint32_t words, uint32_t slow_kind)
{
	struct scp_thread *t = &scratch.thread;
	struct scp_rt *rt = &scratch.rt;
	t->open = t->inner = t->inside = t->region_depth = 0;
	scratch.inner = false;
	t->generation = process_epoch.now.generation;
	t->clock = clock_chosen.kind;
	t->slow_clock = slow_kind;
	t->histograms = clock_chosen.histograms;
	t->table = &scratch.table;
	t->fast_limit = UINT32_MAX;
	t->slowest.limit = UINT64_MAX; /* none of these is one of the program's slow calls */
	switch_detector_release(&t->switches);
	t->previous = rt;
	t->last_at = clock_read(t->clock);
	rt->entry = &scratch.entry;
	rt->least = 0;
	rt->span = UINT32_MAX;
	rt->gap[0] = (struct scp_rt_next){rt, &scratch.gap, UINT32_MAX};
	rt->more = &scratch.more;
	rt->slow = slow_kind ? &scratch.slow : NULL;
	for (unsigned i = 0; i < SCP_HIST_BLOCKS; i++)
		rt->more->hist[i] = &scratch.hist[i];
	scratch.entry.calls = SCP_FIRST_CALLS + 1; /* the first ones cost more */
	scratch.entry.batch_end = ~UINT64_C(0);
	scratch.words = words;
	results.calls = clock_needs_system_calls() ? FEW_CALLS : CALLS;
	thread_self = t;
	thread_fast = t->clock == SCP_CLOCK_TSC && !slow_kind ? t : NULL;
	thread_page = t->clock == SCP_CLOCK_PAGE ? t : NULL;
}

/* As inside a region: the way of calls that lie in another interval. */
static void prepare_inner(void)
{
	struct scp_thread *t = &scratch.thread;
	scratch.inner = true;
	t->region_depth = 1;
	t->open = scratch.m.memo.inside = OPEN_REGION;
}

static struct round run_round(uint32_t timer)
{
	uint64_t units = scratch.entry.units, slow = scratch.slow.units;
	struct round r;
	r.wrapped = time_calls(&through, timer);
	r.plain = time_calls(&original, timer);
	r.inside = scratch.entry.units - units;
	r.slow = scratch.slow.units - slow;
	return r;
}

static void run_rounds(uint32_t words, uint32_t slow_kind, uint32_t timer, function4 *how,
		       bool inner, struct rounds *out)
{
	uint64_t began = clock_mono_ns();
	prepare(words, slow_kind);
	through = remember_caller;
	run_round(timer);
	through = how;
	if (inner)
		prepare_inner();
	for (unsigned i = 0; i < WARM_UP; i++)
		run_round(timer);
	out->count = 0;
	while (out->count < OVERHEAD_ROUNDS &&
	       (out->count < LEAST_ROUNDS || clock_mono_ns() - began < BUDGET_NS))
		out->round[out->count++] = run_round(timer);
}

/* Of readings of the clock whose cost is wanted, and of the timer beside it. */
static void run_readings(uint32_t kind, uint32_t timer)
{
	time_readings(kind, timer);
	for (uint32_t i = 0; i < OVERHEAD_ROUNDS; i++) {
		results.reading[i] = time_readings(kind, timer);
		results.reading_timer[i] = time_readings(timer, timer);
		results.call[i] = time_readings(SCP_CLOCK_NONE, timer);
	}
}

/* The counter serves as well where it is not the clock. */
static uint32_t choose_timer(void)
{
	return clock_chosen.kind == SCP_CLOCK_TSC || arch_counter_is_invariant()
		       ? SCP_CLOCK_TSC
		       : SCP_CLOCK_MONOTONIC;
}

static void run_selected(uint32_t timer)
{
	static bool done;
	if (done || !selected_count() || clock_chosen.kind != SCP_CLOCK_TSC ||
	    clock_chosen.slow_kind)
		return;
	done = true;
	selected_call_scratch = (struct scp_selected){
		.real = empty, .id = NO_FUNCTION - FN_COUNT, .flags = SELECTED_SCRATCH};
	run_rounds(SHORT_WORDS, SCP_CLOCK_NONE, timer, selected_scratch_stub, false,
		   &results.selected);
	/* Once: durations of one process must be alike. */
	int64_t shift = overhead_estimate_shift(&results);
	if (!scratch.disturbed && !selected_call_disturbed && shift > 0 && shift < MOST_SHIFT)
		selected_call_shift = (uint64_t)shift;
	run_rounds(SHORT_WORDS, SCP_CLOCK_NONE, timer, selected_scratch_stub, true,
		   &results.inner[1]);
}

static void run(uint32_t timer)
{
	uint32_t kind = clock_chosen.kind, slow_kind = clock_chosen.slow_kind;
	scratch.disturbed = false;
	run_rounds(SHORT_WORDS, slow_kind, timer, wrapped, false, &results.path[SCP_COST_SHORT]);
	run_rounds(LONG_WORDS, slow_kind, timer, wrapped, false, &results.path[SCP_COST_LONG]);
	if (slow_kind) {
		run_rounds(SHORT_WORDS, timer, timer, wrapped, false,
			   &results.stand_in[SCP_COST_SHORT]);
		run_rounds(LONG_WORDS, timer, timer, wrapped, false,
			   &results.stand_in[SCP_COST_LONG]);
	}
	run_rounds(SHORT_WORDS, slow_kind, timer, wrapped, true, &results.inner[0]);
	run_selected(timer);
	if (slow_kind || overhead_estimate_is_coarse(kind))
		run_readings(slow_kind ? slow_kind : kind, timer);
}

void overhead_rounds_run(struct scp_overhead *main_clock, struct scp_overhead *slow_clock,
			 struct scp_inner_cost *inner)
{
	struct scp_thread *self = thread_self, *fast = thread_fast, *page = thread_page;
	uint32_t timer = choose_timer();
	struct scp_anchor before, after;
	*main_clock = *slow_clock = (struct scp_overhead){0};
	*inner = (struct scp_inner_cost){0};
	clock_anchor(timer, &before);
	run(timer);
	clock_anchor(timer, &after);
	compiler_barrier();
	thread_self = self;
	thread_fast = fast;
	thread_page = page;
	struct overhead_rate timer_rate = {after.mono_ns - before.mono_ns,
					   after.clock_at - before.clock_at};
	if (!scratch.disturbed && !(timer_rate.ns >> 31))
		overhead_estimate(&results, timer_rate, main_clock, slow_clock, inner);
}

// SPDX-License-Identifier: Apache-2.0
/* How long a reading of the counter takes depends on what the processor overlaps it
 * with, so reading it in a loop says little about a call. Here an empty function is called by the
 * very ways that calls go (overhead_way_prepare). Of system calls there are two sets of rounds, for
 * short and for long paths: on some processors an empty function's duration falls by a quarter once
 * more than two blocks of words are compared. */
#include "preload/overhead/overhead.h"

#include "preload/clock/clock.h"
#include "preload/function/function.h"
#include "preload/function/region_name.h"
#include "preload/function/selected.h"
#include "preload/process/process.h"
#include "preload/selected/selected_call.h"
#include "preload/switches/switch_track.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"
#include "preload/table/thread.h"

#define LEAST_ROUNDS 5u
#define WARM_UP	     3u	    /* rounds that do not count */
#define BUDGET_NS    15000u /* when it is spent, LEAST_ROUNDS are enough */
#define CALLS	     32u    /* in a round... */
#define FEW_CALLS    8u	    /* ...where a reading is a system call */

/* What is compared for a path of so many frames: all but the caller itself. */
#define SHORT_WORDS (SCP_COST_SHORT_FRAMES - 1)
#define LONG_WORDS  (SCP_COST_LONG_FRAMES - 1)

static LARGE struct overhead_results results;

static __attribute__((noinline)) uint64_t time_calls(overhead_function *volatile *f, uint32_t timer)
{
	uint64_t from = clock_read(timer);
	for (unsigned i = 0; i < results.calls; i++)
		(*f)(-1, NULL, 0, 0);
	return clock_read(timer) - from;
}

static struct round run_round(uint32_t timer)
{
	uint64_t inside, slow;
	struct round r;
	overhead_way_count(&inside, &slow);
	r.wrapped = time_calls(&overhead_way_call, timer);
	r.plain = time_calls(&overhead_way_plain, timer);
	overhead_way_count(&r.inside, &r.slow);
	r.inside -= inside;
	r.slow -= slow;
	return r;
}

static void run_rounds(const struct overhead_way *w, uint32_t timer, struct rounds *out)
{
	uint64_t began = clock_mono_ns();
	overhead_way_prepare(w);
	run_round(timer);
	overhead_way_enter(w);
	for (unsigned i = 0; i < WARM_UP; i++)
		run_round(timer);
	out->count = 0;
	while (out->count < OVERHEAD_ROUNDS &&
	       (out->count < LEAST_ROUNDS || clock_mono_ns() - began < BUDGET_NS))
		out->round[out->count++] = run_round(timer);
}

/* With the clocks that were chosen; and with the timer in place of a clock of long ticks. */
static void run_way(uint32_t way, uint32_t words, uint32_t timer, struct rounds *own,
		    struct rounds *stand_in)
{
	uint32_t kind = clock_chosen.kind, slow = clock_chosen.slow_kind;
	bool fast =
		!slow && !thread_all_general && (kind == SCP_CLOCK_TSC || kind == SCP_CLOCK_PAGE);
	struct overhead_way w = {way, words, kind, slow, fast};
	run_rounds(&w, timer, own);
	stand_in->count = 0;
	if (!slow && !clock_is_coarse(kind))
		return;
	if (slow)
		w.slow = timer;
	else
		w.clock = timer;
	w.fast = fast && w.clock == SCP_CLOCK_TSC;
	run_rounds(&w, timer, stand_in);
}

static void run(uint32_t ways, uint32_t timer)
{
	uint32_t kind = clock_chosen.kind, slow = clock_chosen.slow_kind;
	results.calls = clock_needs_system_calls() ? FEW_CALLS : CALLS;
	for (uint32_t way = 0; way < SCP_WAYS; way++) {
		results.way[way].count = results.stand_in[way].count = 0;
		if (ways >> way & 1)
			run_way(way, SHORT_WORDS, timer, &results.way[way], &results.stand_in[way]);
	}
	run_way(SCP_WAY_SYSTEM, LONG_WORDS, timer, &results.deep, &results.deep_stand_in);
	results.reading_ps = (int64_t)clock_read_cost_ps(slow ? slow : kind) -
			     (int64_t)clock_read_cost_ps(timer);
}

/* The ways that calls can go in this process, a bit each: every one takes 20 us to measure. */
static uint32_t ways_of_calls(void)
{
	uint32_t ways = 1u << SCP_WAY_SYSTEM;
	for (unsigned i = 0; i < FN_COUNT; i++)
		if (function_is_ordered[i] && function_info[i].group & process_groups &&
		    function_real[i] != (void *)function_absent)
			ways |= 1u << SCP_WAY_ORDERED;
	if (selected_count())
		ways |= 1u << SCP_WAY_SELECTED;
	if (region_name_any())
		ways |= 1u << SCP_WAY_REGION;
	/* system calls have none inside, but from handlers */
	return ways == 1u << SCP_WAY_SYSTEM ? ways : ways | ways << SCP_WAY_NESTED;
}

/* Measure with the clocks that were chosen. main.rounds = 0: it could not be done (disturbed).
 * The caller has signals held, and is the only one in here. */
static void overhead_rounds_run(uint32_t ways, struct overhead_costs *out)
{
	struct scp_thread *self = thread_self, *fast = thread_fast, *page = thread_page;
	/* The counter serves as well where it is not the clock. */
	bool counts = clock_chosen.kind == SCP_CLOCK_TSC || arch_counter_is_invariant();
	uint32_t timer = counts ? SCP_CLOCK_TSC : SCP_CLOCK_MONOTONIC;
	struct scp_anchor before, after;
	*out = (struct overhead_costs){0};
	selected_call_disturbed = false;
	clock_anchor(timer, &before);
	run(ways, timer);
	clock_anchor(timer, &after);
	compiler_barrier();
	thread_self = self;
	thread_fast = fast;
	thread_page = page;
	struct overhead_rate timer_rate = {after.mono_ns - before.mono_ns,
					   after.clock_at - before.clock_at};
	if (!selected_call_disturbed && !(timer_rate.ns >> 31))
		overhead_estimate(&results, timer_rate, out);
}

/* When the wrapper's own cost is measured, and where it is written.
 *
 * At the start of recording (again, if the program has regions, at its first one), and again at an
 * end by exit: the machine's speed changes, and what the two differ by is part of what is
 * uncertain. A process that ends by _exit, exec or a signal has the first only. */
#define LEAST_LIFE_NS 20000000u /* of a process that is to spend some tenths of a ms on its end */

/* Signals are held: the calls of a handler would be taken for ours, and lost. */
static bool measure(struct overhead_costs *out)
{
	uint64_t signals;
	if (sys_sandboxed || !process.file->header || !process_groups ||
	    !process_epoch.now.generation || stack_room() < STACK_TO_UNWIND ||
	    !flag_take(&process_epoch.now.measuring))
		return false;
	sys_hold_signals(&signals);
	overhead_rounds_run(ways_of_calls(), out);
	sys_release_signals(&signals);
	flag_give(&process_epoch.now.measuring);
	return true;
}

/* What decides what a call costs: never 0. */
static uint64_t ways_now(void)
{
	uint64_t kinds = clock_chosen.kind << 16 | clock_chosen.slow_kind << 8 | switch_chosen.kind;
	return kinds << 16 | clock_chosen.histograms << 8 | ways_of_calls();
}

static uint64_t measured; /* ways_now then; 0: nothing is */

/* `again`: what is known stays where it cannot be done now. */
static COLD void measure_beginning(bool again)
{
	struct overhead_costs first = {0};
	header_note_usage();
	measured = measure(&first) && first.main.rounds ? ways_now() : 0;
	if (measured || !again) {
		process.overhead = first;
		header_write_overhead(process.file->header, &first, false);
	}
	header_leave_out_usage();
}

/* In any thread or handler. A child that has no file of its own yet has its parent's. */
static COLD void measure_with_regions(void)
{
	if (!sys_sandboxed && process_epoch.now.generation && process.file->header &&
	    (uint32_t)sys_getpid() == process.file->pid)
		measure_beginning(true);
}

COLD void overhead_measure_first(void)
{
	region_name_first = measure_with_regions;
	if (measured != ways_now())
		measure_beginning(false);
}

COLD void overhead_measure_last(void)
{
	struct overhead_costs last;
	uint64_t since_ns = header_cpu_ns();
	struct scp_header *h = process.file->header;
	if (!h || clock_mono_ns() - h->start_mono_ns < LEAST_LIFE_NS ||
	    (!sys_sandboxed && (uint32_t)sys_getpid() != process.file->pid) || !measure(&last))
		return;
	header_write_overhead(h, &last, true);
	header_note_own(since_ns);
}

// SPDX-License-Identifier: Apache-2.0
/* When the wrapper's own cost is measured, and where it is written.
 *
 * At the start of recording, and again at an end by exit: the machine's speed
 * changes, and what the two differ by is part of what is uncertain. A process that
 * ends by _exit, exec or a signal has the first only. */
#include "preload/overhead/overhead.h"
#include "preload/clock/clock.h"
#include "preload/function/selected.h"
#include "preload/overhead/overhead_rounds.h"
#include "preload/process/process.h"
#include "preload/switches/switch_detector.h"
#include "preload/table/header.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define LEAST_LIFE_NS 20000000u /* of a process that is to spend some tenths of a ms on its end */

static uint32_t busy;

/* Signals are held: the calls of a handler would be taken for ours, and lost. */
static bool measure(struct overhead_costs *out)
{
	uint64_t signals;
	uint32_t idle = 0;
	if (sys_sandboxed || !process.file->header || !process_groups ||
	    !process_epoch.now.generation || stack_room() < STACK_TO_UNWIND ||
	    !__atomic_compare_exchange_n(&busy, &idle, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	sys_hold_signals(&signals);
	overhead_rounds_run(out);
	sys_release_signals(&signals);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return true;
}

/* What decides what a call costs. */
struct ways {
	uint32_t clock, slow_clock, detector;
	bool histograms, selected, measured;
};
static struct ways ways;

static bool have_changed(void)
{
	const struct ways was = ways;
	ways = (struct ways){clock_chosen.kind,	      clock_chosen.slow_kind, switch_chosen.kind,
			     clock_chosen.histograms, selected_count() != 0,  was.measured};
	return !was.measured || ways.clock != was.clock || ways.slow_clock != was.slow_clock ||
	       ways.detector != was.detector || ways.histograms != was.histograms ||
	       ways.selected != was.selected;
}

COLD void overhead_measure_first(void)
{
	if (!have_changed())
		return;
	process.overhead = (struct overhead_costs){0};
	header_note_usage();
	ways.measured = measure(&process.overhead) && process.overhead.main.rounds;
	header_write_overhead(process.file->header);
	header_leave_out_usage();
}

COLD void overhead_measure_last(void)
{
	struct overhead_costs last;
	uint64_t since_ns = header_cpu_ns();
	struct scp_header *h = process.file->header;
	if (!h || clock_mono_ns() - h->start_mono_ns < LEAST_LIFE_NS ||
	    (!sys_sandboxed && (uint32_t)sys_getpid() != process.file->pid) || !measure(&last))
		return;
	header_write_overhead_last(h, &last);
	header_note_own(since_ns);
}

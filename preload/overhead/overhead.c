// SPDX-License-Identifier: Apache-2.0
/* When the wrapper's own cost is measured, and where it is written.
 *
 * At the start of recording, and again at an end by exit: the machine's speed
 * changes, and what the two differ by is part of what is uncertain. A process that
 * ends by _exit, exec or a signal has the first only. */
#include "preload/overhead/overhead.h"
#include "preload/clock/clock.h"
#include "preload/overhead/overhead_rounds.h"
#include "preload/process/process.h"
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

COLD void overhead_measure_first(void)
{
	header_note_usage();
	if (measure(&process.overhead))
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

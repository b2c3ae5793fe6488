// SPDX-License-Identifier: Apache-2.0
/* The header of the profile: what is known at the start, and what has to be kept up to date because
 * a process may be killed at any time. */
#include <sys/prctl.h>
#include <time.h>

#include "preload/clock/clock.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/process/settings.h"
#include "preload/switches/switch_track.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"
#include "preload/table/header.h"

#define REFRESH_EVERY_NS 100000000u
#define ASK_EVERY_NS	 5000000u
#define ASK_ONCE_IN	 64u

/* Readers take it for valid only when `rounds` is there, which comes last. */
static void publish_overhead(struct scp_overhead *to, const struct scp_overhead *from)
{
	bytes_copy(to->cost, from->cost, sizeof to->cost);
	publish_barrier();
	to->rounds = from->rounds;
}

uint64_t header_cpu_ns(void)
{
	uint64_t ns;
	return !sys_sandboxed && clock_ask_kernel(CLOCK_THREAD_CPUTIME_ID, &ns) ? ns : 0;
}

void header_note_own(uint64_t since_ns)
{
	uint64_t now_ns = since_ns && process.file->header ? header_cpu_ns() : 0;
	if (now_ns > since_ns)
		process_count(own_ns, now_ns - since_ns);
}

void header_write_overhead(struct scp_header *h, const struct overhead_costs *c, bool last)
{
	*(last ? &h->inner_last : &h->inner_first) = c->inner;
	*(last ? &h->ways_last : &h->ways_first) = c->ways;
	*(last ? &h->slow_ways_last : &h->slow_ways_first) = c->slow_ways;
	publish_overhead(last ? &h->overhead_last : &h->overhead_first, &c->main);
	publish_overhead(last ? &h->slow_overhead_last : &h->slow_overhead_first, &c->slow);
}

void header_fill(struct scp_header *h)
{
	h->version = SCP_VERSION;
	h->byte_order = SCP_BYTE_ORDER;
	h->header_bytes = SCP_HEADER_BYTES;
	h->machine = ARCH_MACHINE;
	h->pid = (uint32_t)sys_getpid();
	h->ppid = (uint32_t)sys0(SYS_getppid);
	h->uid = (uint32_t)sys0(SYS_geteuid);
	h->processes = 1;
	h->start_real_ns = clock_system_ns(CLOCK_REALTIME);
	h->start_mono_ns = clock_mono_ns();
	h->process_start = sys_stat_field(SYS_STAT_START);
	h->clock_requested = clock_chosen.requested;
	h->groups = settings.groups;
	h->argv_bytes = settings.argv_bytes;
	h->argc = settings.argc;
	bytes_copy(h->boot_id, settings.boot_id, sizeof h->boot_id);
	bytes_copy(h->argv, settings.argv, settings.argv_bytes);
	text_append(h->exe, sizeof h->exe, 0, settings.exe);
	text_append(h->program, sizeof h->program, 0, settings.program);
	sys2(SYS_prctl, PR_GET_NAME, h->comm);
	clock_describe(&h->clock, &h->slow_clock);
	h->flags = SCP_FILE_LENGTHS | (clock_chosen.slow_kind ? SCP_FILE_DUAL : 0) |
		   (clock_chosen.histograms ? SCP_FILE_HISTOGRAMS : 0) |
		   (settings.symbols_ignored ? SCP_FILE_NO_SYMBOLS : 0);
	text_append(h->preceded, sizeof h->preceded, 0, settings.preceded);
	bytes_copy(h->filters, filter.text, filter.text_bytes);
	h->filters_bytes = filter.text_bytes;
	h->slowest.count = settings.slowest.count;
	h->slowest.least_ns = settings.slowest.least_ns;
	h->slowest.flags = (settings.slowest.unread ? SCP_SLOWEST_UNREAD : 0) |
			   (*settings.slowest.patterns ? SCP_SLOWEST_CHOSEN : 0);
	h->switches.detector = switch_chosen.kind;
	h->switches.flags = switch_chosen.flags;
	header_write_overhead(h, &process.overhead, false);
	publish_barrier();
	bytes_copy(h->magic, SCP_MAGIC, sizeof h->magic);
}

/* An anchor that is being replaced has an endless width: a reader of a process
 * killed at this point does not trust it. */
static void replace_anchor(uint32_t kind, struct scp_anchor *at)
{
	struct scp_anchor fresh;
	clock_anchor(kind, &fresh);
	at->width_ns = ~UINT64_C(0);
	publish_barrier();
	at->clock_at = fresh.clock_at;
	at->mono_ns = fresh.mono_ns;
	publish_barrier();
	at->width_ns = fresh.width_ns;
}

/* False: there is nothing to change, or another thread is at it. Until let_go signals are held: a
 * handler that left would leave us touching for good. */
static bool touch(uint64_t *signals)
{
	sys_hold_signals(signals);
	bool taken = process.file->header && process_groups && flag_take(&process.touching);
	if (taken && process_groups) /* a session may have ended, see lifecycle_begin_session */
		return true;
	if (taken)
		flag_give(&process.touching);
	sys_release_signals(signals);
	return false;
}

static void let_go(const uint64_t *signals)
{
	flag_give(&process.touching);
	sys_release_signals(signals);
}

static void take_usage(void (*take)(struct scp_header *))
{
	uint64_t signals;
	if (sys_sandboxed || stack_room() < STACK_TO_GROW ||
	    (uint32_t)sys_getpid() != process.file->pid || !touch(&signals))
		return;
	take(process.file->header);
	let_go(&signals);
}

void header_note_usage(void)
{
	take_usage(control_is_recording() ? usage_count : usage_leave_out);
}

void header_leave_out_usage(void)
{
	take_usage(usage_leave_out);
}

bool header_refresh(void)
{
	uint64_t signals;
	if (!touch(&signals))
		return false;
	struct scp_header *h = process.file->header;
	replace_anchor(clock_chosen.kind, &h->clock.last);
	if (clock_chosen.slow_kind)
		replace_anchor(clock_chosen.slow_kind, &h->slow_clock.last);
	h->end_mono_ns = process.touched_ns = clock_mono_ns();
	if (control.used) {
		h->flags |= SCP_FILE_WINDOWS;
		h->windows = control.windows;
		h->recorded_ns = control_recorded_ns(process.touched_ns);
	}
	bool old = h->end_mono_ns - h->usage_last.mono_ns > SCP_USAGE_EVERY_NS;
	let_go(&signals);
	return old;
}

void header_refresh_if_old(void)
{
	if (!process.file->header || !process_groups ||
	    clock_mono_ns() - process.touched_ns <= REFRESH_EVERY_NS)
		return;
	if (header_refresh())
		header_note_usage();
}

void header_refresh_by(struct header_asked *asked, uint64_t now)
{
	if (now - asked->at < asked->units && ++asked->times % ASK_ONCE_IN)
		return;
	header_refresh_if_old();
	asked->at = now;
	asked->units = clock_units_of(ASK_EVERY_NS);
}

void header_mark_end(enum scp_end_state state)
{
	/* In a vfork child the memory, and the file, are the parent's. */
	if (!process.file->header || !process_groups || !process_epoch.now.generation ||
	    (!sys_sandboxed && (uint32_t)sys_getpid() != process.file->pid))
		return;
	process.file->header->end_state = state;
	header_refresh();
	header_note_usage();
}

// SPDX-License-Identifier: Apache-2.0
/* The state that all threads of a process share, and what keeps the header of
 * its profile up to date. The life cycle around it is in lifecycle.c. */
#include <sys/mman.h>

#include "preload/clock/clock.h"
#include "preload/filter/control.h"
#include "preload/start/process.h"
#include "preload/start/sandbox.h"
#include "preload/start/settings.h"
#include "preload/sys.h"

#define TOUCH_EVERY_NS 100000000u

uint32_t process_groups = GROUPS_UNSET;
union process_epoch_page process_epoch __attribute__((aligned(ARCH_PAGE_MAX)));
struct process process;

/* Numbers are not used again, not even by a forked child: a call under way knows
 * by its number that it began in another process. */
void process_next_generation(void)
{
	uint32_t next = __atomic_add_fetch(&process.generation, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&process_epoch.now.generation, next, __ATOMIC_RELEASE);
}

void process_stop(void)
{
	process_mark_end(SCP_END_RUNNING);
	process_loss(stopped, 1);
	settings.groups = 0; /* for forked children */
	__atomic_store_n(&process_groups, 0, __ATOMIC_RELEASE);
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

void process_touch(void)
{
	struct scp_header *h = process.file.header;
	uint32_t idle = 0;
	if (!h || !process_groups ||
	    !__atomic_compare_exchange_n(&process.touching, &idle, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return; /* another thread is at it */
	replace_anchor(clock_chosen.kind, &h->clock.last);
	if (clock_chosen.slow_kind)
		replace_anchor(clock_chosen.slow_kind, &h->slow_clock.last);
	h->end_mono_ns = process.touched_ns = clock_mono_ns();
	if (control.used) {
		h->flags |= SCP_FILE_WINDOWS;
		h->windows = control.windows;
		h->recorded_ns = control_recorded_ns(process.touched_ns);
	}
	__atomic_store_n(&process.touching, 0, __ATOMIC_RELEASE);
}

void process_touch_sometimes(void)
{
	if (process.file.header && process_groups &&
	    clock_mono_ns() - process.touched_ns > TOUCH_EVERY_NS)
		process_touch();
}

void process_mark_end(enum scp_end_state state)
{
	/* In a vfork child the memory, and the file, are the parent's. */
	if (!process.file.header || !process_groups || !process_epoch.now.generation ||
	    (!sandbox_active && (uint32_t)sys_getpid() != process.file.pid))
		return;
	process.file.header->end_state = state;
	process_touch();
}

bool process_discard_if_empty(void)
{
	const struct profile_file *f = &process.file;
	return f->header && process_epoch.now.generation && process.forked && !f->tables &&
	       !sandbox_active && (uint32_t)sys_getpid() == f->pid && sys_unlink(f->path) == 0;
}

void process_begin_anew(void)
{
	process_epoch.now.starting = 0;
	__atomic_store_n(&process_epoch.now.generation, 0, __ATOMIC_RELEASE);
}

// SPDX-License-Identifier: Apache-2.0
/* The rare parts of markers: the first entry of a path, and the delays of causal profiling. */
#include <errno.h>

#include "preload/causal/causal.h"
#include "preload/filter/control.h"
#include "preload/region/region.h"
#include "preload/system/stack.h"
#include "preload/table/table.h"

COLD bool region_leaves_out(const struct scp_thread *t, uintptr_t open)
{
	return thread_self != t || thread_is_stale(t) ||
	       (!control_is_recording() && !(open & ~OPEN_REGION));
}

COLD struct scp_rt *region_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
				 uint64_t first_at)
{
	int saved = errno;
	struct scp_rt *rt = NULL;
	/* Of a thread whose session has ended a later one has the description. */
	if (stack_room() >= STACK_TO_RECORD && region_name_describe(site->function) &&
	    !thread_is_stale(t))
		rt = table_entry(t, site, outcome, false, first_at);
	errno = saved;
	return rt;
}

/* A delay is over, and what is to be open is `open`. `going_on`: as causal_delay says. */
static bool leave_delay(struct scp_thread *t, uintptr_t open, bool going_on)
{
	compiler_barrier();
	thread_close(t, open);
	return going_on;
}

COLD bool region_delay_begin(struct scp_thread *t, uintptr_t open, uint32_t function,
			     struct region_caller from)
{
	thread_mark(t, from.cfa);
	const struct scp_memo *m = function ? region_memo(t, function, from, open) : NULL;
	if (!m) {
		bool over = function && region_leaves_out(t, open);
		if (thread_self == t)
			t->open = over && !(open & ~OPEN_REGION) ? thread_outside(t) : open;
		return !over;
	}
	return leave_delay(t, open, causal_delay(t, m->site, false, from.cfa, !open));
}

COLD void region_delay_end(enum region_kind kind, uint32_t function, uint64_t serial, uintptr_t sp)
{
	struct scp_thread *t = thread_self;
	uintptr_t open = t ? t->open : 1;
	if ((open & 1) || !t->region_depth || t->region_beyond)
		return;
	const struct region_open *r = &t->regions[t->region_depth - 1];
	struct scp_site *s = region_is_meant(r, kind, function, serial) ? r->site : NULL;
	if (!s)
		return;
	thread_mark(t, sp);
	leave_delay(t, open, thread_is_stale(t) || causal_delay(t, s, true, open, false));
}

COLD void region_delay_note_end(const struct scp_thread *t, const struct region_open *r)
{
	uint64_t at = t->slow_clock ? r->began_at : r->slow_began_at;
	if (r->site)
		causal_delay_note_end(t, r->site, r->failed ? SCP_EXCEPTION : SCP_COMPLETED, at);
}

// SPDX-License-Identifier: Apache-2.0
/* The rare parts of markers.
 *
 * Is a marker recorded whose group is not simply on? Markers nest by their own rules, not by the
 * stack, so what is not below a function of --below must not even be open: calls inside would be
 * nested in something that is in no row. */
#include <errno.h>

#include "preload/causal/causal.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/start/lifecycle.h"
#include "preload/region/region.h"
#include "preload/system/stack.h"
#include "preload/table/table.h"

#define NO_FUNCTION (~0u >> 2) /* no function has this id: the path is all that counts */

COLD struct scp_thread *region_filter_thread(uint32_t function, uint64_t ra, uint64_t cfa,
					     uint64_t fp, uintptr_t *open)
{
	struct scp_thread *t = thread_self;
	if (!t || !process_epoch.now.generation) {
		t = call_first_thread();
		if (!t) {
			if (control_is_recording() && !thread_unwanted)
				process_loss(overflow_calls, 1);
			return NULL;
		}
	}
	*open = t->open;
	if (*open & ~OPEN_REGION) {
		struct scp_call c = {.function = function};
		if (!call_is_inside(&c, t, ra, cfa, fp))
			return NULL;
		*open = c.outer;
	}
	return t;
}

static bool is_below(struct region_caller from)
{
	uintptr_t open = 0;
	struct scp_thread *t = region_thread(NO_FUNCTION, from, &open);
	if (!t)
		return false;
	thread_mark(t, from.cfa);
	bool below = region_memo(t, NO_FUNCTION, from, open) != NULL;
	compiler_barrier();
	if (thread_self == t)
		t->open = thread_after(t, open);
	return below;
}

COLD bool region_filter_is_on_otherwise(uint32_t group, uint64_t ra, uint64_t cfa, uint64_t fp)
{
	const struct region_caller from = {ra, cfa, fp};
	lifecycle_wake();
	if (!control_is_recording())
		return false;
	return (process_groups & group) ||
	       ((process_groups & GROUPS_FILTERED(group)) && is_below(from));
}

COLD bool region_filter_leaves_out(const struct scp_thread *t, uintptr_t open)
{
	return thread_self != t || thread_is_stale(t) ||
	       (!control_is_recording() && !(open & ~OPEN_REGION));
}

COLD struct scp_rt *region_entry(struct scp_thread *t, struct scp_site *site, uint32_t outcome,
				 uint64_t first_at)
{
	int saved = errno;
	struct scp_rt *rt = NULL;
	if (stack_room() >= STACK_TO_RECORD && region_name_describe(site->function))
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
		bool over = function && region_filter_leaves_out(t, open);
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

// SPDX-License-Identifier: Apache-2.0
/* Is a marker recorded whose group is not simply on? Markers nest by their own
 * rules, not by the stack, so what is not below a function of --below must not even be open:
 * calls inside would be nested in something that is in no row. */
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/start/lifecycle.h"
#include "preload/region/region.h"

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

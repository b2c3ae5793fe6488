// SPDX-License-Identifier: Apache-2.0
/* Nothing here needs a thread's state: that is the parent's. */
#include "preload/call/call.h"
#include "preload/function/function.h"
#include "preload/function/selected.h"
#include "preload/process/process.h"
#include "preload/system/sys.h"

#define EARLY_CALLS 64u

__thread bool early_writes;

static bool prepares_exec(uint32_t function)
{
	switch (function) {
	case FN_close:
	case FN_open:
	case FN_open64:
	case FN___open_2:
	case FN___open64_2:
	case FN_openat:
	case FN_openat64:
		return true;
	case FN_write:
		return early_writes;
	default:
		break;
	}
	const struct scp_selected *s = selected_find(function);
	return s && selected_is_memory(s);
}

bool early_try(void)
{
	return __atomic_add_fetch(&process_epoch.now.early, 1, __ATOMIC_RELAXED) < EARLY_CALLS;
}

/* Nobody else may begin meanwhile, who would unmap the parent's profile; nor may a handler that
 * leaves keep others from it. */
static bool count(void)
{
	uint64_t signals;
	sys_hold_signals(&signals);
	bool counted = flag_take(&process_epoch.now.starting);
	if (counted) {
		process_loss(skipped_calls, 1);
		flag_give(&process_epoch.now.starting);
	}
	sys_release_signals(&signals);
	return counted;
}

COLD bool early_pass(uint32_t function)
{
	return !process_epoch.now.generation && !sys_sandboxed && prepares_exec(function) &&
	       early_try() && count();
}

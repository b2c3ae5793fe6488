// SPDX-License-Identifier: Apache-2.0
/* What happens in which order when recording begins and ends in a process that runs. Threads
 * notice by themselves: see thread_renew. */
#include <errno.h>

#include "include/scprof_version.h"
#include "preload/attach/session.h"
#include "preload/attach/slots.h"
#include "preload/filter/control.h"
#include "preload/overhead/overhead.h"
#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/python/python.h"
#include "preload/start/lifecycle.h"
#include "preload/system/sys.h"
#include "preload/process/libc.h"

EXPORT struct scp_attach_state scprof_attach_state_1 = {
	.magic = SCP_ATTACH_MAGIC,
	.bytes = sizeof(struct scp_attach_state),
};
#define state scprof_attach_state_1

/* From `from` to busy. False: not in that status. */
static bool take(uint32_t from)
{
	return __atomic_compare_exchange_n(&state.status, &from, SCP_ATTACH_BUSY, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static enum scp_attach_problem give(uint32_t to, enum scp_attach_problem p)
{
	state.problem = p;
	__atomic_store_n(&state.status, to, __ATOMIC_RELEASE);
	return p;
}

/* Forked while another thread, which is not here, followed an order: what it did is to be ended, if
 * anything, and can be. */
static void in_child(void)
{
	state.forked = slots_forked();
	if (state.status != SCP_ATTACH_BUSY)
		return;
	if (lifecycle_dormant)
		__atomic_store_n(&process_groups, control.wakes ? GROUPS_PAUSED : 0,
				 __ATOMIC_SEQ_CST);
	give(lifecycle_dormant ? SCP_ATTACH_DORMANT : SCP_ATTACH_RECORDING, SCP_ATTACH_FINE);
}

void session_note_start(void)
{
	lifecycle_forked = in_child;
	state.version = (uint32_t)text_hash(TEXT_HASH, SCPROF_VERSION, SIZE_MAX);
	state.status = lifecycle_dormant ? SCP_ATTACH_DORMANT : SCP_ATTACH_PRELOADED;
}

static enum scp_attach_problem begin(const char *text, uint32_t bytes, bool at_rest)
{
	state.slots = (struct scp_attach_slots){0};
	state.forked = 0;
	state.error = 0;
	if (!settings_take_order(text, bytes))
		return SCP_ATTACH_BAD_ORDER;
	const char *stubs = settings_variable("SCPROF_STUBS");
	if (libc_opened_later && at_rest && !slots_stubs_use(stubs))
		return SCP_ATTACH_NO_STUBS;
	enum scp_attach_problem p = lifecycle_begin_session(at_rest, &state.error);
	if (p != SCP_ATTACH_FINE)
		return p;
	overhead_measure_first();
	text_append(state.profile, sizeof state.profile, 0, process.file->path);
	if (libc_opened_later)
		slots_write(&state.slots);
	return p;
}

enum scp_attach_problem session_begin(const char *text, uint32_t bytes, bool at_rest)
{
	int saved = errno;
	if (!take(SCP_ATTACH_DORMANT))
		return SCP_ATTACH_NOT_NOW;
	enum scp_attach_problem p = begin(text, bytes, at_rest);
	errno = saved;
	return give(p == SCP_ATTACH_FINE ? SCP_ATTACH_RECORDING : SCP_ATTACH_DORMANT, p);
}

enum scp_attach_problem session_end(void)
{
	int saved = errno;
	if (!take(SCP_ATTACH_RECORDING))
		return SCP_ATTACH_NOT_NOW;
	if (libc_opened_later)
		slots_put_back(&state.slots);
	lifecycle_end_session();
	python_put_back();
	errno = saved;
	return give(SCP_ATTACH_DORMANT, SCP_ATTACH_FINE);
}

/* Unlike other waits with a limit this one leaves a system call that was interrupted before, and
 * goes on afterwards, as it was: the kernel notes nothing for it. */
static void hold(uint32_t ms)
{
	long most[2] = {0, (long)least_of(ms, SCP_ATTACH_HOLD_MS) * 1000000};
	if (ms)
		sys4(SYS_ppoll, &state, 0, most, 0);
}

/* Asked before anything is done: to wait for a thread that waits for this one would be for ever. */
static bool loader_is_free(void)
{
	const uint32_t *lock = (const uint32_t *)(uintptr_t)state.loader_lock;
	state.loader_lock = 0;
	if (!lock || !__atomic_load_n(lock, __ATOMIC_RELAXED))
		return true;
	state.problem = SCP_ATTACH_LOADER_BUSY;
	return false;
}

EXPORT int scprof_attach_begin_1(const struct scp_attach_order *o);
int scprof_attach_begin_1(const struct scp_attach_order *o)
{
	if (!bytes_equal(o->magic, SCP_ATTACH_MAGIC, sizeof o->magic) ||
	    o->text_bytes > SCP_ATTACH_TEXT_BYTES)
		return (int)(state.problem = SCP_ATTACH_BAD_ORDER);
	state.area = o->area;
	state.area_bytes = o->area_bytes;
	int problem = loader_is_free() ? (int)session_begin(o->text, o->text_bytes, true)
				       : SCP_ATTACH_LOADER_BUSY;
	hold(o->hold_ms);
	return problem;
}

EXPORT int scprof_attach_end_1(uint32_t hold_ms);
int scprof_attach_end_1(uint32_t hold_ms)
{
	int problem = loader_is_free() ? (int)session_end() : SCP_ATTACH_LOADER_BUSY;
	hold(hold_ms);
	return problem;
}

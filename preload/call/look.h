// SPDX-License-Identifier: Apache-2.0
/* A look at the calls that pass through: functions of groups that are off are counted, and a random
 * sample of their calls is timed, so that a report can say what a group would record. See struct
 * scp_look. No path and no entry; calls inside recorded calls are not looked at, nor is anything
 * where a filter leaves threads out.
 *
 * A thread that records nothing gets a table when it has passed some calls through: helpers do
 * little, and forked children soon become another program. */
#pragma once

#include "preload/process/process.h"
#include "preload/table/thread.h"

/* A call that is timed. */
struct look {
	struct scp_thread *thread;
	struct look_function *function;
	uint64_t began_at;
	uint32_t generation;
};

/* Keep errno. */
HIDDEN bool look_begin(struct look *k, uint32_t function);
HIDDEN void look_end(const struct look *k);

/* A call is about to pass through. True: it is to be timed, look_end follows. */
static inline __attribute__((always_inline)) bool look_pass(struct look *k, uint32_t function)
{
	struct scp_thread *t = thread_self;
	if (unlikely(process_groups - 1 >= GROUPS_PAUSED - 1)) /* nothing is recorded now */
		return false;
	if (likely(t != NULL) && likely(t->look != NULL)) {
		struct look_function *f = &t->look[function];
		if (t->open & ~OPEN_REGION)
			return false;
		t->looking = true; /* first: see thread_state_writes_to */
		compiler_barrier();
		if (likely(!thread_is_stale(t)) && likely(f->skip)) {
			f->skip--;
			f->record->calls++;
			compiler_barrier();
			t->looking = false;
			return false;
		}
		t->looking = false;
	}
	return look_begin(k, function);
}

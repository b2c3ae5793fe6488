// SPDX-License-Identifier: Apache-2.0
/* Which calls are timed: the first few of each function, and then one after a random number of
 * others. It costs a call some tenths of a nanosecond where calls are short; of functions whose
 * calls take long more of them are timed, and the cost stays below one in two hundred. */
#include <errno.h>

#include "preload/call/call.h"
#include "preload/call/look.h"
#include "preload/clock/clock.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/function/function.h"
#include "preload/start/lifecycle.h"
#include "preload/system/stack.h"
#include "preload/table/header.h"
#include "preload/table/sums.h"
#include "preload/table/table.h"

#define FIRST_CALLS 8u	/* of a function, that are timed */
#define MOST_APART  64u /* calls for each that is timed, on average */
#define TICKS_APART 16u /* the same of a clock that ticks: reading it costs little */
#define SHORT_UNITS 512u
#define PATIENCE    64u /* calls after which a thread gets a table */

static struct scp_look nowhere; /* where there is no room: never read */

/* How far calls that are timed lie apart on average, for calls of `mean` units. */
static uint32_t distance(const struct scp_thread *t, uint64_t mean)
{
	uint32_t apart = MOST_APART;
	if (clock_is_coarse(t->clock))
		return TICKS_APART;
	for (; mean >= SHORT_UNITS && apart > 1; mean /= 2)
		apart /= 2;
	return apart;
}

/* The next call that is timed. */
static void draw(struct scp_thread *t, struct look_function *f)
{
	uint32_t apart = 1;
	if (f->first < FIRST_CALLS)
		f->first++;
	else
		apart = distance(t, f->mean);
	f->weight = apart;
	f->skip = (uint32_t)((random_next(&t->random) >> 32) % (2 * apart - 1));
}

static struct scp_look *new_record(struct scp_thread *t, uint32_t function)
{
	struct scp_look *r = NULL;
	if (stack_room() >= STACK_TO_GROW)
		r = record_begin_optional(t, &t->look_chunk, SCP_OPTIONAL_LOOK, SCP_REC_LOOK,
					  sizeof *r);
	if (!r)
		return NULL;
	r->function = function;
	file_publish_record(&t->look_chunk, sizeof *r);
	return r;
}

/* With bookkeeping marked. */
static bool begin_function(struct scp_thread *t, uint32_t function)
{
	if (!t->look) {
		t->look = arena_take(&t->index, FN_COUNT * sizeof *t->look);
		if (!t->look)
			return false;
	}
	random_seed(&t->random, t, clock_mono_ns());
	struct scp_look *r = new_record(t, function);
	t->look[function] = (struct look_function){
		.record = r ? r : &nowhere, .weight = 1, .skip = r ? 0 : UINT32_MAX};
	return r != NULL;
}

/* Recording may have been stopped and begun again, or threads renamed: the thread may be another's
 * afterwards. */
static COLD bool begin_marked(struct scp_thread *t, uint32_t function)
{
	bool begun;
	thread_mark(t, ARCH_CALLER_SP());
	begun = thread_is_stale(t) ? thread_renew(t) : thread_check_again(t);
	if (!begun)
		return false;
	if (!t->look || !t->look[function].record)
		begun = begin_function(t, function);
	if (begun)
		t->look[function].record->calls++;
	thread_unmark(t, thread_outside(t));
	return begun;
}

/* The calling thread's state; made, where it has passed enough calls through. */
static struct scp_thread *find_thread(void)
{
	static __thread uint32_t passed;
	struct scp_thread *t = thread_self;
	if (likely(t && process_epoch.now.generation))
		return t;
	if (process_epoch.now.generation ? ++passed < PATIENCE : early_try())
		return NULL;
	passed = 0;
	return call_first_thread();
}

COLD bool look_begin(struct look *k, uint32_t function)
{
	int saved = errno;
	struct scp_thread *t;
	bool timed = false;
	if (filter.threads)
		return false;
	if (unlikely(control_changed()))
		lifecycle_poll();
	t = control_is_recording() ? find_thread() : NULL;
	if (t && !(t->open & ~OPEN_REGION) && begin_marked(t, function)) {
		header_refresh_if_old();
		*k = (struct look){t, &t->look[function], 0, process_epoch.now.generation};
		timed = true;
	}
	errno = saved;
	if (timed)
		k->began_at = clock_read(t->clock);
	return timed;
}

static void add(struct look_function *f, uint64_t units)
{
	struct scp_look *r = f->record;
	uint64_t w = f->weight;
	r->timed++;
	r->weight += w;
	r->units += w * units;
	sums_add_large_product(&r->units_sq_lo, &r->units_sq_hi, w * units, (w - 1) * units);
	f->mean = f->first < FIRST_CALLS ? units : f->mean - f->mean / 8 + units / 8;
}

COLD void look_end(const struct look *k)
{
	struct scp_thread *t = k->thread;
	if (thread_self != t)
		return;
	t->looking = true; /* first: see thread_state_writes_to */
	compiler_barrier();
	if (k->generation && process_epoch.now.generation == k->generation &&
	    control_is_recording()) {
		uint64_t units = clock_read(t->clock) - k->began_at;
		add(k->function, units >> 63 ? 0 : units); /* a clock that went backwards */
		draw(t, k->function);
	}
	compiler_barrier();
	t->looking = false;
}

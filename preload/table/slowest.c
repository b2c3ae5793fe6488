// SPDX-License-Identifier: Apache-2.0
/* Slots for one call more than are wanted: the shortest one's is written over, and the others are
 * untouched meanwhile, so a process that is killed here loses nothing but the call that was being
 * added. The slots are looked through when one was written, which is rare once the limit has risen;
 * a heap would not survive a handler that leaves by longjmp. */
#include <errno.h>
#include <time.h>

#include "preload/function/function.h"
#include "preload/clock/clock.h"
#include "preload/function/selected.h"
#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/table/slowest.h"
#include "preload/table/sums.h"
#include "preload/table/table.h"
#include "preload/system/stack.h"

#define NO_LIMIT UINT64_MAX

enum { WANT_UNKNOWN, WANT_YES, WANT_NO };
LARGE struct slowest_known slowest_known;
static bool judged; /* is any function's wish known? */

static void set_limit(struct scp_thread *t, uint64_t limit)
{
	t->slowest.limit = limit;
	t->fast_limit = limit < UINT32_MAX ? limit : UINT32_MAX;
}

/* One part in a hundred is left to the reader, who knows the counter's rate of the whole run. */
static uint64_t find_least(void)
{
	const struct scp_clock *c = &clock_chosen.described;
	uint64_t floor = clock_is_coarse(c->kind) ? 2 * c->resolution_units : 1;
	if (!settings.slowest.least_ns && clock_chosen.kind == SCP_CLOCK_TSC)
		return 1;
	if (!process.file->header)
		return 0;
	uint64_t least = clock_units_of(settings.slowest.least_ns);
	if (clock_chosen.kind == SCP_CLOCK_TSC && !least)
		return 0;
	if (clock_chosen.kind == SCP_CLOCK_TSC)
		least -= least / 100;
	return least > floor ? least : floor;
}

void slowest_forget(void)
{
	slowest_known.least_units = 0;
	for (size_t i = 0; judged && i < sizeof slowest_known.wanted; i++)
		if (slowest_known.wanted[i])
			slowest_known.wanted[i] = WANT_UNKNOWN;
}

static uint64_t below_least(void)
{
	return slowest_known.least_units ? slowest_known.least_units - 1 : 0;
}

void slowest_begin(struct scp_thread *t)
{
	bool any = settings.slowest.count != 0;
	if (any && !slowest_known.least_units)
		slowest_known.least_units = find_least();
	set_limit(t, any ? below_least() : NO_LIMIT);
}

static COLD uint8_t judge(uint32_t function)
{
	char copy[sizeof((struct scp_function *)0)->library];
	const char *name, *library = copy;
	uint32_t group = SCP_GROUP_SELECTED;
	if (function_is_region(function)) {
		name = region_name_text(function, &library, &group);
	} else {
		const struct scp_function *f = selected_record(function);
		if (!f)
			return WANT_YES;
		group = function < FN_COUNT ? function_info[function].group : group;
		name = function < FN_COUNT ? function_info[function].shown
					   : selected_name(function);
		bytes_copy(copy, f->library, sizeof copy - 1);
		copy[sizeof copy - 1] = 0; /* of the file, so it may end nowhere */
	}
	return slowest_settings_want(&settings.slowest, name, library, group) ? WANT_YES : WANT_NO;
}

static bool is_wanted(uint32_t function)
{
	uint32_t slot = selected_slot(function);
	if (slot >= PROCESS_FUNCTIONS)
		return true;
	if (slowest_known.wanted[slot] == WANT_UNKNOWN) {
		__atomic_store_n(&judged, true, __ATOMIC_RELEASE);
		slowest_known.wanted[slot] = judge(function);
	}
	return slowest_known.wanted[slot] == WANT_YES;
}

static bool has_arrays(struct scp_thread *t)
{
	struct slowest_calls *s = &t->slowest;
	size_t slots = settings.slowest.count + 1;
	if (s->slot)
		return true;
	s->units = arena_take(&t->index, slots * sizeof *s->units);
	s->slot = s->units ? arena_take(&t->index, slots * sizeof *s->slot) : NULL;
	return s->slot;
}

/* No room: with fewer slots than asked for the list would not be what it says. */
static COLD void give_up(struct scp_thread *t)
{
	set_limit(t, NO_LIMIT);
	process_count(slowest.lost, 1);
}

/* All behind its `seq`. */
static void write_slot(struct scp_thread *t, struct scp_slowest *slot, struct scp_slowest *call)
{
	const size_t from = offsetof(struct scp_slowest, entry);
	sums_begin_change(&slot->seq);
	call->tid = (uint32_t)t->tid;
	call->ended_mono_ns = clock_mono_ns();
	call->ended_real_ns = clock_system_ns(CLOCK_REALTIME);
	bytes_copy(call->name, t->table->name, sizeof call->name);
	bytes_copy((char *)slot + from, (const char *)call + from, sizeof *slot - from);
	sums_end_change(&slot->seq);
}

/* Which slot is next, and how long a call must be to get it. */
static void choose_victim(struct scp_thread *t)
{
	struct slowest_calls *s = &t->slowest;
	const uint64_t *units = s->units;
	uint32_t victim = 0, used = s->used, count = settings.slowest.count;
	uint64_t least = units[0], second = UINT64_MAX;
	for (uint32_t i = 1; i < used; i++) {
		if (likely(units[i] >= second))
			continue;
		second = units[i] < least ? least : units[i];
		victim = units[i] < least ? i : victim;
		least = units[victim];
	}
	if (used > count) {
		s->victim = victim;
		set_limit(t, second);
	} else {
		s->victim = used;
		set_limit(t, used == count ? least : below_least());
	}
}

static void keep(struct scp_thread *t, struct scp_slowest *call)
{
	struct slowest_calls *s = &t->slowest;
	bool is_new = s->victim == s->used;
	struct scp_slowest *slot = s->slot[s->victim];
	if (is_new)
		slot = record_begin_optional(t, &s->chunk, SCP_OPTIONAL_SLOWEST, SCP_REC_SLOWEST,
					     sizeof *slot);
	if (!slot) {
		give_up(t);
		return;
	}
	if (is_new)
		slot->id = s->used + 1;
	write_slot(t, slot, call);
	s->units[s->victim] = call->units;
	if (is_new) {
		s->slot[s->used++] = slot;
		file_publish_record(&s->chunk, sizeof *slot);
	}
	choose_victim(t);
}

/* A weighted reading stands for others that were not read; this call's own is the mean of them. */
static void note_state(const struct scp_thread *t, struct scp_slowest *call,
		       const struct switch_sums *off)
{
	bool detected = t->switches.detector >= SCP_SWITCH_RSEQ;
	if (!off || !off->mark.count) {
		call->state = detected || off ? SCP_SLOWEST_RAN : SCP_SLOWEST_UNKNOWN;
		return;
	}
	uint64_t whole = detected ? off->mark.known : 1, weighted = off->mark.weighted;
	call->state = weighted ? SCP_SLOWEST_READ : SCP_SLOWEST_SWITCHED;
	if (!weighted)
		return;
	call->runnable_ns = (uint64_t)((unsigned __int128)off->mark.runnable_ns * whole / weighted);
	call->asleep_ns = (uint64_t)((unsigned __int128)off->mark.asleep_ns * whole / weighted);
}

/* Apart, so that its stack is taken only where there is some. */
static COLD void add(struct scp_thread *t, const struct scp_rt *rt, uint64_t units,
		     uint64_t slow_units, uint64_t began_at, uint64_t bytes,
		     const struct switch_sums *off)
{
	struct scp_slowest call = {.entry = rt->id,
				   .units = units,
				   .slow_units = slow_units,
				   .began_at = began_at,
				   .bytes = bytes};
	note_state(t, &call, off);
	if (has_arrays(t))
		keep(t, &call);
	else
		give_up(t);
}

COLD void slowest_note(struct scp_thread *t, const struct scp_rt *rt, uint64_t units,
		       uint64_t slow_units, uint64_t began_at, uint64_t bytes,
		       const struct switch_sums *off)
{
	int saved = errno;
	if (!slowest_known.least_units)
		slowest_known.least_units = find_least();
	if (units < slowest_known.least_units) {
		if (t->slowest.limit < slowest_known.least_units - 1)
			set_limit(t, slowest_known.least_units - 1);
	} else if (is_wanted(rt->function)) {
		if (stack_room() >= STACK_TO_RECORD)
			add(t, rt, units, slow_units, began_at, bytes, off);
		else
			process_count(slowest.lost, 1);
	}
	errno = saved;
}

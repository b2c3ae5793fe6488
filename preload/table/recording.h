// SPDX-License-Identifier: Apache-2.0
/* The library's own time on the slow path (a walk of the stack, new records, a larger file),
 * between two readings of the thread's clocks each: counted in scp_table.recording_units, and in no
 * gap and no interval around it.
 *
 * The table has it at once, and its time with it: `calls - nested + gaps + recording = time` holds
 * at any moment. The thread takes it off at the end of the top-level interval that is open
 * (recording_take), or off the gap where none is (recording_settle); nested intervals take off what
 * thread.recorded grew by.
 *
 * A recording in which the thread lost its CPU stays where it is: states say so of that interval.
 *
 * For the owning thread, with its bookkeeping marked. A recording may lie in another one. */
#pragma once

#include "preload/clock/clock.h"
#include "preload/table/thread.h"

/* Small, as stacks may be. */
struct recording {
	uint64_t from, slow_from; /* clocks, less what was recorded so far: thread.recorded */
	bool on_cpu;		  /* no switch is to be looked at yet */
};

static inline struct recording recording_begin(const struct scp_thread *t)
{
	struct recording r = {.on_cpu = !switch_watch_has_changed(&t->switches)};
	if (unlikely(t->slow_clock))
		r.slow_from = clock_read(t->slow_clock) - t->recorded.slow_units;
	compiler_barrier();
	r.from = clock_read(t->clock) - t->recorded.units;
	return r;
}

/* `later` - `from`, less `inner`; 0 where a clock went backwards. */
static inline uint64_t recording_units(uint64_t from, uint64_t later, uint64_t inner)
{
	uint64_t units = later - from - inner;
	return units >> 63 ? 0 : units;
}

static inline void recording_end(struct scp_thread *t, const struct recording *r)
{
	uint64_t slow_at = unlikely(t->slow_clock) ? clock_read(t->slow_clock) : 0;
	compiler_barrier();
	uint64_t units = recording_units(r->from, clock_read(t->clock), t->recorded.units);
	t->table->recordings++;
	if (r->on_cpu && switch_watch_has_changed(&t->switches))
		return;
	if (unlikely(t->slow_clock))
		t->recorded.slow_units +=
			recording_units(r->slow_from, slow_at, t->recorded.slow_units);
	if (!units)
		return;
	t->recorded.units += units;
	t->inside += units;
	t->table->recording_units += units;
	t->table->last_at += units;
}

/* An interval ends, top-level or not. `r`: thread.recorded when it began (of what began by a fast
 * path nothing); now what was recorded inside it. */
static inline void recording_inside(const struct scp_thread *t, bool nested, struct scp_recorded *r)
{
	r->units = nested ? t->recorded.units - r->units : t->inside;
	r->slow_units = t->recorded.slow_units - r->slow_units;
}

/* Of what was recorded, `units` lie in no interval any more: the thread's time has gone by. */
static inline void recording_take(struct scp_thread *t, uint64_t units)
{
	t->last_at += units;
	t->inside -= units;
}

/* No interval is open: all that was recorded lay between two, or in what was given up. */
static inline void recording_settle(struct scp_thread *t)
{
	recording_take(t, t->inside);
}

/* The thread's time is accounted for up to t->last_at. */
static inline void recording_publish(struct scp_thread *t)
{
	t->table->last_at = t->last_at + t->inside;
}

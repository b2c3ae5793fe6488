// SPDX-License-Identifier: Apache-2.0
/* The thread's time since its beginning, from one reading to the next. What it used of a CPU goes
 * to the process's budget of readings, too; how much of the time that was, where long enough has
 * passed to say so, to the thread's own: see switch_budget.c. */
#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"

#define LATELY_NS    1000000u
#define CROWDED_NS   20000000 /* who shares its CPU keeps it for less */
#define ASKED_ONE_IN 64u
#define STOLEN_PART  64u

static void add_totals(struct switch_watch *w, const struct switch_reading *r)
{
	uint64_t passed = r->mono_ns - w->last.mono_ns, cpu = r->cpu_ns - w->last.cpu_ns;
	if (w->has_last) {
		w->totals.covered_ns += passed;
		w->totals.cpu_ns += cpu;
		switch_budget_earn(cpu);
	}
	if (w->has_last && passed > LATELY_NS) {
		uint64_t busy = 1 + least_of(cpu * 1000 / passed, 1000);
		w->busy_ppk = w->busy_ppk ? (w->busy_ppk + busy) / 2 : busy;
	}
	w->last = *r;
	w->has_last = true;
	if (!r->has_delay)
		return;
	if (w->last_delay.has_delay) {
		w->totals.delay_covered_ns += r->mono_ns - w->last_delay.mono_ns;
		w->totals.delay_ns += r->delay_ns - w->last_delay.delay_ns;
	}
	w->last_delay = *r;
}

bool switch_totals_is_anothers(const struct switch_watch *w)
{
	return !sys_sandboxed && w->tid != sys_gettid();
}

/* Who asks for its CPU time has the kernel look whether its slice is over, which else happens at a
 * tick only: a thread that shares its CPU would mostly wait in our readings, not in its calls. So
 * it is asked in some slices, and wherever something is stolen, which is not seen otherwise. */
uint32_t switch_totals_asks(struct switch_watch *w, bool switched)
{
	const struct switch_totals *t = &w->totals;
	if (!w->is_crowded || (int64_t)(w->last.cpu_ns - w->crowded_ns) > CROWDED_NS ||
	    t->stolen_ns > (int64_t)(t->ran_ns / STOLEN_PART))
		return 1;
	if (!switched)
		return w->asks;
	return random_next(&w->random) >> 32 < UINT32_MAX / ASKED_ONE_IN ? ASKED_ONE_IN : 0;
}

/* A segment begins after the reading at its beginning: those read are as long as others. */
bool switch_totals_add(struct switch_watch *w, struct switch_reading *r, bool delay)
{
	bool known = w->last_delay.has_delay, derives = known && !w->asks && !w->asks_next;
	if (!(derives && switch_reading_derive(r, w->tid, &w->last_delay)) &&
	    !switch_reading_take(r, w->tid, delay, w->detector == SCP_SWITCH_SAMPLED)) {
		if (sys_sandboxed)
			switch_detector_note(SCP_SWITCH_SANDBOX);
		return false;
	}
	if (known && r->involuntary != w->last_delay.involuntary) {
		w->is_crowded = true;
		w->crowded_ns = r->cpu_ns;
	}
	w->began_ns = clock_mono_ns();
	switch_budget_count(w, w->began_ns - r->mono_ns);
	add_totals(w, r);
	return true;
}

void switch_totals_add_clocks(struct switch_watch *w)
{
	struct switch_reading r;
	if (!switch_totals_is_anothers(w) && switch_reading_take_clocks(&r))
		add_totals(w, &r);
}

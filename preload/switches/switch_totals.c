// SPDX-License-Identifier: Apache-2.0
/* The thread's time since its beginning, from one reading to the next. What it used of a CPU goes
 * to the process's budget of readings, too; how much of the time that was, where long enough has
 * passed to say so, to the thread's own: see switch_budget.c. */
#include "include/scprof_format.h"
#include "preload/clock/clock.h"
#include "preload/process/process.h"
#include "preload/switches/switch_track.h"
#include "preload/system/sys.h"

#define LATELY_NS 1000000u

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

/* A segment begins after the reading at its beginning: those read are as long as others. */
bool switch_totals_add(struct switch_watch *w, struct switch_reading *r, bool delay)
{
	if (!switch_reading_take(r, w->tid, delay, w->detector == SCP_SWITCH_SAMPLED)) {
		if (sys_sandboxed)
			switch_detector_note(SCP_SWITCH_SANDBOX);
		return false;
	}
	if (r->voluntary != w->voluntary || r->involuntary != w->involuntary)
		w->is_crowded = r->involuntary != w->involuntary;
	w->voluntary = r->voluntary;
	w->involuntary = r->involuntary;
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

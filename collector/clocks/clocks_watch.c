// SPDX-License-Identifier: GPL-3.0-or-later
/* One loop reads all clocks in turn, each between two readings of the raw clock, and moves between
 * the CPUs: steps of the fine clocks, ticks of the coarse ones. What interrupts the loop interrupts
 * all clocks alike, which is why a gap is no step. */

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "collector/clocks/clocks_private.h"

/* Interval arithmetic: a reading outside of the bounds of all earlier ones proves a step. */

void clocks_watch_begin(struct step_watch *w, bool may_stand, double grace_ns)
{
	*w = (struct step_watch){
		.may_stand = may_stand, .grace_ns = grace_ns, .low = -INFINITY, .high = INFINITY};
}

static void note_step(struct step_watch *w, double size_ns)
{
	w->steps++;
	if (fabs(size_ns) > fabs(w->largest_ns))
		w->largest_ns = size_ns;
}

void clocks_watch_note(struct step_watch *w, double reading_ns, double before_ns, double after_ns)
{
	double low = reading_ns - after_ns - w->grace_ns,
	       high = reading_ns - before_ns + w->grace_ns;
	double slew = w->readings++ ? STEPS_SLEW * (after_ns - w->at_ns) : 0;

	w->low = w->may_stand ? -INFINITY : w->low - slew;
	w->high += slew;
	w->at_ns = after_ns;
	if (low > w->high) {
		note_step(w, low - w->high);
	} else if (high < w->low) {
		note_step(w, high - w->low);
	} else {
		low = fmax(w->low, low);
		high = fmin(w->high, high);
	}
	w->low = low;
	w->high = high;
}

#define MOST_CHANGES 16384
#define ENOUGH_TICKS 50
#define PATIENCE     3 /* times the window, beyond it */
#define MOVE_EVERY   UINT64_C(25000000)
#define CPU_EVERY    8 /* its reading is a system call */
#define INTERRUPTED  UINT64_C(50000)
/* Two clocks' conversions from one counter round differently. */
#define GRACE_NS 4.0

struct watch {
	struct step_watch tsc, monotonic, cpu;
	struct tick_watch coarse, page;
	double tsc_ns;	       /* a unit */
	uint64_t tsc_0, raw_0; /* origins, so that doubles hold nanoseconds */
	uint64_t end_ns, last_end_ns, move_ns, enough_ns;
	double coarse_ns; /* the coarse clock's tick */
	uint64_t interruptions, interruption_max_ns, interrupted_ns, seen_ns;
};

static double since(const struct watch *w, uint64_t raw_ns)
{
	return (double)(raw_ns - w->raw_0);
}

static void note_fine(struct watch *w, struct step_watch *s, double reading_ns, uint64_t before,
		      uint64_t after)
{
	clocks_watch_note(s, reading_ns, since(w, before), since(w, after));
}

/* One reading of each. Returns the last instant. */
static uint64_t one_pass(struct watch *w, const struct clock_source *const by[], bool cpu_too)
{
	uint64_t t0 = counter_raw_ns(), tsc = by[SCP_CLOCK_TSC]->read_ordered();
	uint64_t t1 = counter_raw_ns(), monotonic = by[SCP_CLOCK_MONOTONIC]->read();
	uint64_t t2 = counter_raw_ns(), coarse = by[SCP_CLOCK_COARSE]->read();
	uint64_t page = by[SCP_CLOCK_PAGE]->read(), t3 = counter_raw_ns();

	note_fine(w, &w->tsc, (double)(tsc - w->tsc_0) * w->tsc_ns, t0, t1);
	note_fine(w, &w->monotonic, (double)monotonic, t1, t2);
	clocks_ticks_note(&w->coarse, coarse, t2, t3);
	clocks_ticks_note(&w->page, page, t2, t3);
	if (!cpu_too)
		return t3;
	uint64_t cpu = by[SCP_CLOCK_THREAD_CPU]->read(), t4 = counter_raw_ns();
	note_fine(w, &w->cpu, (double)cpu, t3, t4);
	return t4;
}

static int next_cpu(const cpu_set_t *set, int cpu)
{
	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, set));
	return cpu;
}

/* On a busy machine other work takes the CPU for whole ticks. */
static bool saw_enough(const struct watch *w)
{
	return w->seen_ns >= w->enough_ns &&
	       clocks_ticks_sharp(&w->coarse, w->coarse_ns, NULL) >= ENOUGH_TICKS;
}

static void run(struct watch *w, const cpu_set_t *allowed)
{
	const struct clock_source *by[CLOCKS_TESTED + 1] = {NULL};
	uint64_t last, now = counter_raw_ns(), took_ns;
	int cpu = 0;

	for (enum scp_clock_kind kind = 1; kind <= CLOCKS_TESTED; kind++)
		by[kind] = clocks_read_source(kind);
	for (unsigned int pass = 0; now < w->end_ns || (now < w->last_end_ns && !saw_enough(w));
	     pass++) {
		last = now;
		now = one_pass(w, by, pass % CPU_EVERY == 0);
		took_ns = now - last;
		if (took_ns <= INTERRUPTED) {
			w->seen_ns += took_ns;
		} else {
			w->interruptions++;
			w->interrupted_ns += took_ns;
			if (took_ns > w->interruption_max_ns)
				w->interruption_max_ns = took_ns;
		}
		if (now > w->move_ns) {
			w->move_ns = now + MOVE_EVERY;
			cpu = next_cpu(allowed, cpu);
			cpus_pin(cpu);
		}
	}
}

static void set_steps(struct clock_test *t, const struct step_watch *s)
{
	t->step_readings = s->readings;
	t->steps = s->steps;
	t->step_max_ns = s->largest_ns;
}

static void set_ticks(struct clock_test *t, const struct tick_watch *w, double unit_ns,
		      double shortest)
{
	clocks_ticks_summarise(w, unit_ns, t->claimed_ns, shortest, &t->ticks);
	t->step_readings = t->ticks.ticks;
	t->steps = t->ticks.together;
	t->step_max_ns = t->ticks.together_max_ns;
	/* the resolution test is short: on a busy machine it may miss every single tick */
	for (size_t i = 1; i < w->count; i++) {
		double step = (double)(w->seen[i].reading - w->seen[i - 1].reading) * unit_ns;

		if (!(t->step_ns > 0) || step < t->step_ns)
			t->step_ns = step;
	}
}

static void set_results(const struct watch *w, struct clocks_report *r)
{
	struct clock_test *coarse = clocks_test_of(r, SCP_CLOCK_COARSE);
	struct clock_test *page = clocks_test_of(r, SCP_CLOCK_PAGE);

	set_steps(clocks_test_of(r, SCP_CLOCK_TSC), &w->tsc);
	set_steps(clocks_test_of(r, SCP_CLOCK_MONOTONIC), &w->monotonic);
	set_steps(clocks_test_of(r, SCP_CLOCK_THREAD_CPU), &w->cpu);
	set_ticks(coarse, &w->coarse, 1, 1);
	set_ticks(page, &w->page, page->claimed_ns, 0.5);
	r->interruptions = w->interruptions;
	r->interruption_max_ns = (double)w->interruption_max_ns;
	r->interrupted_share = (double)w->interrupted_ns / (double)(w->interrupted_ns + w->seen_ns);
}

int clocks_watch(struct clocks_report *r, double window_s)
{
	struct tick_seen *seen = calloc(2 * MOST_CHANGES, sizeof(*seen));
	struct watch w = {.tsc_ns = 1e9 / clocks_test_of(r, SCP_CLOCK_TSC)->rate_hz};
	cpu_set_t before;

	if (!seen || sched_getaffinity(0, sizeof(before), &before)) {
		free(seen);
		return -1;
	}
	clocks_watch_begin(&w.tsc, false, GRACE_NS);
	clocks_watch_begin(&w.monotonic, false, GRACE_NS);
	clocks_watch_begin(&w.cpu, true, GRACE_NS);
	w.coarse = (struct tick_watch){.seen = seen, .room = MOST_CHANGES};
	w.page = (struct tick_watch){.seen = seen + MOST_CHANGES, .room = MOST_CHANGES};
	w.tsc_0 = clocks_read_source(SCP_CLOCK_TSC)->read_ordered();
	w.raw_0 = counter_raw_ns();
	w.coarse_ns = clocks_test_of(r, SCP_CLOCK_COARSE)->claimed_ns;
	w.end_ns = w.raw_0 + (uint64_t)(window_s * 1e9);
	w.last_end_ns = w.end_ns + (uint64_t)(PATIENCE * window_s * 1e9);
	w.enough_ns = (uint64_t)(window_s * 1e9 / 2);
	run(&w, &before);
	sched_setaffinity(0, sizeof(before), &before);
	set_results(&w, r);
	r->watch_s = (double)(counter_raw_ns() - w.raw_0) / 1e9;
	free(seen);
	return 0;
}

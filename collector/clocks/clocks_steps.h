// SPDX-License-Identifier: GPL-3.0-or-later
/* Steps of one clock against another. A step is a change between the two: an interruption of the
 * watcher for a second is none; one clock's advance by a millisecond more than the other's is one.
 *
 * Each reading is taken between two of the reference clock, which bound how far
 * the one is ahead of the other. The bounds of all readings so far are kept, wider
 * by what a disciplined clock may be slewed meanwhile; a reading whose own bounds
 * lie apart from them proves a step, of at least the distance. Pure; nanoseconds.
 */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCKS_STEPS_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCKS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* NTP may slew by 500 ppm. */
#define STEPS_SLEW 600e-6

struct step_watch {
	bool may_stand; /* a clock of CPU time: falling behind is no step */
	double grace_ns;
	double low, high; /* how far the clock is ahead of the reference */
	double at_ns;	  /* by the reference: when they were last known */
	uint64_t readings, steps;
	double largest_ns; /* signed: forward, or back */
};

/* `grace_ns` is what rounding of the two clocks may make. */
void clocks_steps_begin(struct step_watch *w, bool may_stand, double grace_ns);

/* The clock said reading_ns somewhere between before_ns and after_ns. Each clock
 * counts from an origin of its own. */
void clocks_steps_note(struct step_watch *w, double reading_ns, double before_ns, double after_ns);

#endif

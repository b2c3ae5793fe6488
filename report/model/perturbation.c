// SPDX-License-Identifier: GPL-3.0-or-later
/* The overhead is measured in a loop of calls, where all that a call needs is in the caches and
 * the branches are predicted. A program that works between two calls evicts some of that, and
 * the next call is dearer by an amount that no calibration knows. It has two bounds: what is
 * fetched again was evicted by the work, which needed the gap's whole time for it at most; and a
 * call needs only so much. */
#include "report/model/perturbation.h"

#include <math.h>

/* A choice: the measured cost outside of a call, at most. */
#define COLD_TIMES 10.0
/* A tick leaves cold caches, too. */
#define TICK_TIMES 2.0
/* Standard errors of the overhead to either side. */
#define ERRORS 2.0
/* A choice: as much of the overhead the processor may hide behind the program's own work. */
#define HIDDEN_SHARE 0.15

static double cold_ns(const struct report *r)
{
	double sum = 0;

	for (uint32_t i = 0; i < r->gaps; i++) {
		const struct report_gap *g = &r->gap[i];

		sum += fmin(g->total_ns, COLD_TIMES * r->overhead.outside_ns * (double)g->calls);
	}
	return sum;
}

void perturbation_fill(struct report *r)
{
	const struct prof_overhead *o = &r->profile->clock.overhead;
	double ticks_ns = (double)r->profile->ticker_cost.taken_ns;
	double calls_ns = (double)r->calls * (r->overhead.inside_ns + r->overhead.outside_ns);
	double error_ns = (double)r->calls * (o->inside_error_ns + o->outside_error_ns);
	double known_ns = (double)r->profile->switches.reading_ns + r->recording_ns +
			  (double)r->profile->own_ns;

	r->perturbation_ns = calls_ns + known_ns + ticks_ns;
	r->perturbation_low_ns =
		fmax((1 - HIDDEN_SHARE) * calls_ns - ERRORS * error_ns, 0) + known_ns;
	r->perturbation_high_ns =
		calls_ns + ERRORS * error_ns + known_ns + cold_ns(r) + TICK_TIMES * ticks_ns;
	if (!isfinite(r->perturbation_ns) || !isfinite(r->perturbation_high_ns))
		r->perturbation_low_ns = r->perturbation_high_ns = NAN;
}

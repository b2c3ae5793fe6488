// SPDX-License-Identifier: GPL-3.0-or-later
/* Interval arithmetic: a reading outside of the bounds of all earlier ones proves a step. */
#include "collector/clocks/clocks_steps.h"

#include <math.h>

void clocks_steps_begin(struct step_watch *w, bool may_stand, double grace_ns)
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

void clocks_steps_note(struct step_watch *w, double reading_ns, double before_ns, double after_ns)
{
	double low = reading_ns - after_ns - w->grace_ns,
	       high = reading_ns - before_ns + w->grace_ns;
	double slew = w->readings++ ? STEPS_SLEW * (after_ns - w->at_ns) : 0;

	w->low = w->may_stand ? -INFINITY : w->low - slew;
	w->high += slew;
	w->at_ns = after_ns;
	if (low > w->high)
		note_step(w, low - w->high);
	else if (high < w->low)
		note_step(w, high - w->low);
	else {
		w->low = fmax(w->low, low);
		w->high = fmin(w->high, high);
		return;
	}
	w->low = low;
	w->high = high;
}

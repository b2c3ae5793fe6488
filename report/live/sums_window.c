// SPDX-License-Identifier: GPL-3.0-or-later
/* See the header: pure. */
#include "report/live/sums_window.h"

#include <math.h>

void sums_window_widen(struct report_estimate *e, double run_design)
{
	double factor = sqrt(run_design);

	if (!isnan(e->design_effect) || !(run_design > 1))
		return;
	e->low_ns = fmax(0, e->mean_ns - factor * (e->mean_ns - e->low_ns));
	e->high_ns = e->mean_ns + factor * (e->high_ns - e->mean_ns);
	e->error_ns *= factor;
}

double sums_window_relative(const struct report_estimate *e)
{
	double half = fmax(e->high_ns - e->mean_ns, e->mean_ns - e->low_ns);

	return isfinite(half) && e->mean_ns > 0 ? half / e->mean_ns : NAN;
}

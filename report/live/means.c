// SPDX-License-Identifier: GPL-3.0-or-later
/* The steps of report/model/site.c that a mean needs, and no others. */
#include "report/live/live_rows.h"

#include <math.h>

void means_widen(struct mean_interval *e, double run_design)
{
	double factor = sqrt(run_design);

	if (!isnan(e->design_effect) || !(run_design > 1))
		return;
	e->low = fmax(0, e->mean - factor * (e->mean - e->low));
	e->high = e->mean + factor * (e->high - e->mean);
	e->error *= factor;
}

double means_relative(const struct mean_interval *e)
{
	double half = fmax(e->high - e->mean, e->mean - e->low);

	return isfinite(half) && e->mean > 0 ? half / e->mean : NAN;
}

struct row_mean means_nothing(void)
{
	return (struct row_mean){NAN, NAN, NAN, NAN, NAN, 0, 0, 0, 0};
}

/* `sums`: all calls, warm-up included; they say what nested calls add. */
static struct row_mean compensated(const struct prof_clock *clock, struct mean_interval *e,
				   const struct prof_sums *sums, double confidence)
{
	struct report_overhead overhead = estimate_overhead(clock);
	struct row_mean out = {
		.design = e->design_effect, .freedom = e->freedom, .unreliable = e->unreliable};

	overhead = estimate_overhead_around(&overhead, sums);
	estimate_compensate(e, &overhead, confidence);
	out.mean_ns = e->mean;
	out.low_ns = e->low;
	out.high_ns = e->high;
	out.relative = means_relative(e);
	return out;
}

struct row_mean means_of_run(const struct prof_clock *clock, const struct site_sums *w,
			     double confidence)
{
	const struct prof_sums *rest = &w->steady.rest;
	struct mean_interval e;
	struct row_mean out;

	if (!rest->calls)
		return means_nothing();
	e = site_sums_mean(clock, &w->sums, rest, confidence);
	steadiness_widen(&e, &w->steady);
	out = compensated(clock, &e, &w->sums, confidence);
	out.calls = rest->calls;
	out.warmup_calls = w->sums.calls - rest->calls;
	return out;
}

struct row_mean means_of_window(const struct prof_clock *clock, const struct prof_sums *s,
				double run_design, double confidence)
{
	struct mean_interval e;
	struct row_mean out;
	double design;

	if (!s->calls)
		return means_nothing();
	e = site_sums_mean(clock, s, s, confidence);
	design = e.design_effect;
	means_widen(&e, run_design);
	out = compensated(clock, &e, s, confidence);
	out.design = design;
	out.calls = s->calls;
	return out;
}

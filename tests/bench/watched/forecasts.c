// SPDX-License-Identifier: GPL-3.0-or-later
/* Simulates pilot runs, what `scprof plan` makes of them, and runs of that length: how wide their
 * intervals are over what was asked.
 *
 *   build/bench/forecasts [--runs N] [--pilot S] [--factor F] [LAW...]
 *
 * Asked is what F times the pilot should give (default 4, PLAN_FAR). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/watched/programs.h"
#include "stats/planning/plan.h"

/* A forecast beyond so many times the pilot is not tried out. */
#define LONGEST 40

struct wishes {
	double pilot_s, factor;
	unsigned runs;
};

struct outcome {
	unsigned doubted, reached, wider, doubted_after, far;
	double ratio; /* sum of logarithms */
};

static double width(const struct mean_interval *e)
{
	return (e->high - e->low) / e->mean;
}

static struct mean_interval run_for(const struct program_law *law, double seconds, double calls,
				    double *made)
{
	struct recording r;
	struct program p = {0};

	programs_begin(&r);
	while (p.now < seconds * PROGRAMS_S && p.calls < calls)
		programs_record(&r, programs_step(law, &p));
	*made = p.calls;
	return programs_estimate(&r);
}

static void one_pilot(const struct program_law *law, const struct wishes *w, double asked,
		      struct outcome *o)
{
	double calls, needed, ratio;
	struct mean_interval e = run_for(law, w->pilot_s, INFINITY, &calls), then;
	struct stats_finished f = {calls, e.mean, e.low, e.high, e.error, e.freedom, 0};

	needed = plan_calls_forecast(&f, 0.95, asked);
	if (!isfinite(needed) || e.unreliable) {
		o->doubted++;
		return;
	}
	if (needed > LONGEST * calls) {
		o->far++;
		return;
	}
	then = run_for(law, INFINITY, needed, &calls);
	ratio = width(&then) / asked;
	o->ratio += log(ratio);
	if (ratio <= 1.4)
		o->reached++;
	else if (then.unreliable)
		o->doubted_after++;
	else
		o->wider++;
}

/* The width that so many times the pilot gives, in the median. */
static double asked_width(const struct program_law *law, const struct wishes *w)
{
	double widths[31] = {0}, calls;
	size_t n = sizeof(widths) / sizeof(*widths);

	for (size_t i = 0; i < n; i++) {
		struct mean_interval e = run_for(law, w->factor * w->pilot_s, INFINITY, &calls);
		size_t at = i;

		for (; at && widths[at - 1] > width(&e); at--)
			widths[at] = widths[at - 1];
		widths[at] = width(&e);
	}
	return widths[n / 2];
}

static void one_law(unsigned which, const struct wishes *w)
{
	const struct program_law *law = &programs_laws[which];
	struct outcome o = {0};
	unsigned tried;
	double asked;

	programs_seed(2000 + which);
	asked = asked_width(law, w);
	for (unsigned i = 0; i < w->runs; i++)
		one_pilot(law, w, asked, &o);
	tried = o.reached + o.wider + o.doubted_after;
	printf("%-20s %-42s %-8s %6.1f %%  %5.1f %% %5.1f %% %5.1f %% %5.1f %% %5.1f %%  %.2f\n",
	       law->name, law->what, law->held_out ? "held out" : "tuned", 100 * asked,
	       100.0 * o.doubted / w->runs, 100.0 * o.far / w->runs, 100.0 * o.reached / w->runs,
	       100.0 * o.doubted_after / w->runs, 100.0 * o.wider / w->runs,
	       tried ? exp(o.ratio / tried) : NAN);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct wishes w = {.pilot_s = 10, .factor = 4, .runs = 100};
	int at = 1;

	for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
		double value = atof(argv[at + 1]);

		if (!strcmp(argv[at], "--runs"))
			w.runs = (unsigned)value;
		else if (!strcmp(argv[at], "--pilot"))
			w.pilot_s = value;
		else if (!strcmp(argv[at], "--factor"))
			w.factor = value;
	}
	printf("%-20s %-42s %-8s %8s  %7s %7s %7s %7s %7s  %s\n", "law", "what", "", "asked",
	       "doubted", "far", "reached", "doubted", "silent", "ratio");
	for (unsigned i = 0; i < programs_count; i++) {
		if (programs_is_named(i, argv + at, argc - at))
			one_law(i, &w);
	}
	return 0;
}

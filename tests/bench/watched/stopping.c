// SPDX-License-Identifier: GPL-3.0-or-later
/* Simulates programs that are watched and stopped by the rule of stats/mean/stopping.h, with the
 * looking times of `scprof run --until`, and counts how often the mean is right at the stop.
 *
 *   build/bench/stopping [--runs N] [--longest S] [--least S] [--relative P] [LAW...]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/watched/programs.h"
#include "stats/mean/stopping.h"

struct wishes {
	double relative, least_s, longest_s;
	unsigned runs;
};

struct outcome {
	unsigned stopped, right, ordinary, doubted;
	double time_s;
};

static bool look(struct stopping *s, const struct recording *r, double now_s,
		 struct mean_interval *e)
{
	*e = programs_estimate(r);
	return stopping_look(s, now_s,
			     &(struct stopping_look){r->sums.n, 0, e->mean, e->mean, e->low,
						     e->high, e->freedom, e->design_effect,
						     e->unreliable});
}

static void one_run(unsigned which, const struct wishes *w, struct outcome *o)
{
	const struct program_law *law = &programs_laws[which];
	struct recording r;
	struct program p = {0};
	struct stopping s;
	struct mean_interval e;
	bool stopped = false;
	double truth;

	programs_begin(&r);
	stopping_begin(&s, w->relative, w->least_s, 0, &(struct stopping_stretch){0});
	while (p.now < w->longest_s * PROGRAMS_S && !stopped) {
		programs_record(&r, programs_step(law, &p));
		if (stopping_add(&s, p.now / PROGRAMS_S,
				 &(struct stopping_stretch){r.sums.n, r.sums.sum}))
			stopped = look(&s, &r, p.now / PROGRAMS_S, &e);
	}
	truth = programs_truth(law, &p);
	o->stopped += stopped;
	if (!stopped) {
		o->doubted += programs_estimate(&r).unreliable != 0;
		return;
	}
	o->time_s += p.now / PROGRAMS_S;
	o->right += fabs(e.mean - truth) <= w->relative * e.mean;
	o->ordinary += e.low <= truth && truth <= e.high;
}

static void one_law(unsigned which, const struct wishes *w)
{
	struct outcome o = {0};
	char covered[64] = "-", warned[32] = "-";
	unsigned left;

	programs_seed(1000 + which);
	for (unsigned i = 0; i < w->runs; i++)
		one_run(which, w, &o);
	left = w->runs - o.stopped;
	if (o.stopped)
		snprintf(covered, sizeof(covered), "%6.1f s %7.1f %% %7.1f %%",
			 o.time_s / o.stopped, 100.0 * o.right / o.stopped,
			 100.0 * o.ordinary / o.stopped);
	if (left)
		snprintf(warned, sizeof(warned), "%.0f %%", 100.0 * o.doubted / left);
	printf("%-20s %-42s %-8s %4g %% %5.1f %%  %-28s %s\n", programs_laws[which].name,
	       programs_laws[which].what, programs_laws[which].held_out ? "held out" : "tuned",
	       100 * w->relative, 100.0 * o.stopped / w->runs, covered, warned);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct wishes w = {
		.relative = 0.05, .least_s = STOPPING_LEAST_S, .longest_s = 300, .runs = 300};
	int at = 1;

	for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
		double value = atof(argv[at + 1]);

		if (!strcmp(argv[at], "--runs"))
			w.runs = (unsigned)value;
		else if (!strcmp(argv[at], "--longest"))
			w.longest_s = value;
		else if (!strcmp(argv[at], "--least"))
			w.least_s = value;
		else if (!strcmp(argv[at], "--relative"))
			w.relative = value;
	}
	printf("%-20s %-42s %-8s %6s %7s  %8s %9s %9s  %s\n", "law", "what", "", "asked", "stopped",
	       "after", "within", "ordinary", "others warned");
	for (unsigned i = 0; i < programs_count; i++) {
		if (programs_is_named(i, argv + at, argc - at))
			one_law(i, &w);
	}
	return 0;
}

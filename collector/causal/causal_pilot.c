// SPDX-License-Identifier: GPL-3.0-or-later
/* Windows by their scatter, sites by their time. */
#include "collector/causal/causal_pilot.h"

#include <math.h>
#include <stdlib.h>

/* Fewer windows say nothing of a scatter. A variance of 20 values is below half of the true one in
 * one of 20 pilots, more often where it comes in bursts; and a pilot does not see how a machine
 * changes over seconds, which makes long windows bad. So the shorter one, unless it is plain. */
#define LEAST_WINDOWS 20
#define CLEARLY	      0.5
#define UNITS_LONG    10.0 /* durations of a unit in a window */
#define LEAST_UNITS   20.0 /* in a window, on average */
#define LEAST_CALLS   0.5  /* in a window */

static const size_t lengths[] = {1, 2, 5, 10, 20, 50, 100}; /* readings */

double causal_pilot_rate(const struct causal_pilot_series *s)
{
	double time = 0, progress = 0;

	for (size_t i = 0; i < s->count; i++) {
		time += s->time[i];
		progress += s->progress[i];
	}
	return time > 0 ? progress / time : 0;
}

/* Variance of time - progress / rate over windows of `length` readings, a second. NAN: too few. */
static double scatter(const struct causal_pilot_series *s, double rate, size_t length)
{
	double squares = 0, all = 0;
	size_t windows = s->count / length;

	if (windows < LEAST_WINDOWS)
		return NAN;
	for (size_t w = 0; w < windows; w++) {
		double rest = 0;

		for (size_t i = w * length; i < (w + 1) * length; i++) {
			rest += s->time[i] - s->progress[i] / rate;
			all += s->time[i];
		}
		squares += rest * rest;
	}
	return squares / all * (double)windows / (double)(windows - 1);
}

/* So that edges count for little; but rather fewer units than too few windows. */
static double length_for_edges(double rate, double for_s)
{
	double all_s = isfinite(for_s) ? for_s : CAUSAL_PILOT_FOR_S,
	       longest = fmax(all_s / CAUSAL_PILOT_WINDOWS, LEAST_UNITS / rate);

	return fmin(CAUSAL_PILOT_UNITS / rate, longest);
}

double causal_pilot_window(const struct causal_pilot_series *s, double unit_s, double for_s)
{
	double rate = causal_pilot_rate(s), best = INFINITY, chosen = CAUSAL_PILOT_READING_S, least;

	if (!(rate > 0))
		return CAUSAL_PILOT_LONGEST_S;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		double now = scatter(s, rate, lengths[i]);

		if (now < CLEARLY * best) {
			best = now;
			chosen = (double)lengths[i] * CAUSAL_PILOT_READING_S;
		}
	}
	least = fmax(length_for_edges(rate, for_s), UNITS_LONG * (unit_s > 0 ? unit_s : 0));
	return fmin(fmax(chosen, least), CAUSAL_PILOT_LONGEST_S);
}

static int by_time(const void *a, const void *b)
{
	const struct causal_candidate *x = a, *y = b;

	if (x->busy != y->busy)
		return x->busy < y->busy ? 1 : -1;
	if (x->calls_s != y->calls_s)
		return x->calls_s < y->calls_s ? 1 : -1;
	return x->site.index < y->site.index ? -1 : x->site.index > y->site.index;
}

size_t causal_pilot_choose(struct causal_candidate *c, size_t count, double window_s, size_t most,
			   size_t *left_out)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!c[i].wanted || c[i].site.in_handler ||
		    !(c[i].calls_s * window_s >= LEAST_CALLS))
			continue;
		c[kept] = c[i];
		if (!(c[kept].busy >= 0)) /* what a caller got wrong */
			c[kept].busy = 0;
		kept++;
	}
	qsort(c, kept, sizeof(*c), by_time);
	*left_out = kept > most ? kept - most : 0;
	return kept - *left_out;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Idle phases, in which the fluid runs alone. Those around a run give the rate of interrupts
 * without the program. */
#include <math.h>
#include <stdlib.h>

#include "collector/displacement/displace_private.h"
#include "collector/launch/signal_wait.h"
#include "profile/base/array.h"

#define LONGER	     9	 /* an idle phase may be prolonged by so many times its length */
#define LONGER_S     5.0 /* and by so many seconds */
#define IDLE_WINDOWS 16	 /* of each CPU, at least, in an idle phase */
#define IDLE_SHARE   0.2 /* minimum share of an idle phase that the fluid must have */

static void add_phase(struct displace *d, uint64_t from, double *woken)
{
	struct idle_phase *more =
		array_room(d->idle_phase, &d->idle_room, d->idle_phases, sizeof(*more));

	if (!more) {
		free(woken);
		return;
	}
	d->idle_phase = more;
	more[d->idle_phases++] =
		(struct idle_phase){from, fluid_thread_now(), displace_sample_softirqd(d), woken};
}

/* Has each CPU's fluid had enough good windows since `from`, of so many seconds' charge? */
static bool all_had_enough(struct displace *d, uint64_t from, double enough)
{
	const struct idle_phase since = {.from = from, .to = fluid_thread_now()};
	bool all = true;

	d->rate = fluid_rate(d->fluid);
	for (size_t i = 0; i < d->cpus && all; i++) {
		struct displacement_window *w;
		size_t count, kept = 0;
		double charged = 0;

		if (displace_windows_idle_span(d, i, &since, &w, &count))
			return true; /* out of memory: there is nothing to wait for */
		for (size_t k = 0; k < count; k++) {
			charged += w[k].aside ? 0 : w[k].charged;
			kept += !w[k].aside;
		}
		all = kept >= IDLE_WINDOWS && charged >= enough;
		free(w);
	}
	return all;
}

/* Is the idle phase that began then over? Looks for that at `*end`, and puts it off. */
static bool is_over(struct displace *d, uint64_t from, double *end, double seconds, double last)
{
	double now = displace_now();

	if (now < *end)
		return false;
	if (d->never_enough || all_had_enough(d, from, seconds * IDLE_SHARE))
		return true;
	*end = now + seconds;
	d->never_enough = now >= last;
	return d->never_enough;
}

/* Measuring continues as during a run, so that its own cost is the same. */
int displace_idle_phase(struct displace *d, double seconds)
{
	double end = displace_now() + seconds, last = end + fmin(LONGER * seconds, LONGER_S);
	uint64_t from = fluid_thread_now();
	struct signal_wait ending;
	double *woken;
	int got = 0;

	displace_kinds_count(d->woken_from);
	signal_wait_begin(&ending);
	tasks_look(&d->tasks);
	tasks_mark(&d->tasks);
	while (!got && !is_over(d, from, &end, seconds, last)) {
		got = signal_wait_next(&ending, DISPLACE_TICK_MS);
		displace_sample_own(d);
		displace_sample_ends(d);
	}
	signal_wait_end(&ending);
	tasks_look(&d->tasks);
	woken = calloc(d->cpus, sizeof(*woken));
	if (woken)
		displace_kinds_since(d, woken);
	add_phase(d, from, woken);
	return got;
}

/* A CPU that was busy in the idle phases takes the rate of the others. */
static void complete_rates(struct displace_run *run, unsigned *warnings)
{
	double value = 0, error = 0, n = 0;

	for (size_t i = 0; i < run->cpus; i++)
		if (isfinite(run->cpu[i].rest.error)) {
			value += run->cpu[i].rest.value;
			error = fmax(error, run->cpu[i].rest.error);
			n++;
		}
	for (size_t i = 0; i < run->cpus; i++) {
		struct displacement_value *rest = &run->cpu[i].rest;

		if (isfinite(rest->error))
			continue;
		/* the error is as large as the value */
		*rest = n ? (struct displacement_value){value / n, fmax(error, value / n), 1}
			  : (struct displacement_value){0, INFINITY, 1};
		*warnings |= n ? 0 : DISPLACE_REST_UNKNOWN;
	}
}

/* Is this the idle phase before the run, or the one after it? */
static bool around(const struct displace *d, size_t i)
{
	const struct idle_phase *r = &d->idle_phase[i];

	return !(i + 1 < d->idle_phases && r[1].to <= d->from) && !(i && r[-1].from >= d->to);
}

/* Rescheduling interrupts in the idle phases before and after the run; NAN: unknown. */
static double woken_in_idle(const struct displace *d, size_t i)
{
	double sum = 0;

	for (size_t k = 0; k < d->idle_phases; k++)
		if (around(d, k))
			sum += d->idle_phase[k].woken ? d->idle_phase[k].woken[i] : NAN;
	return sum;
}

static int set_rate(struct displace *d, size_t i, struct displacement_value *rest)
{
	struct displacement_series span[2];
	double switches = 0, charged = 0, wall = 0, woken = woken_in_idle(d, i);
	int failed = displace_windows_idle_spans(d, i, span);
	struct displacement_value cost;

	for (size_t k = 0; k < 2; k++)
		for (size_t n = 0; n < span[k].count; n++) {
			switches += span[k].window[n].switches;
			charged += span[k].window[n].charged;
			wall += span[k].window[n].span;
		}
	d->rest_switches[i] = charged > 0 ? switches / charged : 0;
	cost = displace_kinds_cost(d, switches, woken, wall > 0 ? woken * (1 - charged / wall) : 0);
	*rest = displacement_rest_beside(displacement_rests(span, 2, cost.value));
	free((void *)(uintptr_t)span[0].window);
	free((void *)(uintptr_t)span[1].window);
	return failed;
}

int displace_idle_set(struct displace *d, struct displace_run *run)
{
	int failed = 0;

	for (size_t i = 0; i < d->cpus && !failed; i++)
		failed = set_rate(d, i, &run->cpu[i].rest);
	complete_rates(run, &d->warnings);
	return failed;
}

size_t displace_idle_softirqd(const struct displace *d, double rate[2])
{
	size_t n = 0;

	for (size_t i = 0; i < d->idle_phases && n < 2; i++) {
		const struct idle_phase *r = &d->idle_phase[i];

		if (!around(d, i))
			continue;
		rate[n++] = r->softirqd_s / ((double)(r->to - r->from) / d->rate / 1e9);
	}
	return n;
}

double displace_idle_length(const struct displace *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->idle_phases; i++)
		if (around(d, i))
			sum += (double)(d->idle_phase[i].to - d->idle_phase[i].from) / d->rate /
			       1e9;
	return sum;
}

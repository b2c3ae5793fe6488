// SPDX-License-Identifier: GPL-3.0-or-later
/* Idle phases, in which the fluid runs alone. Those around a run give the rate of interrupts
 * without the program. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/displacement/displacement_private.h"
#include "collector/launch/launch.h"

#define LONGER	     9	 /* an idle phase may be prolonged by so many times its length */
#define LONGER_S     5.0 /* and by so many seconds */
#define IDLE_WINDOWS 16	 /* of each CPU, at least, in an idle phase */
#define IDLE_SHARE   0.2 /* minimum share of an idle phase that the fluid must have */

/* Has each CPU's fluid had enough good windows since `from`, of so many seconds' charge? */
static bool all_had_enough(struct displacement *d, uint64_t from, double enough)
{
	uint64_t to = counter_read_ordered();
	bool all = true;

	d->rate = fluid_rate(d->fluid);
	for (size_t i = 0; i < d->cpus && all; i++) {
		struct displacement_series s;
		double charged = 0;
		size_t kept = 0;

		if (displacement_windows_span(d, i, from, to, true, &s))
			return true; /* out of memory: there is nothing to wait for */
		for (size_t k = 0; k < s.count; k++) {
			charged += s.window[k].aside ? 0 : s.window[k].charged;
			kept += !s.window[k].aside;
		}
		all = kept >= IDLE_WINDOWS && charged >= enough;
		free(s.window);
	}
	return all;
}

/* Is the idle phase that began then over? Looks for that at `*end`, and puts it off. */
static bool is_over(struct displacement *d, uint64_t from, double *end, double seconds, double last)
{
	double now = displacement_now();

	if (now < *end)
		return false;
	if (d->never_enough || all_had_enough(d, from, seconds * IDLE_SHARE))
		return true;
	*end = fmin(now + seconds, last);
	d->never_enough = now >= last;
	return d->never_enough;
}

/* Measuring continues as during a run, so that its own cost is the same. */
int displacement_idle_phase(struct displacement *d, double seconds)
{
	double end = displacement_now() + seconds, last = end + fmin(LONGER * seconds, LONGER_S);
	uint64_t from = counter_read_ordered();
	struct signal_wait ending;
	int got = 0;

	displacement_switch_count(d->woken_from);
	signal_wait_begin(&ending);
	tasks_look(&d->tasks);
	tasks_mark(&d->tasks);
	while (!got && !is_over(d, from, &end, seconds, last)) {
		got = signal_wait_next(&ending, DISPLACEMENT_TICK_MS);
		displacement_sample_own(d);
		displacement_sample_ends(d);
	}
	signal_wait_end(&ending);
	tasks_look(&d->tasks);
	d->idle[0] = d->idle[1];
	d->idle[1].from = from;
	d->idle[1].to = counter_read_ordered();
	d->idle[1].softirqd_s = displacement_sample_softirqd(d);
	displacement_switch_since(d, d->idle[1].woken);
	return got;
}

/* A CPU that was busy in the idle phases takes the rate of the others. */
static void complete_rates(struct displacement_run *run, unsigned *warnings)
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
		*warnings |= n ? 0 : DISPLACEMENT_REST_UNKNOWN;
	}
}

/* The first of the idle phases around the run: the one before it, and the one after it where it was
 * made. */
static const struct idle_phase *around(const struct displacement *d)
{
	return &d->idle[d->idle[1].from >= d->to ? 0 : 1];
}

static int set_rate(struct displacement *d, size_t i, struct displacement_value *rest)
{
	struct displacement_series span[2] = {0};
	double switches = 0, charged = 0, wall = 0, woken = 0;
	int failed = 0;
	size_t k = 0;

	for (const struct idle_phase *p = around(d); p < d->idle + 2 && !failed; p++, k++) {
		woken += p->woken[i]; /* unknown in one: unknown */
		failed = displacement_windows_span(d, i, p->from, p->to, true, &span[k]);
		for (size_t n = 0; n < span[k].count; n++) {
			switches += span[k].window[n].switches;
			charged += span[k].window[n].charged;
			wall += span[k].window[n].span;
		}
	}
	d->rest_switches[i] = charged > 0 ? switches / charged : 0;
	struct displacement_value cost = displacement_switch_cost(
		d, switches, woken, wall > 0 ? woken * (1 - charged / wall) : 0);
	*rest = displacement_rest_beside(displacement_rests(span, cost.value));
	free(span[0].window);
	free(span[1].window);
	return failed;
}

int displacement_idle_set(struct displacement *d, struct displacement_run *run)
{
	int failed = 0;

	for (size_t i = 0; i < d->cpus && !failed; i++)
		failed = set_rate(d, i, &run->cpu[i].rest);
	complete_rates(run, &d->warnings);
	return failed;
}

static double length(const struct displacement *d, const struct idle_phase *p)
{
	return (double)(p->to - p->from) / d->rate / 1e9;
}

void displacement_idle_softirqd(const struct displacement *d, double rate[2])
{
	const struct idle_phase *first = around(d), *last = &d->idle[1];

	rate[0] = first->softirqd_s / length(d, first);
	rate[1] = last->softirqd_s / length(d, last);
}

double displacement_idle_length(const struct displacement *d)
{
	double sum = 0;

	for (const struct idle_phase *p = around(d); p < d->idle + 2; p++)
		sum += length(d, p);
	return sum;
}

#define LEAST_S 0.05

int cpu_load_measure(struct displacement *d, double seconds, struct cpu_load *load)
{
	d->never_enough = true; /* take no longer than asked for */
	displacement_windows_begin(d);
	int stopped = displacement_idle_phase(d, seconds);
	displacement_windows_end(d);
	usleep(DISPLACEMENT_LINGER_US);
	d->rate = fluid_rate(d->fluid);
	double wall = (double)(d->to - d->from) / d->rate / 1e9;
	if (wall < LEAST_S)
		return stopped ? stopped : -1;
	for (size_t i = 0; i < d->cpus; i++) {
		struct fluid_sums s = displacement_windows_fluid_sums(d, i);
		int cpu = fluid_cpu(d->fluid, i);

		load[i] = (struct cpu_load){
			.cpu = cpu,
			.wall = wall,
			.idle = s.progress,
			.waited = s.waited,
			.charged = s.charged,
			.interrupts = s.charged - s.progress + (d->irq_measured ? s.stolen : 0),
			.stolen = d->irq_measured ? 0 : s.stolen,
			.stat = cpu_times_since(&d->before[cpu], &d->after[cpu]),
		};
	}
	return stopped;
}

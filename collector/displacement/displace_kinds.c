// SPDX-License-Identifier: GPL-3.0-or-later
/* The two kinds of switches, and the number of each. A wake-up on the fluid's own CPU costs it some
 * tenths of a microsecond; one from another CPU takes a rescheduling interrupt, and until that
 * arrives the fluid goes on while the other task is charged: microseconds on a virtual machine, of
 * the other sign. */
#include <math.h>

#include "collector/displacement/displace_private.h"
#include "collector/machine/cpu_times.h"

/* From one measurement to the next it differs by this (root mean square), beyond the
 * error of either: a wake-up from another CPU takes as long as the host lets it. */
#define SWITCH_UNKNOWN 0.3e-6
/* And by this share of itself: beside a ping-pong over Unix sockets on two CPUs, which has no
 * softirq, it was -5.4 to -5.7 us where the measurement at the start said -6.2 to -6.8. */
#define SWITCH_OFF 0.15
/* The error if nothing was measured: 0.7 us and -7.3 us were seen on a virtual machine. */
#define SWITCH_ERROR 4e-6

void displace_kinds_measure(struct displace *d, double units_per_ns)
{
	double longest = d->options.rest_s > 0 ? fmin(DISPLACE_OPEN_S, d->options.rest_s / 2)
					       : DISPLACE_OPEN_S;
	bool several = d->cpus > 1;
	int cpu = 0;

	while (!CPU_ISSET(cpu, &d->options.cpus))
		cpu++;
	d->here = displace_switch_cost(cpu, true, units_per_ns, several ? longest / 2 : longest);
	d->away = (struct displacement_value){0, INFINITY, 1};
	if (several)
		d->away = displace_switch_cost(cpu, false, units_per_ns, longest / 2);
	d->switching_known = isfinite(d->here.error) && (!several || isfinite(d->away.error));
	if (!d->switching_known)
		d->here = d->away = (struct displacement_value){0, SWITCH_ERROR, 30};
	d->here.error = hypot(d->here.error, SWITCH_OFF * d->here.value);
	d->away.error = hypot(d->away.error, SWITCH_OFF * d->away.value);
	d->switching = displacement_switching_of(d->here, d->away, 0, 1);
	/* it varies: half a second is valid for that half second only */
	d->switching.error = hypot(d->switching.error, SWITCH_UNKNOWN);
}

void displace_kinds_count(uint64_t *count)
{
	if (cpu_times_reschedules(count, CPU_SETSIZE))
		for (size_t i = 0; i < CPU_SETSIZE; i++)
			count[i] = UINT64_MAX;
}

void displace_kinds_since(struct displace *d, double *woken)
{
	displace_kinds_count(d->woken_to);
	for (size_t i = 0; i < d->cpus; i++) {
		int cpu = fluid_cpu(d->fluid, i);
		uint64_t from = d->woken_from[cpu], to = d->woken_to[cpu];

		woken[i] = from != UINT64_MAX && to != UINT64_MAX ? (double)(to - from) : NAN;
	}
}

struct displacement_value displace_kinds_cost(const struct displace *d, double switches,
					      double interrupts, double struck)
{
	struct displacement_value cost =
		displacement_switching_on(d->here, d->away, switches, interrupts, struck);

	cost.error = hypot(cost.error, SWITCH_UNKNOWN);
	return cost;
}

/* Rescheduling interrupts of a run that switched no fluid: each takes the CPU of another task, the
 * program (which counts that) or others (which get them in proportion to their time). */
static double struck(const struct displace *d, size_t i, double wall)
{
	double others = d->other_on[i] + d->other_ended + d->own[i];

	return d->preempted + (wall > 0 ? d->woken[i] * fmin(1, others / wall) : 0);
}

void displace_kinds_set(struct displace *d)
{
	double sum = 0, error = 0, all = 0;

	for (size_t i = 0; i < d->cpus; i++) {
		struct fluid_sums s = displace_windows_fluid_sums(d, i);
		double wall = (double)(d->to - d->from) / d->rate / 1e9;

		d->cost[i] = displace_kinds_cost(d, s.switches, d->woken[i], struck(d, i, wall));
		sum += s.switches * d->cost[i].value;
		error += s.switches * d->cost[i].error;
		all += s.switches;
	}
	if (all > 0)
		d->switching = (struct displacement_value){sum / all, error / all, 30};
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Measures the load of CPUs without a program. */
#include "collector/displacement/displacement.h"

#include "collector/displacement/displacement_private.h"

#define LEAST_S 0.05

size_t cpu_load_cpus(const struct displacement *d)
{
	return d->cpus;
}

int cpu_load_measure(struct displacement *d, double seconds, struct cpu_load *load)
{
	int stopped;

	d->never_enough = true; /* take no longer than asked for */
	displacement_windows_begin(d);
	stopped = displacement_idle_phase(d, seconds);
	displacement_windows_end(d);
	displacement_windows_linger();
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

// SPDX-License-Identifier: GPL-3.0-or-later
/* How busy each CPU is, measured indirectly: what a fluid cannot get (the idle counter of
 * performance lectures), compared with what /proc/stat says. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_CPU_LOAD_H
#define SCPROF_COLLECTOR_DISPLACEMENT_CPU_LOAD_H

#include "collector/machine/cpu_times.h"
#include "collector/displacement/displace.h"

struct cpu_load {
	int cpu;
	double wall;	   /* = idle + waited + interrupts + stolen */
	double idle;	   /* the fluid's own progress */
	double waited;	   /* other tasks had the CPU, with the time that was stolen from them */
	double interrupts; /* while the fluid had it */
	double stolen;	   /* likewise, stolen time */
	double charged;	   /* to the fluid: /proc/stat has it as busy */
	struct cpu_times stat; /* differences; not known where `known` is false */
};

/* For so long, on the CPUs of `d`; load[i] is CPU i. A signal that ended it sooner, or 0; -1:
 * hardly any time has passed. */
int cpu_load_measure(struct displace *d, double seconds, struct cpu_load *load);
size_t cpu_load_cpus(const struct displace *d);

#endif

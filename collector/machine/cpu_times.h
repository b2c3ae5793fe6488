// SPDX-License-Identifier: GPL-3.0-or-later
/* What /proc/stat says of each CPU, and whether its interrupt columns mean anything.
 *
 * With CONFIG_IRQ_TIME_ACCOUNTING (and a clock that the kernel finds fast enough) irq and
 * softirq are measured and are charged to no process. Without it they are samples taken by
 * the tick: the time is in whatever process was interrupted.
 */
#ifndef SCPROF_COLLECTOR_MACHINE_CPU_TIMES_H
#define SCPROF_COLLECTOR_MACHINE_CPU_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds since boot, in steps of 1/100 s. */
struct cpu_times {
	bool known;
	double user, nice, system, idle, iowait, irq, softirq, steal;
};

/* times[i] for CPU i, i < count; those without a line are not known. -1: no /proc/stat. */
int cpu_times_read(struct cpu_times *times, size_t count);

/* From the text of /proc/stat; `hz` is its unit, sysconf(_SC_CLK_TCK). */
void cpu_times_parse(const char *text, double hz, struct cpu_times *times, size_t count);

/* to - from, field by field. */
struct cpu_times cpu_times_since(const struct cpu_times *from, const struct cpu_times *to);

double cpu_times_all(const struct cpu_times *t); /* the sum */

/* Does this kernel measure interrupt time? Its configuration says so, or, where that
 * cannot be read, a pressure file that only such kernels have, or a column that only a
 * measuring kernel fills. */
bool cpu_times_irq_measured(void);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* What the kernel accounts to each CPU, and whether its interrupt columns mean anything.
 *
 * With CONFIG_IRQ_TIME_ACCOUNTING (and a clock that the kernel finds fast enough) irq and softirq
 * are measured and are charged to no process. Without it they are samples taken by the tick: the
 * time is in whatever process was interrupted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

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

/* Does this kernel measure interrupt time? It has a pressure file that only such kernels have, or
 * fills a column that only they fill. */
bool cpu_times_irq_measured(void);

/* Stolen time of all CPUs together, and all their time; in the kernel's ticks of 1/100 s. */
struct cpu_times_steal {
	uint64_t stolen, all;
};

/* Zeros where /proc/stat cannot be read. */
struct cpu_times_steal cpu_times_steal_read(void);

/* From the first line of /proc/stat; zeros if it is not such a line. */
struct cpu_times_steal cpu_times_steal_parse(const char *line);

/* Stolen share of the CPUs' time between two readings; NAN: not known (no time has passed, or a
 * CPU went offline). */
double cpu_times_steal_share(const struct cpu_times_steal *from, const struct cpu_times_steal *to);

/* Rescheduling interrupts by CPU, since boot: what another CPU sends so that this one looks for a
 * task to run. From /proc/interrupts, which everybody may read. */

/* count[i] is for CPU i; 0 for CPUs that the file has no column for. -1: not known. */
int cpu_times_reschedules(uint64_t *count, size_t cpus);

/* From the file's text: a line of "CPU0 CPU1 ..." names the columns, and one that ends in
 * "Rescheduling interrupts" has the numbers. */
int cpu_times_parse_reschedules(FILE *file, uint64_t *count, size_t cpus);

/* CPU seconds, user and system together. */
double cpu_times_of_usage(const struct rusage *u);

// SPDX-License-Identifier: GPL-3.0-or-later
/* Rescheduling interrupts by CPU, since boot: what another CPU sends so that this one looks for a
 * task to run. From /proc/interrupts, which everybody may read. */
#ifndef SCPROF_COLLECTOR_MACHINE_RESCHEDULES_H
#define SCPROF_COLLECTOR_MACHINE_RESCHEDULES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* count[i] is for CPU i; 0 for CPUs that the file has no column for. -1: not known. */
int reschedules_read(uint64_t *count, size_t cpus);

/* From the file's text: a line of "CPU0 CPU1 ..." names the columns, and one that ends in
 * "Rescheduling interrupts" has the numbers. */
int reschedules_parse(FILE *file, uint64_t *count, size_t cpus);

#endif

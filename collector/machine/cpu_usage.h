// SPDX-License-Identifier: GPL-3.0-or-later
/* CPU time charged to all tasks together, by CPU, in ns: exact, processes that lived for a
 * millisecond included. Control groups of v1 have it (cpuacct.usage_percpu of the root
 * group, which everybody may read); v2 does not. */
#ifndef SCPROF_COLLECTOR_MACHINE_CPU_USAGE_H
#define SCPROF_COLLECTOR_MACHINE_CPU_USAGE_H

#include <stddef.h>
#include <stdint.h>

/* usage_ns[i] for CPU i, as of its last tick or switch; those it does not name are 0. -1: there
 * is no such file. In a container it may be of the container alone: the caller must hold it
 * against what he knows. */
int cpu_usage_read(uint64_t *usage_ns, size_t count);

/* From the file's text. -1: no number in it. */
int cpu_usage_parse(const char *text, uint64_t *usage_ns, size_t count);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* What the host of a virtual machine takes away, as the kernel counts it. */
#ifndef SCPROF_COLLECTOR_MACHINE_STEAL_H
#define SCPROF_COLLECTOR_MACHINE_STEAL_H

#include <stdint.h>

/* All CPUs together, in the kernel's ticks of 1/100 s. */
struct steal {
	uint64_t stolen, all;
};

/* Zeros where /proc/stat cannot be read. */
struct steal steal_read(void);

/* From the first line of /proc/stat; zeros if it is not such a line. */
struct steal steal_parse(const char *line);

/* Stolen part of the CPUs' time between two readings; NAN: not known
 * (no time has passed, or a CPU went away). */
double steal_share(const struct steal *from, const struct steal *to);

#endif

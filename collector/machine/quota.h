// SPDX-License-Identifier: GPL-3.0-or-later
/* How many CPUs' worth of time the cgroup of this process may use.
 *
 * A fluid uses all the time that it can get: it would use up a quota smaller than the set, and the
 * kernel would stop the program with it. */
#ifndef SCPROF_COLLECTOR_MACHINE_QUOTA_H
#define SCPROF_COLLECTOR_MACHINE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

/* The smallest quota on the way from this process's cgroup to the root, of both
 * hierarchies (v1: cpu.cfs_quota_us / cpu.cfs_period_us, v2: cpu.max), in CPUs; INFINITY
 * where there is none or it cannot be read. `where` gets the file. */
double quota_cpus(char *where, size_t size);

/* The same with other names for /proc/self/cgroup and /sys/fs/cgroup: for tests. */
double quota_cpus_at(const char *cgroup_file, const char *mount, char *where, size_t size);

/* How often the cgroup was stopped for having used up its quota (cpu.stat, nr_throttled),
 * of this process's own cgroup; 0 where unknown. */
uint64_t quota_throttled(void);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Which CPUs a displacement measurement uses, and what may be wrong with them.
 *
 * A set must be online and allowed to this process. What makes figures mean something else (a
 * sibling hyper-thread outside the set, receive steering to a CPU outside it) is reported as a
 * note; what makes them impossible is refused. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* A list as the kernel writes it ("0-3,8", with an optional newline). 0; -1: no such list,
 * or a number of CPU_SETSIZE or more. */
int cpus_parse(const char *list, cpu_set_t *set);

/* The same, of the set; cut off where `size` ends. */
void cpus_print(const cpu_set_t *set, char *text, size_t size);

/* The CPUs to measure on: `list`, or all that this process may use where it is NULL.
 * 0; -1 and *err: not a list, offline, not allowed, empty. */
int cpus_choose(const char *list, cpu_set_t *set, struct profile_error *err);

/* Are siblings (hyper-threads of one core) in the set, and does it split a core? No, where the
 * kernel does not say. */
void cpus_siblings(const cpu_set_t *set, bool *together, bool *split);

/* Does a CPU outside the set take receive work of an interface of this network namespace
 * (rps_cpus)? */
bool cpus_steered_away(const cpu_set_t *set);

/* Keeps the calling thread on one CPU. 0, -1. */
int cpus_pin(int cpu);

/* How many CPUs' worth of time the cgroup of this process may use. A fluid uses all the time that
 * it can get: it would use up a quota smaller than the set, and the kernel would stop the program
 * with it. */

#define CGROUP_FILE  "/proc/self/cgroup"
#define CGROUP_MOUNT "/sys/fs/cgroup"

/* The smallest quota on the way from this process's cgroup to the root, of both
 * hierarchies (v1: cpu.cfs_quota_us / cpu.cfs_period_us, v2: cpu.max), in CPUs; INFINITY
 * where there is none or it cannot be read. `where` gets the file. */
double quota_cpus(const char *cgroup_file, const char *mount, char *where, size_t size);

/* How often the cgroup was stopped for having used up its quota (cpu.stat, nr_throttled),
 * of this process's own cgroup; 0 where unknown. */
uint64_t quota_throttled(void);

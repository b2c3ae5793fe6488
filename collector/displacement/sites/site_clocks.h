// SPDX-License-Identifier: GPL-3.0-or-later
/* CPU time of the processes that write profiles, and of the set's ksoftirqd threads, by their
 * CPU clocks: time that the host of a virtual machine stole is not in them, as it is in a
 * perf counter. A thread that runs right now is behind by up to a tick of the kernel. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_CLOCKS_H
#define SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_CLOCKS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct site_clock {
	pid_t pid;
	uint64_t last_ns;
	bool softirqd, begun, gone;
};

struct site_clocks {
	struct site_clock *clock;
	size_t count, room;
};

/* Since the reading before, seconds. */
struct site_cpu_time {
	double program, softirqd;
	bool incomplete; /* a process is new, or ended: not all of its time is in it */
};

/* Finds ksoftirqd. */
void site_clocks_open(struct site_clocks *c, const cpu_set_t *cpus);
void site_clocks_close(struct site_clocks *c);

/* Unless it is there already. */
void site_clocks_add(struct site_clocks *c, pid_t pid);
struct site_cpu_time site_clocks_read(struct site_clocks *c);

#endif

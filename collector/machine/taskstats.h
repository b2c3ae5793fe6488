// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel's taskstats: of one task when asked, and of every task that ends.
 *
 * The second is what makes an account whole: processes that live for a millisecond are in
 * no other list. Both need CAP_NET_ADMIN in the first user namespace (root).
 */
#ifndef SCPROF_COLLECTOR_MACHINE_TASKSTATS_H
#define SCPROF_COLLECTOR_MACHINE_TASKSTATS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct taskstats_task {
	pid_t thread, process, parent; /* process: 0 before Linux 5.16 */
	char name[32];
	uint64_t run_ns;  /* cpu_run_virtual_total: what getrusage knows, in ns */
	uint64_t real_ns; /* cpu_run_real_total: by the kernel's time accounting */
};

struct taskstats_socket {
	int fd;
	uint16_t family;
	bool listening;	 /* to ends of tasks */
	uint64_t missed; /* times that the kernel found no room for an end */
	char why[160];	 /* it is not available; "" if it is */
};

/* 0; -1: `why` is set. Close it either way. */
int taskstats_open(struct taskstats_socket *s);

/* One thread, alive or not yet waited for. -1: unknown, or not permitted. */
int taskstats_get(struct taskstats_socket *s, pid_t thread, struct taskstats_task *task);

/* From now on the kernel keeps ends of tasks for us: of those that end on these CPUs. */
int taskstats_listen(struct taskstats_socket *s, const cpu_set_t *cpus);

/* The next end. false: none waits. Never blocks. */
bool taskstats_next(struct taskstats_socket *s, struct taskstats_task *task);

void taskstats_close(struct taskstats_socket *s);

#endif

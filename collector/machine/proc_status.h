// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers of a process or a thread, from /proc/PID/status. */
#ifndef SCPROF_COLLECTOR_MACHINE_PROC_STATUS_H
#define SCPROF_COLLECTOR_MACHINE_PROC_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_STATUS_SELF 0

/* The numbers of line `name` ("Uid", "NSpid"), of which up to `most` are kept; `base` is 10, or 16
 * for sets of bits. How many there are; 0: no such line; -1: the file cannot be read. */
int proc_status_numbers(pid_t pid, const char *name, int base, uint64_t *number, int most);

/* The first number of line `name`; `otherwise` where there is none. */
uint64_t proc_status_number(pid_t pid, const char *name, int base, uint64_t otherwise);

#endif

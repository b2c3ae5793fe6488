// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/PID/stat, whose second field is a name that may hold anything, parentheses too. */
#ifndef SCPROF_PROFILE_BASE_PROC_STAT_H
#define SCPROF_PROFILE_BASE_PROC_STAT_H

#include <sys/types.h>

#define PROC_STAT_BYTES 1024

/* Reads the file of a process, or of its thread `tid` (0: of the process). Returns the fields from
 * the third on, which is the state's letter; NULL: there is no such process or thread. */
const char *proc_stat_read(pid_t pid, pid_t tid, char text[PROC_STAT_BYTES]);

/* The field of a number, as proc(5) counts them, of what proc_stat_read returned; -1: there is
 * none. */
long long proc_stat_number(const char *fields, int number);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Groups that the scheduler shares the CPU among before it looks at classes: within a
 * group a SCHED_IDLE thread gives way to all others, between groups it does not. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_FLUID_SCHED_GROUP_H
#define SCPROF_COLLECTOR_DISPLACEMENT_FLUID_SCHED_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Is the process in another group than this one: a session's (sched_autogroup_enabled), or
 * a control group's of the cpu controller? false also where it has ended. */
bool sched_group_differs(pid_t pid);

/* The part of the text of /proc/PID/cgroup that is about the cpu controller, in `line`: its
 * own hierarchy's line, else that of v2; "" if there is neither. */
void sched_group_line(const char *cgroup, char *line, size_t size);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* A control group of its own for the fluid's threads, with cpu.idle (Linux 5.15): where this
 * process may make one, the fluid gives way to all tasks of the machine, not to those of its own
 * scheduling group alone, and the program's run queue has no fluid in it.
 *
 * That matters: a program whose two processes woke each other on one CPU used 15 % more CPU time an
 * operation beside a SCHED_IDLE thread of its own scheduling group, and as much as alone beside the
 * same thread in an idle group (docs/displacement.md). Control groups of v1 only: of v2, single
 * threads can be moved only within a subtree made for that.
 *
 * The group lies beside this process' own one (in the root group: below it), is empty but for the
 * fluid's threads, and is removed with them. Where this process was killed, the next one that makes
 * a group removes the empty folder. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct fluid_group {
	char path[256]; /* its folder; "": there is none */
};

/* By CGROUP_MOUNT and CGROUP_FILE (cpus.h). 0; -1: impossible here, and nothing was changed. */
int fluid_group_make(struct fluid_group *g, const char *mount, const char *cgroup_file);
/* Moves one thread of this process into the group. Returns 0 or -1. */
int fluid_group_join(const struct fluid_group *g, pid_t tid);
/* And out of it again, to where the group lies: a thread that another one joins should not wait
 * behind all other tasks. */
void fluid_group_leave(const struct fluid_group *g, pid_t tid);
/* Call this after its threads have ended. */
void fluid_group_remove(struct fluid_group *g);

/* Groups that the scheduler shares the CPU among before it looks at classes: within a
 * group a SCHED_IDLE thread gives way to all others, between groups it does not. */

/* Is the process in another group than this one: a session's (sched_autogroup_enabled), or
 * a control group's of the cpu controller? false also where it has ended. */
bool fluid_group_differs(pid_t pid);

/* The part of the text of /proc/PID/cgroup that is about the cpu controller, in `line`: its
 * own hierarchy's line, else that of v2; "" if there is neither. */
void fluid_group_line(const char *cgroup, char *line, size_t size);

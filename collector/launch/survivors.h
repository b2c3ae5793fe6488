// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes of the command that still run after its end: daemons, background jobs. */
#ifndef SCPROF_COLLECTOR_LAUNCH_SURVIVORS_H
#define SCPROF_COLLECTOR_LAUNCH_SURVIVORS_H

#include <stdbool.h>
#include <stddef.h>

#include "include/scprof_format.h"
#include "profile/live/run_files.h"

/* Wait until no process with a profile file in `directory` lives, or until one
 * of SIGINT, SIGQUIT, SIGTERM, SIGHUP comes on the signalfd `signals`. `tell` is called with a line
 * that names them, once, if they outlive a short grace, and again with those
 * that are left when a signal ends the waiting. How many are left. */
size_t survivors_wait(const char *directory, int signals, void (*tell)(const char *text));

/* Is there a process of the run that has no file of its own yet: a child just forked, a program
 * just replaced by exec? Without them a run would sometimes end between two programs of a shell
 * script. They are known by an environment that names `directory`, or as a pid that has left one
 * program. May stay true for ever (a static daemon), so limit the wait. */
bool survivors_may_come(const char *directory, const struct run_file *files, size_t count);

/* The lines of all readable /proc/PID/maps that contain `part`, at most 1 MB; to be freed. NULL:
 * not known. The pid in a file does not identify a child that was forked in another pid namespace;
 * that it maps its file does. */
char *survivors_mapped(const char *part);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes of the command that still run after its end: daemons, background jobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "include/scprof_format.h"
#include "profile/live/run_files.h"

/* Wait until no process with a profile file in `directory` lives, or until one of SIGINT, SIGQUIT,
 * SIGTERM, SIGHUP comes on the signalfd `signals`. `tell` is called with a line that names them,
 * once, if they outlive a short grace, and again with those that are left when a signal ends the
 * waiting, or `over`, which is asked every two seconds (NULL: nobody). Where nothing was made since
 * `newest`, /proc is not searched for processes without a file. How many are left. */
size_t survivors_wait(const char *directory, int signals, pid_t newest,
		      int (*tell)(const char *text), bool (*over)(const void *context),
		      const void *context);

/* The process or thread that was made last in our pid namespace; 0: not known. */
pid_t survivors_newest(void);

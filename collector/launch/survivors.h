// SPDX-License-Identifier: GPL-3.0-or-later
/* Processes of the command that still run after its end: daemons, background jobs. */
#pragma once

#include <stddef.h>

#include "include/scprof_format.h"
#include "profile/live/run_files.h"

/* Wait until no process with a profile file in `directory` lives, or until one
 * of SIGINT, SIGQUIT, SIGTERM, SIGHUP comes on the signalfd `signals`. `tell` is called with a line
 * that names them, once, if they outlive a short grace, and again with those
 * that are left when a signal ends the waiting. How many are left. */
size_t survivors_wait(const char *directory, int signals, int (*tell)(const char *text));

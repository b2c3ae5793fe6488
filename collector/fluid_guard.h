// SPDX-License-Identifier: GPL-3.0-or-later
/* While this process has a control group, Ctrl-C and its like remove that before they end us: where
 * nobody waits for signals (ending.h, launch.h), such as between the fluid's start and the first
 * rest, it would stay behind.
 *
 * Handlers, not a mask: exec sets them back, so that the command is started with the dispositions
 * and the mask that scprof has. Signals that are ignored or have a handler already are left alone.
 * Not against SIGKILL.
 *
 * One folder at a time: a second one is not guarded. One thread calls. */
#ifndef SCPROF_FLUID_GUARD_H
#define SCPROF_FLUID_GUARD_H

/* Before the folder is made; shorter than 256 bytes. */
void fluid_guard_begin(const char *folder);
/* After it has been removed. Nothing where another folder is guarded. */
void fluid_guard_end(const char *folder);

#endif

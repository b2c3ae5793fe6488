// SPDX-License-Identifier: GPL-3.0-or-later
/* While this process has a control group, signals such as Ctrl-C remove that before they end us:
 * where no code waits for signals (signal_wait.h, launch.h), such as between the fluid's start and
 * the first idle phase, it would stay behind.
 *
 * Handlers, not a mask: exec sets them back, so that the command is started with the dispositions
 * and the mask that scprof has. Signals that are ignored or have a handler already are left alone.
 * Against SIGKILL there is fluid_keeper.h.
 *
 * One folder at a time: a second one is not guarded. One thread calls. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_GUARD_H
#define SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_GUARD_H

/* Before the folder is made; shorter than 256 bytes. */
void fluid_guard_begin(const char *folder);
/* After it has been removed. Nothing where another folder is guarded. */
void fluid_guard_end(const char *folder);

/* Moves what is in the guarded folder to the one above, and removes it. 0; -1 and errno as of
 * rmdir: EBUSY where something is in it yet. System calls only, one thread at a time. */
int fluid_guard_remove(void);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* A process that sleeps until its maker is gone, however that ends (SIGKILL, the kernel out of
 * memory, a crash), and then removes the fluid's control group. Not before: no thread of a
 * killed process can be asked to do it.
 *
 * It has no descriptor but its end of a pipe, a session of its own, all signals blocked, and sends
 * no signal at its end; it takes no CPU time until then. If it is killed as well (a control group's
 * `kill`), an empty group is left, which the next one to make a group removes. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_KEEPER_H
#define SCPROF_COLLECTOR_DISPLACEMENT_FLUID_FLUID_KEEPER_H

/* Of the folder given to fluid_guard_begin. One at a time: there is one guard. Where no process can
 * be started there is none. */
void fluid_keeper_begin(void);

/* When the folder is gone. Waits for its end, less than a millisecond; nothing if there is none. */
void fluid_keeper_end(void);

#endif

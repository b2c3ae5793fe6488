// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a run's memory lies decides some of its speed: which of two equal programs is "faster" may
 * follow from the length of the environment alone (Mytkowicz, Diwan, Hauswirth and Sweeney 2009,
 * "Producing wrong data without doing anything obviously wrong!"). One layout is one sample,
 * however long the run. So each run that is compared gets its own (Curtsinger and Berger 2013,
 * "Stabilizer"), as far as a launcher can do it: the stack and all that lies on it, the addresses
 * of libraries, heap and stack. Code within a module stays where the linker put it. */
#ifndef SCPROF_COLLECTOR_LAUNCH_LAYOUT_H
#define SCPROF_COLLECTOR_LAUNCH_LAYOUT_H

#include <stddef.h>

/* The variable whose length is drawn, and the longest value: a page. */
#define LAYOUT_VARIABLE "SCPROF_LAYOUT"
#define LAYOUT_MOST	4096

/* For this process and those that it starts: the variable with `bytes` of padding (LAYOUT_MOST at
 * most) in the environment, and addresses that the kernel draws anew, also where the caller had
 * switched that off (setarch -R). 0, or -1: out of memory. Where the kernel refuses to change the
 * personality, addresses stay as they are. */
int layout_set(size_t bytes);

/* The same with a length from the kernel's random numbers. Call it after fork, before what is to be
 * measured is executed. */
int layout_draw(void);

#endif

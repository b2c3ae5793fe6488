// SPDX-License-Identifier: Apache-2.0
/* Asking the kernel about the calling thread: three or four system calls, 1 to 2 us. Where a thread
 * is asked for its run delay for the first time, 10 us more: the kernel makes its files first. */
#ifndef SCPROF_PRELOAD_SWITCHES_SWITCH_READING_H
#define SCPROF_PRELOAD_SWITCHES_SWITCH_READING_H

#include "preload/switches/switch_watch.h"

/* `tid` is the calling thread's; with `delay` the run delay is read, too. All is of one instant if
 * the thread was not switched meanwhile: a detector says so, or with `prove` equal counts of
 * switches before and after. False: not allowed (a sandbox), or with `prove` it was switched each
 * time. Errno is kept. Takes 600 bytes of stack. */
HIDDEN bool switch_reading_take(struct switch_reading *r, int32_t tid, bool delay, bool prove);

/* Only its clocks: one system call. */
HIDDEN bool switch_reading_take_clocks(struct switch_reading *r);

#endif

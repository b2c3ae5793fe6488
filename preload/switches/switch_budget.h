// SPDX-License-Identifier: Apache-2.0
/* Which segments and calls are read: at random, as many as 0.8 % of the thread's time allow, most
 * of them where switches are seen and some of them anywhere, and 0.4 ms more at first. Young
 * threads, which have had no time to have a share of, are read as often as 0.3 % of the process's
 * CPU time allows for all of them: there may be a thread for each request. The probability depends
 * on what happened so far, never on what is read. */
#ifndef SCPROF_PRELOAD_SWITCHES_SWITCH_BUDGET_H
#define SCPROF_PRELOAD_SWITCHES_SWITCH_BUDGET_H

#include "preload/switches/switch_watch.h"

/* A process, or a session, begins. */
HIDDEN void switch_budget_begin_process(void);

/* A thread begins. `now`, here and below: CLOCK_MONOTONIC_RAW, ns. */
HIDDEN void switch_budget_begin(struct switch_watch *w, uint64_t now);

/* A switch was seen: is the segment that begins now to be read? 1 / the probability; 0: no. */
HIDDEN uint64_t switch_budget_choose(struct switch_watch *w, uint64_t now);

/* The same where the thread may end: one that has had time is read. */
HIDDEN uint64_t switch_budget_choose_last(struct switch_watch *w, uint64_t now);

/* After how many calls the next one is read: w->countdown, on average w->period. */
HIDDEN void switch_budget_draw(struct switch_watch *w, uint64_t now);

/* The process has used so much CPU time more. */
HIDDEN void switch_budget_earn(uint64_t cpu_ns);

/* A reading took so many ns. */
HIDDEN void switch_budget_count(struct switch_watch *w, uint64_t took);

#endif

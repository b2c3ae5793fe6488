// SPDX-License-Identifier: Apache-2.0
/* The word that tells a thread of its switches. Best first:
 *
 * 1. rseq_cs of the thread's rseq area, which glibc 2.35 and later register: the kernel sets it to
 *    NULL when it has switched the thread, migrated it or delivered a signal (linux/rseq.h). It
 *    points to a descriptor in this library whose range holds no code that runs.
 * 2. `lock` in the page of a perf event of the thread (linux/perf_event.h), which the kernel raises
 *    whenever the event's thread gets a CPU.
 * 3. None: calls chosen at random are read.
 *
 * Newer kernels may leave rseq_cs alone where a thread is switched inside a system call, so neither
 * is taken on trust: switch_track.c compares it with getrusage all the time. */
#ifndef SCPROF_PRELOAD_SWITCHES_SWITCH_DETECTOR_H
#define SCPROF_PRELOAD_SWITCHES_SWITCH_DETECTOR_H

#include "preload/switches/switch_watch.h"

struct switch_choice {
	uint32_t kind;	/* enum scp_switch_detector: the best that works in this process */
	uint32_t flags; /* SCP_SWITCH_* */
	bool only;	/* asked for by name: there is no other to go on with */
	bool exact;	/* every switched call is read */
};
extern HIDDEN struct switch_choice switch_chosen;

/* What libc has, once a process: the loader is asked. */
HIDDEN void switch_detector_find(void);

/* From SCPROF_STATES and SCPROF_DETECTOR. `cpu_clock`: the clock counts CPU time. `opened_later`:
 * the threads may have filters of system calls that we have not heard of. Start-up only. */
HIDDEN void switch_detector_choose(const char *states, const char *detector, bool cpu_clock,
				   bool opened_later);

/* Give the calling thread its word, or take it away: then nothing is ever seen. Neither keeps a
 * descriptor open. */
HIDDEN void switch_detector_bind(struct switch_watch *w);
HIDDEN void switch_detector_release(struct switch_watch *w);

/* In a forked child, which has no page of its parent's events: what a handler that forked had
 * interrupted runs to its end, and sees nothing. */
HIDDEN void switch_detector_forget(struct switch_watch *w);

/* Where the calling thread has run since it was bound; -1: not known. No system call. */
HIDDEN int32_t switch_detector_cpu(const struct switch_watch *w);

/* From now on nothing has happened. */
HIDDEN void switch_detector_arm(struct switch_watch *w);

/* Add SCP_SWITCH_* flags to those of the file. */
HIDDEN void switch_detector_note(uint32_t flags);

/* It missed a switch: no thread is to use it any more, but the next one that works. */
HIDDEN void switch_detector_give_up(void);

#endif

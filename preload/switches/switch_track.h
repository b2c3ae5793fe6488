// SPDX-License-Identifier: Apache-2.0
/* Where a thread's time off its CPU goes, from switch to switch.
 *
 * A segment is the time from one event to the next; an event is a switch that was seen, at the end
 * of the call or at the end of the gap in which it happened, or a call chosen at random. At its
 * beginning a random choice says whether the kernel is asked at both its ends
 * (switch_reading_take). Its thread ran but in the one interval in which it was switched: so the
 * time off the CPU is that interval's. It is weighted by 1 / the probability of the choice, and
 * what is added up is the estimate of Horvitz and Thompson (1952). A segment without a switch
 * verifies the detector.
 *
 * All functions are for the owning thread, with its bookkeeping marked. Errno is kept. */
#pragma once

#include "preload/switches/switch_watch.h"

/* A thread begins to record, or does so again. */
HIDDEN void switch_track_start(struct switch_watch *w, int32_t tid);
/* The following return what is added to the interval that ends, valid until the next of them; NULL:
 * nothing. On a stack with too little room nothing is looked at, and nothing added. */

/* The thread ends, or may: the last segment is closed. Of the gap. */
HIDDEN const struct switch_sums *switch_track_pause(struct switch_watch *w);

/* A top-level call begins and switch_watch_is_due says so. Of the gap before it. */
HIDDEN const struct switch_sums *switch_track_begin(struct switch_watch *w);

/* A top-level call has ended and switch_watch_is_disturbed says so. Of the call: it was switched;
 * or without a detector it is one that was asked, and its count says whether it was switched. */
HIDDEN struct switch_sums *switch_track_end(struct switch_watch *w);

/* A nested one begins, or ends: has the thread been switched since the last look? */
HIDDEN void switch_track_check_inside(struct switch_watch *w);
static inline __attribute__((always_inline)) void switch_track_check(struct switch_watch *w)
{
	if (unlikely(switch_watch_has_changed(w)))
		switch_track_check_inside(w);
}

/* Of a nested one that began at `since` and ends after a look: its mark only. */
HIDDEN const struct switch_sums *switch_track_difference(struct switch_watch *w,
							 const struct switch_mark *since);

/* The word that tells a thread of its switches. Best first:
 *
 * 1. rseq_cs of the thread's rseq area, which glibc 2.35 and later register, and we with others:
 * the kernel sets it to NULL when it has switched the thread, migrated it or delivered a signal
 * (linux/rseq.h). It points to a descriptor in this library whose range holds no code that runs.
 * 2. `lock` in the page of a perf event of the thread (linux/perf_event.h), which the kernel raises
 *    whenever the event's thread gets a CPU.
 * 3. None: calls chosen at random are read.
 *
 * Newer kernels may leave rseq_cs alone where a thread is switched inside a system call, so neither
 * is taken on trust: switch_track.c compares it with getrusage all the time. */

struct switch_choice {
	uint32_t kind;	/* enum scp_switch_detector: the best that works in this process */
	uint32_t flags; /* SCP_SWITCH_* */
	bool only;	/* asked for by name: there is no other to go on with */
	bool exact;	/* every switched call is read */
};
extern HIDDEN struct switch_choice switch_chosen;

/* What libc has, once a process: the loader is asked. */
HIDDEN void switch_detector_find(void);

/* From SCPROF_STATES and SCPROF_DETECTOR. `cpu_clock`: the clock counts CPU time. Start-up only. */
HIDDEN void switch_detector_choose(const char *states, const char *detector, bool cpu_clock);

/* Give the calling thread its word, or take it away: then nothing is ever seen. Neither keeps a
 * descriptor open. */
HIDDEN void switch_detector_bind(struct switch_watch *w);
HIDDEN void switch_detector_release(struct switch_watch *w);

/* In a forked child, which has no page of its parent's events: what a handler that forked had
 * interrupted runs to its end, and sees nothing. */
HIDDEN void switch_detector_forget(struct switch_watch *w);

/* Where the calling thread has run since it was bound; -1: not known. No system call. */
HIDDEN int32_t switch_detector_cpu(const struct switch_watch *w);

/* The calling thread's program is about to register an area of its own. `w`: what the thread knows,
 * or NULL. */
HIDDEN void switch_detector_give_way(struct switch_watch *w);

/* struct rseq of linux/rseq.h. */
struct rseq_area {
	uint32_t cpu_id_start;
	int32_t cpu_id; /* negative: not registered */
	uint64_t descriptor;
};

/* An area of ours for the calling thread, which has registered none: registered, once. NULL: it
 * has another one, or may not ask. */
HIDDEN struct rseq_area *switch_area_take(void);
/* The thread ends, or is to have another one. False: it had none of ours. */
HIDDEN bool switch_area_leave(void);

/* From now on nothing has happened. */
HIDDEN void switch_detector_arm(struct switch_watch *w);

/* Add SCP_SWITCH_* flags to those of the file. */
HIDDEN void switch_detector_note(uint32_t flags);

/* It missed a switch: no thread is to use it any more, but the next one that works. */
HIDDEN void switch_detector_give_up(void);

/* Which segments and calls are read: at random, as many as 0.8 % of the thread's time allow, most
 * of them where switches are seen and some of them anywhere, and 0.4 ms more at first. Young
 * threads, which have had no time to have a share of, are read as often as 0.3 % of the process's
 * CPU time allows for all of them: there may be a thread for each request. The probability depends
 * on what happened so far, never on what is read. */

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

/* Asking the kernel about the calling thread: three or four system calls, 1 to 2 us. Where a thread
 * is asked for its run delay for the first time, 10 us more: the kernel makes its files first. */

/* `tid` is the calling thread's; with `delay` the run delay is read, too. All is of one instant if
 * the thread was not switched meanwhile: a detector says so, or with `prove` equal counts of
 * switches before and after. False: not allowed (a sandbox), or with `prove` it was switched each
 * time. Errno is kept. Takes 600 bytes of stack. */
HIDDEN bool switch_reading_take(struct switch_reading *r, int32_t tid, bool delay, bool prove);

/* Is the run delay since reading `since` too short for so many losses of the CPU, of which hardly
 * any is shorter than that? The kernel counts none of a thread that loses its CPU in a system call
 * that may sleep, as of a parent that reaps its children. */
#define SWITCH_LOST_NS 5000u
static inline bool switch_reading_lacks_delay(const struct switch_reading *r,
					      const struct switch_reading *since)
{
	return r->delay_ns <
	       since->delay_ns + SWITCH_LOST_NS * (r->involuntary - since->involuntary);
}

/* The same without being asked for its CPU time: since reading `since`, which has the run delay, it
 * had a CPU when it did not wait for one. False: it has slept since then, was switched, or lost its
 * CPU for longer than the run delay says. */
HIDDEN bool switch_reading_derive(struct switch_reading *r, int32_t tid,
				  const struct switch_reading *since);

/* Only its clocks: one system call. */
HIDDEN bool switch_reading_take_clocks(struct switch_reading *r);

/* In a vfork child, or a thread made without one's own TLS: what the kernel counts is not ours. */
HIDDEN bool switch_totals_is_anothers(const struct switch_watch *w);

/* Is CPU time to be asked for at both ends of the segment that begins? As w->asks. */
HIDDEN uint32_t switch_totals_asks(struct switch_watch *w, bool switched);

/* Take a reading, and add what passed since the last one. False: there is none. */
HIDDEN bool switch_totals_add(struct switch_watch *w, struct switch_reading *r, bool delay);

/* Where a thread begins or ends and is not read: its CPU time is known all the same. */
HIDDEN void switch_totals_add_clocks(struct switch_watch *w);

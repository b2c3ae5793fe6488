// SPDX-License-Identifier: Apache-2.0
/* Where a thread's time off its CPU goes, from switch to switch.
 *
 * A segment is the time from one event to the next; an event is a switch that was seen, at the end
 * of the call or at the end of the gap in which it happened, or a call chosen at random. At its
 * beginning a random choice says whether the kernel is asked at both its ends (switch_reading.h).
 * Its thread ran but in the one interval in which it was switched: so the time off the CPU is that
 * interval's. It is weighted by 1 / the probability of the choice, and what is added up is the
 * estimate of Horvitz and Thompson (1952). A segment without a switch verifies the detector.
 *
 * All functions are for the owning thread, with its bookkeeping marked. Errno is kept. */
#ifndef SCPROF_PRELOAD_SWITCHES_SWITCH_TRACK_H
#define SCPROF_PRELOAD_SWITCHES_SWITCH_TRACK_H

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
HIDDEN const struct switch_sums *switch_track_end(struct switch_watch *w);

/* A nested one begins, or ends: has the thread been switched since the last look? */
HIDDEN void switch_track_look_inside(struct switch_watch *w);
static inline __attribute__((always_inline)) void switch_track_look(struct switch_watch *w)
{
	if (unlikely(switch_watch_has_changed(w)))
		switch_track_look_inside(w);
}

/* Of a nested one that began at `since` and ends after a look: its mark only. */
HIDDEN const struct switch_sums *switch_track_difference(struct switch_watch *w,
							 const struct switch_mark *since);

#endif

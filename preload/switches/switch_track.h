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
/* It ends, or may: the last segment is closed. As switch_track_begin. */
HIDDEN bool switch_track_pause(struct switch_watch *w, struct switch_sums *gap);

/* A top-level call begins and switch_watch_is_due says so. True: the thread was switched since the
 * last one ended, and *gap is what that adds. */
HIDDEN bool switch_track_begin(struct switch_watch *w, struct switch_sums *gap);

/* A top-level call has ended and switch_watch_is_disturbed says so. True: it was switched, or it is
 * one that was asked without a detector (count 0: it was not switched); *off is what that adds. */
HIDDEN bool switch_track_end(struct switch_watch *w, struct switch_sums *off);

/* A nested one begins, or ends: has the thread been switched since the last look? */
HIDDEN void switch_track_look_inside(struct switch_watch *w);
static inline __attribute__((always_inline)) void switch_track_look(struct switch_watch *w)
{
	if (unlikely(*w->word != w->armed))
		switch_track_look_inside(w);
}

/* What a nested one adds that began at `since` and ends after a look: `mark` only. False: nothing.
 */
HIDDEN bool switch_track_difference(const struct switch_watch *w, const struct switch_mark *since,
				    struct switch_sums *off);

#endif

// SPDX-License-Identifier: Apache-2.0
/* Stopping and starting to record: by `scprof run` (time, a signal to it), which changes a word in
 * a page that all processes of a run map; by the program itself (scprof.h), for its process.
 *
 * Calls are recorded while both want it. What lies between a start and a stop is a window, and
 * has a number. The fast path does not look at the page: its word is among those
 * that a memo compares, so that after a change no memo matches, and the search for the path looks
 * here. While recording is stopped process_groups is GROUPS_PAUSED, and wrappers that find no
 * group of theirs look at the word. Each change makes all memos stale, so that every thread
 * learns of a new window at its next call: from its last one until then it has no gap. */
#ifndef SCPROF_PRELOAD_FILTER_CONTROL_H
#define SCPROF_PRELOAD_FILTER_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/process/process.h"
#include "include/scprof_control.h"
#include "preload/system/util.h"

struct control {
	const struct scp_control_page *page; /* NULL: none */
	uint64_t seen;			     /* its word, when last looked at */
	bool stopped, stopped_seen;	     /* by the program */
	bool used;	  /* recording was, or could be, stopped: the header says so */
	uint32_t groups;  /* process_groups while recording */
	uint32_t window;  /* number of the present or latest one */
	uint32_t windows; /* how many this process has had */
	uint32_t busy;
	uint64_t recorded_ns, base_ns; /* of this process: see control_recorded_ns */
};
extern HIDDEN struct control control;

/* From the environment. Start-up only. */
HIDDEN void control_read(void);

/* A session is over: nothing asks for stopping any more. The page's memory stays readable. */
HIDDEN void control_forget(void);

/* A process begins to record these groups; returns what process_groups is to be. */
HIDDEN uint32_t control_begin(uint32_t groups);

/* Has the page changed since the last look? */
static inline bool control_changed(void)
{
	return control.page && *(const volatile uint64_t *)&control.page->word != control.seen;
}

static inline bool control_is_recording(void)
{
	return process_groups && process_groups < GROUPS_PAUSED;
}

/* Has the page or the program asked for a change that is not settled yet? */
HIDDEN bool control_is_due(void);

/* Do what was asked for: account for the time, begin another window. Returns what process_groups is
 * to be. One thread at a time (control.busy). */
HIDDEN uint32_t control_settle(void);

/* How long this process has recorded so far; `now_ns` by clock_mono_ns. */
HIDDEN uint64_t control_recorded_ns(uint64_t now_ns);

#endif

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
#pragma once

#include "preload/process/process.h"
#include "include/scprof_control.h"
#include "preload/system/util.h"

#define CONTROL_WORDS  2u	  /* a memo compares at most */
#define CONTROL_CALLED UINT64_MAX /* wake_seen: whatever the word is */

struct control {
	const struct scp_control_page *page; /* NULL: none */
	uint64_t seen;			     /* its word, when last looked at */
	bool stopped, stopped_seen;	     /* by the program */
	struct scp_control_changes *changes; /* where that is said; NULL: nowhere */
	bool used;	  /* recording was, or could be, stopped: the header says so */
	uint32_t groups;  /* process_groups while recording */
	uint32_t window;  /* number of the present or latest one */
	uint32_t windows; /* how many this process has had */
	uint32_t busy;
	uint64_t recorded_ns, base_ns; /* of this process: see control_recorded_ns */
	bool begins_dormant; /* begun stopped, without a page: no profile until somebody asks */
	bool wakes;	     /* it did, and its calls look for orders while it is dormant */
	bool asked;	     /* while dormant: the program wants to be recorded */
	/* The word of the page that orders come by (preload/attach/wake_page.c), and who follows
	 * them; NULL: none. One thread at a time. */
	const uint64_t *wake_word;
	uint64_t wake_seen; /* when last looked at, or CONTROL_CALLED */
	void (*wake)(void);
	uint32_t wake_busy;
};
extern HIDDEN struct control control;

/* From the environment. Start-up only. */
HIDDEN void control_read(void);

/* A session is over: nothing asks for stopping any more. The page's memory stays readable. */
HIDDEN void control_forget(void);

/* A process begins to record these groups; returns what process_groups is to be. */
HIDDEN uint32_t control_begin(uint32_t groups);

/* Is there an order, or does the program ask to be recorded for the first time? */
static inline bool control_is_called(void)
{
	return control.wake_word &&
	       *(const volatile uint64_t *)control.wake_word != control.wake_seen;
}

/* The program itself starts or stops recording. */
HIDDEN void control_stop(bool stopped);

/* Has a page changed since the last look? */
static inline bool control_changed(void)
{
	return (control.page && *(const volatile uint64_t *)&control.page->word != control.seen) ||
	       control_is_called();
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

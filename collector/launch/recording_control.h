// SPDX-License-Identifier: GPL-3.0-or-later
/* When all processes of a run record: a thread of the collector that changes a word in a page which
 * they map (struct scp_control_page), at given times or at a signal to the collector. The targets
 * are sent nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct recording_plan {
	uint64_t after_ns; /* recording begins so long after the start; 0: at once */
	uint64_t for_ns;   /* and goes on for so long each time that it begins; 0: without end */
	int signal;	   /* that stops or starts it; 0: none */
	bool stopped;	   /* recording starts only by a signal, whatever after_ns says */
};

struct recording_control;

/* Create the page at `path`, which must not exist. NULL and *err on failure. */
struct recording_control *recording_control_create(const char *path,
						   const struct recording_plan *plan,
						   struct profile_error *err);

/* The command has been started: times count from now. `plan.signal` must be blocked in every thread
 * of this process. 0, or -1 with errno. */
int recording_control_begin(struct recording_control *w);

/* The schedule stops recording for the last time; a signal may still start it again. From
 * any thread, between recording_control_begin and recording_control_stop. */
void recording_control_finish(struct recording_control *w);

/* When recording stops or starts next, in ns from now; UINT64_MAX: not by the clock. *on: whether
 * it goes on now. From any thread, roughly. */
uint64_t recording_control_due(const struct recording_control *w, bool *on);

/* Was recording on at that instant of CLOCK_MONOTONIC_RAW, of the last tenths of a second? False
 * where it stopped and started a thousand times since. From any thread. */
bool recording_control_was_on(struct recording_control *w, uint64_t at_ns);

/* For how long it has gone on so far, in seconds. From any thread. */
double recording_control_recorded_s(const struct recording_control *w);

/* End the thread, remove the file, free everything. True: somebody had cut the page. */
bool recording_control_stop(struct recording_control *w);

/* Does the tool live whose page this is? Its run's directory is locked then. */
bool recording_control_tool_lives(const char *path);

/* Pure: the state of the schedule, and what changes it. Instants in ns of one clock. */
struct recording_schedule {
	struct recording_plan plan;
	bool on;
	uint64_t due_ns; /* of the next change; UINT64_MAX: none */
};
void recording_control_schedule_begin(struct recording_schedule *s,
				      const struct recording_plan *plan, uint64_t now_ns);
/* At due_ns, or at a signal. */
void recording_control_schedule_flip(struct recording_schedule *s, uint64_t now_ns);

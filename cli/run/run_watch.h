// SPDX-License-Identifier: GPL-3.0-or-later
/* Watches the measurement while the command of `scprof run` runs: shows its progress on a terminal,
 * and with --until stops it when the means are precise enough. */
#ifndef SCPROF_CLI_RUN_RUN_WATCH_H
#define SCPROF_CLI_RUN_RUN_WATCH_H

#include <stdbool.h>

#include "profile/profile.h"
#include "collector/launch/recording_control.h"

struct run_watch_wishes {
	const char *command; /* "scprof run": before the progress */
	double until;	     /* relative half width; 0: not asked for */
	double least_s;	     /* --until-least */
	const char *of;	     /* --until-of; NULL: all functions */
	bool quiet;	     /* nothing on the terminal */
	uint64_t for_ns;     /* --for; 0: none */
	bool by_the_clock;   /* --after or --for */
	bool goes_on;	     /* the command does, when the measurement is over: say so then */
};

struct run_watch;

/* `directory`: of the profiles; `w`: NULL if nothing stops or starts recording. Returns NULL where
 * there is nothing to do, or no thread for it, which was said. */
struct run_watch *run_watch_begin(const struct run_watch_wishes *wishes, const char *directory,
				  struct recording_control *w);

/* The command has ended: end the thread. Before recording_control_stop. */
void run_watch_end(struct run_watch *w);

/* After that: says whether --until was reached, and notes it in the profile. */
void run_watch_tell(const struct run_watch *w, struct profile *p);
void run_watch_free(struct run_watch *w);

#endif

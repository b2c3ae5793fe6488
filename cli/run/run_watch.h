// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof run` does while the command runs: it says how far the measurement is (on a
 * terminal), and with --until stops it when it knows enough. */
#ifndef SCPROF_CLI_RUN_RUN_WATCH_H
#define SCPROF_CLI_RUN_RUN_WATCH_H

#include <stdbool.h>

#include "profile/profile.h"
#include "collector/launch/recording_windows.h"

struct run_watch_wishes {
	double until;	   /* relative half width; 0: not wished for */
	const char *of;	   /* --until-of; NULL: all functions */
	bool quiet;	   /* nothing on the terminal */
	uint64_t for_ns;   /* --for; 0: none */
	bool by_the_clock; /* --after or --for */
};

struct run_watch;

/* `directory`: of the profiles; `w`: NULL if nothing stops or starts recording. NULL: nothing to
 * do, or (having said so) no thread for it. */
struct run_watch *run_watch_begin(const struct run_watch_wishes *wishes, const char *directory,
				  struct windows *w);

/* The command has ended: end the thread. Before recording_windows_stop. */
void run_watch_end(struct run_watch *w);

/* After that: say what became of --until, and note it in the profile. */
void run_watch_tell(const struct run_watch *w, struct profile *p);
void run_watch_free(struct run_watch *w);

#endif

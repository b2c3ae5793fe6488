// SPDX-License-Identifier: GPL-3.0-or-later
/* Two commands that are run in pairs, which of the two is first drawn anew each time. A run is
 * recorded by `scprof run` in a process of its own, with an environment size and an address layout
 * that no other run has (collector/launch/environment.h). Its standard input is empty, and its
 * standard output goes nowhere. */
#ifndef SCPROF_CLI_DIFF_DIFF_PAIRS_H
#define SCPROF_CLI_DIFF_DIFF_PAIRS_H

#include <limits.h>

#include "cli/diff/diff_options.h"
#include "stats/numerics/random.h"

struct diff_command {
	const char *side, *text; /* "BASE", what the user wrote */
	char **argv;		 /* NULL-terminated: its words, or /bin/sh -c and the text */
	char *words;		 /* private */
};

struct diff_pairs {
	const struct diff_arguments *arguments;
	struct diff_command command[2];
	struct random random;
	char *directory;   /* of the profiles; NULL: there is none */
	char *said;	   /* the file with what the latest run said */
	uint32_t pairs;	   /* profiles of each: of --live one, which the next pair overwrites */
	const char **file; /* the profiles, those of the first command first */
};

/* 0, or -1 having said why; diff_pairs_end is due either way. From here on a signal ends a run:
 * child_run_stopped. */
int diff_pairs_begin(struct diff_pairs *p, const struct diff_arguments *a);
/* Writes the profiles of a pair. 0; or -1 where a command failed, left no profile, or was stopped:
 * what is wrong was said, but for the last. */
int diff_pairs_run(struct diff_pairs *p, uint32_t pair);
/* Removes the files, too. */
void diff_pairs_end(struct diff_pairs *p);

#endif

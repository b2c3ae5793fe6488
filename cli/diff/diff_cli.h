// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof diff: its command line, the profiles that are compared, and two commands that are run in
 * pairs (--runs) until the answer is sure (--live). */
#pragma once

#include <stdint.h>

#include "report/compare/diff.h"
#include "report/compare/diff_watch.h"
#include "stats/numerics/random.h"

#define DIFF_COMMAND "scprof diff"

struct diff_arguments {
	struct diff_options options;
	const char *output; /* NULL: standard output */
	bool format_given;
	const char **file; /* BASE's first; the names are borrowed from argv */
	uint32_t files, bases;
	bool live;		    /* `file` has the two commands */
	uint32_t runs;		    /* --runs: of each of two commands; 0: files, or --live */
	char **words[2];	    /* of these commands */
	const char *only_live;	    /* an option that was given and only --live has; NULL */
	const char *only_recording; /* likewise, of those that only --live and --runs have */
	double equal;		    /* a share; 0: never stop because of it */
	uint32_t most;		    /* runs of each */
	uint64_t for_ns;	    /* 0: as long as it takes */
	const char *clock, *symbols, *groups; /* as scprof run takes them; NULL */
};

struct diff_files {
	struct profile **profile;
	uint32_t files;
	struct diff *diff;
};

/* Opens each profile on its own, as they are different runs, and compares the first `bases` with
 * the others. One that cannot be read ends it, since a verdict from fewer runs would be another
 * one; all of them are named. 0, or -1: it was said why. diff_files_free is due either way. */
int diff_files_compare(struct diff_files *f, const char *const *file, uint32_t files,
		       uint32_t bases, const struct diff_options *o);
void diff_files_free(struct diff_files *f);

/* Which of the two commands is first is drawn anew for each pair. A run is recorded by `scprof run`
 * in a process of its own, with an environment size and an address layout that no other run has
 * (collector/launch/environment.h). Its standard input is empty, and its standard output goes
 * nowhere. */

struct diff_command {
	const char *side, *text; /* "BASE", what the user wrote */
	char **argv;		 /* NULL-terminated: its words, or /bin/sh -c and the text */
	char *words, **split;	 /* private */
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

/* Reasons for its end. */
enum diff_live_end {
	DIFF_LIVE_CHANGED,
	DIFF_LIVE_EQUAL,
	DIFF_LIVE_MOST, /* runs or time: as many as were asked for */
	DIFF_LIVE_INTERRUPTED,
	DIFF_LIVE_FAILED /* it was said why */
};

struct diff_live {
	const struct diff_arguments *arguments;
	struct diff_watch watch;
	enum diff_live_end end;
	double seconds; /* in all, the pilot too */
	/* Sites that came or went, by the last pair; ""; not judged: one pair is no test. */
	struct words sides;
};

/* The exit status. */
int diff_live(const struct diff_arguments *a);

/* 0 equal or no change, 1 a change, 2 too few runs to say anything. */
int diff_live_status(const struct diff_live *l);

/* The result. 0, or -1 with errno. */
int diff_live_text(const struct diff_live *l, FILE *out);
int diff_live_json(const struct diff_live *l, FILE *out);

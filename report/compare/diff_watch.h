// SPDX-License-Identifier: GPL-3.0-or-later
/* Two programs that are run in turn until the answer is sure: pairs of runs, and after each pair a
 * verdict that holds however often one looks.
 *
 * A pair gives each site the differences of the logarithms of its mean times a call, by the views
 * of diff.h: as they are, and relative to the other sites in that pair (their weighted median, the
 * site left out), which takes away what befell the whole run. Runs of one program, the first of
 * which is drawn, are exchangeable: no change means differences that are symmetric around 0. The
 * difference between pairs is the unit, so that what varies from run to run is in the error.
 *
 * A row's e-value is the weighted mean of its tests' (sequential.h), which is one, too, whatever
 * the dependence of the tests; over rows e-BH. A first pair is the pilot: it only says which sites
 * and views there are, so that their choice does not depend on what is tested.
 *
 * Single-threaded. */
#pragma once

#include "report/compare/diff.h"
#include "report/containers/string_index.h"
#include "stats/sequential/sequential.h"

/* Pairs at which the limits are to be narrowest. */
#define DIFF_WATCH_TUNED 10
/* Sites of this share of the time or more are worth a verdict: all of them must be equal for two
 * programs to be so. */
#define DIFF_WATCH_WORTH 0.01
/* Sites that are watched: those with the most time. */
#define DIFF_WATCH_MOST 1000

struct diff_watch_row {
	/* NULL, and no frames: the row is the whole run, by DIFF_MEAN its elapsed time and by
	 * DIFF_UNSWITCHED its CPU time. */
	const char *symbol, *library, *outcome; /* the pilot's */
	char **frame; /* lines for people, innermost first, not yet clean */
	uint32_t frames;
	bool waiting, worth;
	double share;	 /* of the time in the pilot */
	double calls[2]; /* of all pairs, base and new */
	bool planned[DIFF_VIEWS][DIFF_AGAINSTS];
	struct sequential seen[DIFF_VIEWS][DIFF_AGAINSTS];
	double e;
	bool found;
	/* The test that is shown, and its ratio of new to base with limits: where a change was
	 * found, at the rate of e-BH, or else at the confidence asked for. */
	enum diff_view view;
	enum diff_against against;
	double ratio, low, high;
	bool equal; /* within the limits asked for */
};

struct diff_watch {
	double confidence, equal; /* equal: a share; 0: not asked for */
	struct diff_watch_row *row;
	uint32_t rows;		  /* the whole run first */
	struct string_index keys; /* private: of rows from the second on, then of other sites */
	uint32_t left_out; /* sites on both sides beyond DIFF_WATCH_MOST, or with too few calls */
	uint32_t pairs;	   /* without the pilot */
	uint32_t found;
	bool all_equal; /* all rows worth a verdict; none was found to change */
	bool known;	/* of some row there are limits */
};

/* What a run took, of all its processes; NAN: not known. */
struct diff_watch_run {
	double elapsed_ns, cpu_ns;
};
struct diff_watch_run diff_watch_run_of(const struct profile *p);
/* The rows, from a pair that outlives them, BASE's profile and NEW's. -1: out of memory. */
int diff_watch_begin(struct diff_watch *w, const struct diff *pilot,
		     const struct diff_watch_run run[2]);
/* A further pair, and the verdict with it. -1: out of memory. */
int diff_watch_add(struct diff_watch *w, const struct diff *pair,
		   const struct diff_watch_run run[2]);
void diff_watch_free(struct diff_watch *w);

/* The quantity that decides whether a row is equal: CPU time where it is known. */
enum diff_view diff_watch_main_view(const struct diff_watch_row *r);

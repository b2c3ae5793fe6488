// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof diff --live: two commands run in turn until the answer is sure. */
#ifndef SCPROF_CLI_DIFF_DIFF_LIVE_H
#define SCPROF_CLI_DIFF_DIFF_LIVE_H

#include "cli/diff/diff_options.h"
#include "report/compare/diff_watch.h"

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
	/* Sites that came or went, by the last pair; ""; not judged: one pair of runs is no test.
	 */
	char sides[DIFF_WORDS];
};

/* The exit status. */
int diff_live(const struct diff_arguments *a);

/* 0 equal or no change, 1 a change, 2 too few runs to say anything. */
int diff_live_status(const struct diff_live *l);

/* The result. 0, or -1 with errno. */
int diff_live_text(const struct diff_live *l, FILE *out);
int diff_live_json(const struct diff_live *l, FILE *out);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan --tick T --mean T`: what a planned measurement needs. */
#ifndef SCPROF_CLI_PLAN_PLAN_AHEAD_H
#define SCPROF_CLI_PLAN_PLAN_AHEAD_H

#include <stdbool.h>

#include "cli/plan/plan_options.h"

/* Numbers of calls are whole, at least 1. What does not apply is NAN. */
struct plan_ahead {
	double calls;	      /* the answer */
	const char *method;   /* of it: "beilner-14a", "beilner-14b", "danzig-melvin-4",
				 "clopper-pearson" */
	const char *equation; /* the same for people */
	double error_ns;      /* half the total width asked for */

	double normal_calls; /* by the normal approximation */
	double rare;	     /* calls among those with the rarer of two tick counts */
	double bound_calls;  /* by (10b), mean of a tick or more */
	double page_calls;   /* on the page clock, where its irregular ticks matter */
	double ticks;	     /* expected in `calls` */

	double duration_ns;	   /* of `calls` of the longest */
	double longest_width;	   /* total, relative, that the longest reaches */
	double longest_confidence; /* of the longest at the precision asked for */
};

/* With fewer calls that have the rarer tick count the plan uses exact limits, as scprof's intervals
 * do (stats.h). */
#define PLAN_EXACT_BELOW 100
/* With fewer the normal approximation is not valid at all. */
#define PLAN_NORMAL_FAILS 10

struct plan_ahead plan_ahead_compute(const struct plan_options *o);

/* On standard output. 0, or -1: out of memory; errors of the stream stay in it. */
int plan_ahead_print(const struct plan_options *o, const struct plan_ahead *a);
int plan_ahead_json(const struct plan_options *o, const struct plan_ahead *a);

/* Why the numbers may be wrong, one reason a call from *at = 0 on: returns its code, and `text`
 * gets its text. NULL: no more. */
const char *plan_ahead_remark(const struct plan_options *o, const struct plan_ahead *a,
			      unsigned *at, char *text, size_t room);

#endif

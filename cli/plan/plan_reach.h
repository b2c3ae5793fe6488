// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan --tick T --mean T --calls N`: how precise a measurement of N calls is; the inverse
 * of plan_ahead.h. */
#ifndef SCPROF_CLI_PLAN_PLAN_REACH_H
#define SCPROF_CLI_PLAN_PLAN_REACH_H

#include "cli/plan/plan_options.h"

/* Half widths of the interval, nanoseconds; what does not apply is NAN. */
struct plan_reach {
	double half_ns;	      /* the answer */
	const char *method;   /* of it: "beilner-13", "clopper-pearson" */
	const char *equation; /* the same for people */
	double normal_ns;     /* by the normal approximation */
	double rare;	      /* calls with the rarer of two tick counts */
	double bound_ns;      /* by (10b), mean of a tick or more */
	double page_ns;	      /* on the page clock, where its irregular ticks matter */
	double row_ns;	      /* of contiguous calls of one length, by (10d) */
	double longest_ns;    /* of the longest operation */
	double ticks;	      /* expected */
};

struct plan_reach plan_reach_compute(const struct plan_options *o);

/* On standard output. 0, or -1: out of memory; errors of the stream stay in it. */
int plan_reach_print(const struct plan_options *o, const struct plan_reach *r);
int plan_reach_json(const struct plan_options *o, const struct plan_reach *r);

#endif

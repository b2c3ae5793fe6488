// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan --change P PROFILE`: how many calls a side needs until `scprof diff` finds a
 * change of P at any one site. */
#ifndef SCPROF_CLI_PLAN_PLAN_CHANGE_H
#define SCPROF_CLI_PLAN_PLAN_CHANGE_H

#include "cli/plan/plan_options.h"
#include "profile/profile.h"
#include "report/compare/diff.h"

struct plan_change_need {
	double now;   /* change that would be found now, as a ratio above 1; NAN: none */
	double calls; /* needed in each run; INFINITY: no number; NAN: not known */
};

/* By enum diff_quantity: of elapsed time, and of the CPU time of calls that are not switched. */
struct plan_change_site {
	uint32_t site; /* index into the diff */
	struct plan_change_need need[DIFF_QUANTITIES];
};

struct plan_change_sum {
	uint32_t within, never, unknown; /* sites; within: forecast or reached */
	double factor;			 /* so many times as long as now */
};

/* The profile is compared with itself: this has the standard errors of two such runs, but not the
 * run-to-run variation. */
struct plan_change {
	const struct profile *both[2]; /* which the diff borrows: not to be copied */
	struct diff *diff;
	struct plan_change_site *site;
	uint32_t sites;
	bool states; /* of some site's calls it is known which were switched */
	struct plan_change_sum sum[DIFF_QUANTITIES];
	double calls; /* of all kinds, now */
};

/* 0, or -1: out of memory. plan_change_end either way. */
int plan_change_build(struct plan_change *p, const struct profile *profile,
		      const struct plan_options *o);
void plan_change_end(struct plan_change *p);

/* On standard output. 0, or -1: out of memory; errors of the stream stay in it. */
int plan_change_print(const struct plan_change *p, const struct plan_options *o);
int plan_change_json(const struct plan_change *p, const struct plan_options *o);

#endif

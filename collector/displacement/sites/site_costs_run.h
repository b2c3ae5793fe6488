// SPDX-License-Identifier: GPL-3.0-or-later
/* From a run's windows and counts to what a call at each site costs
 * (stats/regression/site_costs.h), put into the profile's model.
 *
 * A site is what the report's default grouping makes one row: call path, function and
 * outcome. Windows are joined to spans of SITE_COSTS_SPAN_S: work that a call causes may
 * come a little later (an acknowledgement, a wakeup), and of a longer span less crosses its
 * edges. What the fluid of each CPU lost is UNCHARGED; what ksoftirqd was charged besides
 * what it takes without calls is, too; TRUE has the program's CPU time besides.
 */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_COSTS_RUN_H
#define SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_COSTS_RUN_H

#include "collector/displacement/displace.h"
#include "profile/profile.h"
#include "collector/displacement/sites/site_dither.h"
#include "collector/displacement/sites/site_samples.h"
#include "stats/regression/site_costs.h"

#define SITE_COSTS_SPAN_S 0.04

/* A summary of the regression, for reports. */
struct site_costs_result {
	size_t sites, known; /* of the profile; with a number */
	size_t spans;	     /* of the series that has the fewest */
	double kept;	     /* share of the windows */
	double busy;	     /* of the CPU that other tasks used most: their share of its time */
	double intercept, intercept_error; /* unaccounted seconds a second that depend on no call */
	size_t missed;			   /* entries and files that were not read */
	double edges_s, ticks_s;     /* CPU time that reading took: between windows, at ticks */
	struct undithered_gain gain; /* with a dither: what it brought */
};

/* After displace_account_finish and site_samples_end; `p` as gathered from files of the directory
 * `profiles`, before anything is folded. `dither`: NULL without. 0; -1: out of memory. */
int site_costs_run(const struct displace *d, const struct displace_run *run,
		   const struct site_samples *samples, const struct site_dither *dither,
		   const char *profiles, struct profile *p, struct site_costs_result *told);

#endif

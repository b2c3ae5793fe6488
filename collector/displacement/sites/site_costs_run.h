// SPDX-License-Identifier: GPL-3.0-or-later
/* From a run's windows and counts to what a call at each site costs
 * (stats/regression/site_costs.h), put into the profile's model.
 *
 * A site is what the report's default grouping makes one row: call path, function and outcome.
 * Windows are joined to spans of SITE_COSTS_SPAN_S: work that a call causes may come a little later
 * (an acknowledgement, a wakeup), and of a longer span less crosses its edges. What the fluid of
 * each CPU lost is UNCHARGED; what ksoftirqd was charged besides what it takes without calls is,
 * too; TRUE has the program's CPU time besides. */
#pragma once

#include "collector/displacement/displacement.h"
#include "collector/displacement/sites/site_dither.h"
#include "collector/displacement/sites/site_samples.h"
#include "stats/regression/site_costs.h"

/* The site that an entry belongs to: of those of the profile's model, and those that were read
 * while the run lasted. */

#define SITE_INDEX_NONE SIZE_MAX

/* Entries of one call path, function and outcome. */
struct site {
	uint32_t entry; /* the first of them */
	uint64_t units;
	size_t rank; /* by time, the longest is 0 */
};

struct site_index {
	const struct profile *profile;
	const struct site_samples *samples;
	const char *profiles; /* the directory */
	struct site *site;
	size_t sites, used; /* used: by rank, as many as one regression chooses from */
	size_t *site_of;    /* model entry -> site */
	size_t *rank_of;    /* sampled entry -> rank of its site, or SITE_INDEX_NONE */
};

/* `missed`: files and entries that were not read, or that are not in the model. 0; -1: out of
 * memory. The arrays are the caller's to free in any case. */
int site_index_make(struct site_index *x, size_t *missed);

#define SITE_COSTS_SPAN_S 0.04

/* A summary of the regression, for reports. */
struct site_costs_result {
	size_t sites, known; /* of the profile; with a number */
	size_t spans;	     /* of the series that has the fewest */
	double kept;	     /* share of the windows */
	double busy;	     /* of the CPU that other tasks used most: their share of its time */
	double intercept, intercept_error; /* uncharged seconds a second that depend on no call */
	size_t missed;			   /* entries and files that were not read */
};

/* After displacement_account_finish and site_samples_end; `p` as gathered from files of the
 * directory `profiles`, before anything is folded. `dither`: NULL without. 0; -1: out of memory. */
int site_costs_run(const struct displacement_run *run, const struct site_samples *samples,
		   const struct site_dither *dither, const char *profiles, struct profile *p,
		   struct site_costs_result *told);

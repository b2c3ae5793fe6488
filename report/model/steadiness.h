// SPDX-License-Identifier: GPL-3.0-or-later
/* Is the mean of a site one number? Warm-up is found entry by entry, because each thread
 * warms up on its own and only an entry's batches lie in order of time. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_STEADINESS_H
#define SCPROF_REPORT_MODEL_STEADINESS_H

#include "profile/profile.h"
#include "report/report.h"
#include "stats/mean/mean_interval.h"
#include "stats/stationarity/drift.h"

/* Of the entries of one site, added one by one; starts as all zeros. */
struct steadiness {
	bool mean_only; /* the caller needs no drift, which costs as much to find as the warm-up */
	/* The calls that the mean is of: those after the warm-up, or all. No histogram,
	 * phases or line, which know of no batches. */
	struct prof_sums rest;
	uint64_t warmup_calls, warmup_units;
	uint64_t next_calls, next_units; /* of `rest`, as many as were set aside: its first */
	uint64_t largest_units;		 /* of the entry whose drift is kept */
	struct drift drift;
	double drift_at; /* share of that entry's calls before the step */
};

/* Add the sums of one entry. `ordered`: its batches lie in order of time (not so where
 * processes were folded into one). `include`: leave the warm-up in the mean.
 * -1: out of memory. */
int steadiness_add(struct steadiness *to, const struct prof_sums *s, bool ordered, bool include);
void steadiness_clear(struct steadiness *s);

/* The interval of the mean of `rest`, the cut being an estimate. */
void steadiness_widen(struct mean_interval *e, const struct steadiness *s);

/* The part of a report's site. To be called when its estimate, overhead and total are known. */
void steadiness_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		     const struct steadiness *steady);

/* Its notes, enum report_finding or-ed. */
unsigned steadiness_findings(const struct report_site *s);

#endif

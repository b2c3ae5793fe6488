// SPDX-License-Identifier: GPL-3.0-or-later
/* The sums of a row's entries, and which of its calls the mean is of. Reports and live views share
 * this rule, so that they agree about the same calls. */
#ifndef SCPROF_REPORT_MODEL_SITE_SUMS_H
#define SCPROF_REPORT_MODEL_SITE_SUMS_H

#include "report/model/steadiness.h"

/* Starts as all zeros. */
struct site_sums {
	struct prof_sums sums;	  /* of all calls */
	struct steadiness steady; /* steady.rest: of those that the mean is of */
	struct prof_phase phase;  /* of the entry with most samples of them: */
	uint64_t phases;
};

/* Batches of processes that were folded into one lie one behind the other: then they are not in
 * order of time. */
bool site_sums_in_order(const struct profile *p, const struct prof_entry *e);

/* Add an entry's sums. `ordered` and `include` as for steadiness_add. -1: out of memory. */
int site_sums_add(struct site_sums *w, const struct prof_sums *s, bool ordered, bool include);

/* After the last entry. */
void site_sums_settle(struct site_sums *w);

void site_sums_clear(struct site_sums *w);

/* The mean of a settled row's calls, warm-up excluded unless it was included. As measured: not
 * compensated yet. */
struct mean_interval site_sums_mean(const struct prof_clock *clock, const struct prof_sums *sums,
				    const struct prof_sums *rest, double confidence);

#endif

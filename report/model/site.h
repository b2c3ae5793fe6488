// SPDX-License-Identifier: GPL-3.0-or-later
/* From the sums of a site's calls to its row of a report. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_SITE_H
#define SCPROF_REPORT_MODEL_SITE_H

#include "report/model/steadiness.h"

/* Everything but its function, outcome and path, which the grouping knows, and its share.
 * The mean is that of steady->rest, all else that of `sums`, all calls.
 * Notes in the report whether calls are synchronous with the clock's tick. */
void site_fill(struct report *r, struct report_site *s, const struct prof_sums *sums,
	       const struct steadiness *steady);

/* The mean, the total and what makes them unreliable; nothing else is in `sums`. */
void site_fill_mean(struct report *r, struct report_site *s, const struct prof_sums *sums,
		    const struct steadiness *steady);

/* Compensated total time of calls with these sums. */
double site_total_ns(const struct report *r, const struct prof_sums *sums);

/* So few calls, of which so little is known, that there are no reliability warnings. */
bool site_is_plain(const struct prof_sums *sums);

/* The row of a function's calls that found no room in the profile: without it totals would lack
 * their time. */
void site_fill_overflow(const struct report *r, struct report_site *s, uint32_t function);

#endif

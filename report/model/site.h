// SPDX-License-Identifier: GPL-3.0-or-later
/* From the sums of a site's calls to what a report says of it; private to report/. */
#ifndef SCPROF_REPORT_MODEL_SITE_H
#define SCPROF_REPORT_MODEL_SITE_H

#include "report/model/steadiness.h"

/* Everything but its function, outcome and path, which the grouping knows, and its share.
 * The mean is that of steady->rest, all else that of `sums`, all calls.
 * Notes in the report whether calls keep step with the clock. */
void site_fill(struct report *r, struct report_site *s, const struct prof_sums *sums,
	       const struct steadiness *steady);

/* Of calls whose sums are these. */
double site_total_ns(const struct report *r, const struct prof_sums *sums);

/* So few calls, of which so little is known, that there are neither reliability warnings nor
 * findings. */
bool site_is_plain(const struct prof_sums *sums);

/* Calls that found no room still took time: a row a function keeps the totals right. */
void site_fill_overflow(const struct report *r, struct report_site *s, uint32_t function);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* What a call costs by displacement, from the profile into the report; private to report/. */
#ifndef SCPROF_REPORT_MODEL_DISPLACED_H
#define SCPROF_REPORT_MODEL_DISPLACED_H

#include "report/report.h"

void displaced_fill(const struct report *r, struct report_site *s,
		    const struct prof_site_cost *cost);

/* Once all sites are filled: which uncharged costs are significant among so many tests, and what
 * calls cost with what they were charged. -1: out of memory. */
int displaced_judge(struct report *r);

/* Does the profile contain costs at all? */
bool displaced_has_costs(const struct profile *p);

/* Has any kept site a cost, or a reason why it has none? */
bool displaced_any(const struct report *r);

/* The next site after `from` (PROF_NONE: the first) that shares the cost of site `of`; r->sites:
 * none. */
uint32_t displaced_partner(const struct report *r, uint32_t of, uint32_t from);

/* "rare", "steady", "too-few-windows"; "known"; "inseparable", of what it would be without dither.
 */
const char *displaced_state_name(uint32_t state);

void displaced_warn(struct report *r);

#endif

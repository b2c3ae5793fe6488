// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of a live row's calls went: the sums of its entries, and what they say. Pure
 * functions. */
#ifndef SCPROF_REPORT_LIVE_ROW_STATES_H
#define SCPROF_REPORT_LIVE_ROW_STATES_H

#include "profile/live/live.h"

/* Of entries that are added up. */
struct row_sums_states {
	double calls, units;	       /* of which it is known whether they were switched */
	double kept_calls, kept_units; /* of calls that kept their CPU; sampled: of those asked */
	double known, weighted, runnable_ns, asleep_ns;
	bool unknown; /* of some calls it is not */
};

/* Shares of the calls' time; NAN: not known. */
struct row_states {
	double on_cpu, runnable, asleep;
	double kept_ns; /* mean of the calls that kept their CPU, as measured */
};

/* `detector`: of the entry in the model, for an entry without a record. */
void row_states_add(struct row_sums_states *to, const struct prof_reading *r, uint32_t detector);

/* Of some calls by those of them that were read, or else by those of `all` that were. */
struct row_states row_states_of(const struct row_sums_states *some,
				const struct row_sums_states *all, double ns_per_unit);

#endif

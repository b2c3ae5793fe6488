// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of a row's calls went: on a CPU, runnable, asleep. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_STATES_H
#define SCPROF_REPORT_MODEL_STATES_H

#include "report/report.h"
#include "stats/mean/states.h"

/* Before the sites: the share stolen, and its error. */
void states_find_stolen(struct report *r);

/* Of all threads of a profile; NAN: nothing was read. */
struct states_shared {
	double stolen_share;		       /* of the time on a CPU: what the host stole */
	double others_runnable, others_asleep; /* off it in a segment of 1 ns, over all calls */
};
struct states_shared states_find_shared(const struct profile *p);

/* What the estimators get of a row's calls; arguments as below. It points into them. false: where
 * their time went is not known. */
bool states_sample(const struct prof_clock *c, const struct prof_sums *sums,
		   const struct prof_sums *rest, const struct states_shared *shared,
		   struct states_sample *to);

/* The histogram of the calls that kept their CPU. Single buckets may be off by a call that was
 * counted meanwhile. `switched` NULL: none was. */
void states_subtract_switched(const struct prof_hist *all, const struct prof_hist *switched,
			      uint64_t *count);

/* Of a site whose mean and percentiles are filled. `rest`: the calls that the mean is of; `sums`:
 * all. */
void states_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		 const struct prof_sums *rest);

/* Asleep time that was stolen rather, as a share of it. */
double states_asleep_stolen(double stolen_share, const struct scp_off_cpu *o);

/* Is it known of any site? */
bool states_any(const struct report *r);

/* Reliability warnings of any of its intervals. */
unsigned states_doubts(const struct report_states *t);

/* After the bars: which of their calls were switched. */
void states_fill_bars(struct report_site *s, const struct prof_sums *sums);

/* Are the two modes of a row the calls that kept their CPU and those that did not? */
bool states_explain_modes(const struct report_site *s);

#endif

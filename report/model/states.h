// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of a row's calls went: on a CPU, runnable, asleep. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_STATES_H
#define SCPROF_REPORT_MODEL_STATES_H

#include "report/report.h"

/* Before the sites: the share stolen, and its error. */
void states_find_stolen(struct report *r);

/* Of a site whose mean and percentiles are filled. `rest`: the calls that the mean is of; `sums`:
 * all. */
void states_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		 const struct prof_sums *rest);

/* What part of the threads' time on a CPU the host stole; NAN: not known. */
double states_stolen_share(const struct profile *p);

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

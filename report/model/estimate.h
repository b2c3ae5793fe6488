// SPDX-License-Identifier: GPL-3.0-or-later
/* From sums in clock units to means in nanoseconds; private to report/. */
#ifndef SCPROF_REPORT_MODEL_ESTIMATE_H
#define SCPROF_REPORT_MODEL_ESTIMATE_H

#include "stats/histogram/tail.h"
#include "stats/mean/mean_interval.h"
#include "stats/regression/line.h"
#include "report/report.h"

/* Durations on one clock. `min` is 0 where it was not kept, which is safe. */
struct estimate_sums {
	uint64_t calls, units, min, max;
	prof_u128 units_sq;
	const struct prof_batches *batches; /* NULL: none */
	const struct prof_phase *phase;	    /* NULL: none */
	const struct prof_apart *apart;	    /* unbatched calls; NULL: they are one group */
	const struct prof_hist *hist;	    /* NULL: none */
	bool slow;			    /* of that, the slow clock's part */
};

/* What the rule of the mean gets of a row's calls on its clock: those of `rest`, with the phases of
 * `sums`, and with its tail where no warm-up is in that. It points into both. */
struct stats_sample estimate_sample(const struct prof_clock *c, const struct prof_sums *sums,
				    const struct prof_sums *rest);

struct mean_interval estimate_mean(const struct prof_clock *c, const struct estimate_sums *s,
				   double confidence);

/* What the wrapper adds on a clock. */
struct report_overhead estimate_overhead(const struct prof_clock *c);

/* The mean overhead of calls that went these ways; *o where that is not known. */
struct report_overhead estimate_overhead_of_ways(const struct report_overhead *o,
						 const uint64_t way_calls[SCP_WAYS]);

/* The mean overhead of calls with these sums: their nested calls' overhead is in inside_ns, and
 * its uncertainty in the error. */
struct report_overhead estimate_overhead_around(const struct report_overhead *o,
						const struct prof_sums *s);

/* Subtract the overhead from a mean and its interval; the error of the overhead, assumed to be
 * normal, widens the interval on both sides. */
void estimate_compensate(struct mean_interval *e, const struct report_overhead *o,
			 double confidence);

/* Half the width of an interval, widened by the error of what was subtracted, as above. */
double estimate_widen(double half_width, double error, double confidence);

/* The straight line of time on size, in clock units, from the batches; -1 where sizes do
 * not vary or were not kept by batches. */
int estimate_line(const struct prof_sums *s, struct stats_line_fit *fit, double confidence);

/* A single duration of a site, compensated: the call's own overhead is subtracted, and in
 * proportion to its length that of the nested calls, of which only the sum is known.
 * estimate_scale is the factor that the latter leaves. */
double estimate_compensate_call(const struct report_site *s, double raw_ns);
double estimate_scale(const struct report_site *s);

/* How calls beyond a percentile depend on each other; it points into `sums`. */
struct stats_tail estimate_tail(const struct prof_sums *sums);

#endif

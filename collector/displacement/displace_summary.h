// SPDX-License-Identifier: GPL-3.0-or-later
/* Several runs of one command, combined: what the report prints. Seconds a run. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_DISPLACE_SUMMARY_H
#define SCPROF_COLLECTOR_DISPLACEMENT_DISPLACE_SUMMARY_H

#include "collector/displacement/displace.h"

/* A mean with its limits. Where they cannot be determined they are infinite, and it is NAN. */
struct displace_mean {
	double mean, low, high;
};

struct displace_summary {
	const struct displace_run *run;
	size_t runs, disturbed; /* runs of which nothing could be said: not in the means below */
	double confidence;
	struct displacement_value switching; /* a switch */
	struct displace_mean displaced, lost;
	double share, share_low, share_high; /* lost / rusage */
	/* displace_run's: `hidden` is in the upper limits above, and `bound` is of any run */
	double hidden;
	bool bound;
	double elapsed, program, softirqd, by_account;
	double struck_others; /* NAN unless something was lost, and it is known for all runs */
	struct displace_accounting accounting; /* means; NAN where a run lacked it */
	size_t clocked;		       /* runs with perf's task-clock, of which its mean is */
	struct displace_cpu *cpu, all; /* means */
	size_t cpus;
	struct displace_task *task; /* means, longest first */
	size_t tasks;
	size_t windows, kept;
	/* of any run; "disturbed" and "short" only where all are, or where the interval of what
	 * is lost lies below 0: interrupts take no negative time, so the means are unknown then */
	unsigned warnings;
	enum displace_verdict {
		DISPLACE_NOTHING_SAID, /* no interval */
		DISPLACE_ALL_CHARGED,  /* the interval of what is lost includes 0 */
		DISPLACE_LOST	       /* it lies above */
	} verdict;
};

/* `run` must stay. 0; -1: out of memory. runs > 0. */
int displace_summary_make(struct displace_summary *s, const struct displace_run *run, size_t runs,
			  double confidence, struct displacement_value switching);
/* Whether a run's `lost` can be: its upper limit is not below 0. */
bool displace_summary_is_possible(struct displacement_value lost, double confidence);
/* The limits of v at `confidence`; above them is what may be hidden. */
struct displace_mean displace_summary_mean(struct displacement_value v, double confidence,
					   double hidden);
void displace_summary_free(struct displace_summary *s);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The results of a bench, from its replications: nanoseconds a call.
 *
 * Each replication gives one compensated value, its loop less the empty loop beside it, over the
 * calls. The interval is Student's t on those values, so the uncertainty of the empty loop is in
 * it, and what both loops share cancels out. The compensated mean of a very short call may be
 * negative; it is not clamped. */
#pragma once

#include "collector/bench/bench.h"
#include "stats/mean/replications.h"

/* A disturbed replication: above the outer fence of its kind. It stays in the mean. */
struct bench_outlier {
	uint32_t replication; /* from 0 */
	bool empty;	      /* the empty loop's, which makes the compensated value too small */
	double at_s;	      /* since the first replication began */
	double ns;	      /* a call, nothing subtracted */
	double factor;	      /* times the median of its kind */
	uint32_t switches;    /* times that the subject lost its CPU unasked */
};

#define BENCH_WARNINGS 6

struct bench_warning {
	const char *code; /* static text */
	char text[240];
};

struct bench_summary_options {
	double confidence, epsilon;
	uint32_t k;
};

struct bench_summary {
	bool subtracted; /* the empty loop: of a function, not of a command, which has none */
	uint64_t calls, warmup_calls;
	double first_ns, first_factor; /* the first call, and how many times the mean */
	struct replications_mean mean; /* the answer: compensated if `subtracted` */
	struct replications_mean raw, empty;
	struct replications_mean undisturbed; /* as `mean`, without the outliers */
	double best_ns;			      /* K-best: compensated if `subtracted` */
	struct kbest best, best_empty;
	double fence_ns, median_ns, empty_fence_ns, empty_median_ns;
	struct replications_drift drift; /* of the subject's loops */
	double dependence;		 /* of the values that `mean` is made of */
	double stolen;			 /* share of all CPUs' time; NAN: not known */
	double took_s;
	uint32_t replications, outliers, disturbed; /* disturbed: replications with outliers */
	uint32_t preempted;	       /* replications in which the subject lost its CPU unasked */
	struct bench_outlier *outlier; /* the subject's, then the empty loop's */
	double *subject_ns, *empty_ns, *value_ns; /* by replication */
	struct bench_warning warning[BENCH_WARNINGS];
	uint32_t warnings;
};

/* 0, or -1: no memory, nothing to free. */
int bench_summary_make(struct bench_summary *s, const struct bench_plan *plan,
		       const struct bench_record *record,
		       const struct bench_summary_options *wishes);
void bench_summary_free(struct bench_summary *s);

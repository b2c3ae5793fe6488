// SPDX-License-Identifier: GPL-3.0-or-later
/* What a wrapped call adds, combined over measurements; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_OVERHEAD_H
#define SCPROF_PROFILE_MODEL_OVERHEAD_H

#include "profile/profile.h"

/* A quantity's weighted sums: of the measured values, and of value^2 + error^2. */
struct overhead_moments {
	double value, square;
};

/* Measurements, each weighted by the calls that it stands for. Adding is associative:
 * a merged file weighs what its parts did. */
struct overhead_sum {
	double weight;
	uint64_t rounds;
	uint32_t measurements;
	struct overhead_moments inside[2], outside[2]; /* picoseconds; SCP_COST_SHORT, _LONG */
	struct overhead_moments inner;
	double inner_weight;
	struct overhead_moments way_inside[SCP_WAYS], way_outside[SCP_WAYS];
	double way_weight[SCP_WAYS];
};

/* How deep the calls of a profile are, and which way they went. */
struct overhead_depth {
	double calls, long_calls; /* long: deeper than SCP_COST_SHORT_FRAMES */
	double frames;		  /* summed over calls */
	double way_calls[SCP_WAYS];
};

/* One file's two measurements, half of its `calls` each; those of no rounds do not count. */
void overhead_add(struct overhead_sum *s, const struct scp_overhead *first,
		  const struct scp_overhead *last, double calls);

/* The same for what a call adds to an interval around it; 0 is not measured. */
void overhead_add_inner(struct overhead_sum *s, const struct scp_inner_cost *first,
			const struct scp_inner_cost *last, double calls);

/* The same for what each way costs. */
void overhead_add_ways(struct overhead_sum *s, const struct scp_way_costs *first,
		       const struct scp_way_costs *last, double calls);

/* As if the measurements of `from` had been added to `to`. */
void overhead_join(struct overhead_sum *to, const struct overhead_sum *from);

/* The weighted means. Their variance is the mean of the measurements' own variances plus the
 * variance between them (the law of total variance): of two equally certain measurements, half
 * their difference is in the error, and many measurements do not make it vanish, because nobody
 * knows which of them a call resembled. Likewise for short and long paths in the values for all
 * calls. NAN without a measurement. */
struct prof_overhead overhead_mean(const struct overhead_sum *s, const struct overhead_depth *d);

/* As a file holds it; all 0 without a measurement. overhead_mean of what is read back is
 * the same: means are whole picoseconds. */
void overhead_store(const struct prof_overhead *o, uint64_t rounds, struct scp_overhead *out);
struct scp_inner_cost overhead_store_inner(const struct prof_overhead *o);
struct scp_way_costs overhead_store_ways(const struct prof_overhead *o);

/* -1 with *err where a field is out of range. */
int overhead_check(const char *path, const struct scp_header *h, struct profile_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks of the files of a model, and what recording adds to a call; private to profile/, but
 * for rate_begin. */
#pragma once

#include "profile/profile.h"

/* Work out *out from `clock` as the file of header `h` has it. Where its own anchors are too close
 * together for a counter's rate and the file was recorded since this machine was booted, the
 * anchors are replaced by ones taken here. -1: the rate cannot be known. */
int rate_resolve(const char *path, const struct scp_header *h, struct scp_clock *clock,
		 struct prof_clock *out, struct profile_error *err);

/* The first of the anchors taken here: what passes from now on need not be waited for. Call it
 * at most once, when the program starts, before there are threads. */
void rate_begin(void);

/* What a wrapped call adds, combined over measurements. */

/* A quantity's weighted sums: of the measured values, and of value^2 + error^2. */
struct overhead_moments {
	double value, square;
};

/* Measurements of one cost, each weighted by the calls that it stands for: picoseconds. */
struct overhead_quantity {
	double weight;
	struct overhead_moments inside, outside;
};

/* Of a call on a short and on a long path (SCP_COST_SHORT, _LONG), what it adds to the interval
 * around it (inside alone), and of each way. Adding is associative: a merged file weighs what its
 * parts did. */
enum { OVERHEAD_INNER = 2, OVERHEAD_WAY, OVERHEAD_QUANTITIES = OVERHEAD_WAY + SCP_WAYS };
struct overhead_sum {
	uint64_t rounds;
	uint32_t measurements;
	struct overhead_quantity of[OVERHEAD_QUANTITIES];
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
/* Ways that none of `s` measured stay so. */
struct scp_way_costs overhead_store_ways(const struct prof_overhead *o,
					 const struct overhead_sum *s);

/* -1 with *err where a field is out of range. */
int overhead_check(const char *path, const struct scp_header *h, struct profile_error *err);

/* A file's clocks, as they are in it and as they were worked out. */
struct file_clocks {
	struct scp_clock fast_raw, slow_raw;
	struct prof_clock fast, slow;
};

/* Work out the clocks of the file of header `h`. -1 with *err: a rate cannot be known. */
int clocks_resolve(const char *path, const struct scp_header *h, struct file_clocks *c,
		   struct profile_error *err);

/* Can the file's sums be added to the model's? -1 with *err: other clocks. */
int clocks_check(const struct profile *p, const char *path, const struct file_clocks *c,
		 struct profile_error *err);

/* After both: the model takes these clocks, of that machine and boot, if their span is longer. */
void clocks_take(struct profile *p, uint32_t machine, const uint8_t boot_id[16],
		 const struct file_clocks *c);

/* How deep the calls of the entries from `first` on, and before `end`, are. `now`: calls of each
 * entry of the model; NULL: as the model has them. */
struct overhead_depth clocks_depth(const struct profile *p, uint32_t first, uint32_t end,
				   const uint64_t *now);

void clocks_add_depth(struct overhead_depth *to, const struct overhead_depth *d);

/* After clocks_take: what the file measured that a call adds, for its calls of depth `d`. */
void clocks_add_overhead(struct profile *p, const struct scp_header *h, struct overhead_depth d);

/* From what was added: what calls cost by each clock. What they add to the call around them is the
 * same for both, since it is all that they cost. */
void clocks_conclude_overhead(struct profile *p);

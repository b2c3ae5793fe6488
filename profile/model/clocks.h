// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks of the files of a model, and what recording adds to a call; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_CLOCKS_H
#define SCPROF_PROFILE_MODEL_CLOCKS_H

#include "profile/model/overhead.h"
#include "profile/profile.h"

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

/* After both: the model takes these clocks where their span is longer. */
void clocks_take(struct profile *p, const struct scp_header *h, const struct file_clocks *c);

/* How deep the calls of the entries from `first` on, and before `end`, are. `now`: calls of each
 * entry of the model; NULL: as the model has them. */
struct overhead_depth clocks_depth(const struct profile *p, uint32_t first, uint32_t end,
				   const uint64_t *now);

/* After clocks_take: what the file measured that a call adds, for its calls of depth `d`. */
void clocks_add_overhead(struct profile *p, const struct scp_header *h, struct overhead_depth d);

/* From what was added: what calls cost by each clock. What they add to the call around them is the
 * same for both, since it is all that they cost. */
void clocks_conclude_overhead(struct profile *p);

#endif

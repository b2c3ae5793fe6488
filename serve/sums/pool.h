// SPDX-License-Identifier: GPL-3.0-or-later
/* Models by function (functions_add) of a service's processes, one a clock: profiles of
 * different clocks, or ticks, cannot be added up. Single-threaded. */
#ifndef SCPROF_SERVE_SUMS_POOL_H
#define SCPROF_SERVE_SUMS_POOL_H

#include <stdint.h>

#include "profile/profile.h"

#define POOL_MOST 8 /* clocks; the page clock's ticks may have any length */

struct pool {
	struct profile *model[POOL_MOST];
	uint32_t models;
	uint64_t left_out; /* processes beyond that */
};

struct pool *pool_new(void);
void pool_free(struct pool *p);

/* To the model of its clock. skip: as of functions_add. 0; -1: out of memory. */
int pool_add(struct pool *p, const struct profile *from, const bool *skip);

/* All of another pool. */
int pool_join(struct pool *p, const struct pool *from);

#endif

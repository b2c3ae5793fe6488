// SPDX-License-Identifier: GPL-3.0-or-later
/* Which way to simulate a cell. */
#include <stdlib.h>

#include "tests/bench/coverage/source.h"

/* Call by call up to so many calls: from 2^16 on batches are whole segments of a pool. */
#define WALKED 65535

static struct source *create(const struct cell *c, double scale, uint64_t seed)
{
	bool independent = c->dependence == DEPENDENCE_NONE;
	bool steady = c->dependence == DEPENDENCE_LOOP || cell_period(c) > 0;

	/* Constant durations have no autocorrelation to show. */
	if (independent || (c->dependence == DEPENDENCE_AR1 && c->law.kind == LAW_CONSTANT))
		return iid_create(c);
	if (!c->randomised && steady && c->law.kind == LAW_CONSTANT)
		return lattice_create(c);
	if (c->n <= WALKED)
		return walk_create(c);
	if (cell_is_locked(c) && cell_period(c) > 0)
		return phases_create(c);
	return pool_create(c, scale, seed);
}

struct source *source_create(const struct cell *c, double scale, uint64_t seed, struct source *old)
{
	if (old && old->resize && old->resize(old, c->n))
		return old;
	free(old);
	return create(c, scale, seed);
}

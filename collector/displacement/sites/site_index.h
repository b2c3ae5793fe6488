// SPDX-License-Identifier: GPL-3.0-or-later
/* Which site an entry belongs to: those of the profile's model, and those that were read while the
 * run lasted. */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_INDEX_H
#define SCPROF_COLLECTOR_DISPLACEMENT_SITES_SITE_INDEX_H

#include "profile/profile.h"
#include "collector/displacement/sites/site_samples.h"

#define SITE_INDEX_NONE SIZE_MAX

/* Entries of one call path, function and outcome. */
struct site {
	uint32_t path, function, outcome;
	uint32_t entry; /* the first of them */
	uint64_t units;
	size_t rank; /* by time, the longest is 0 */
};

struct site_index {
	const struct profile *profile;
	const struct site_samples *samples;
	const char *profiles; /* the directory */
	struct site *site;
	size_t sites, used; /* used: by rank, as many as one regression chooses from */
	size_t *site_of;    /* model entry -> site */
	size_t *rank_of;    /* sampled entry -> rank of its site, or SITE_INDEX_NONE */
};

/* `missed`: files and entries that were not read, or that are not in the model. 0; -1: out of
 * memory. To be freed in any case. */
int site_index_make(struct site_index *x, size_t *missed);
void site_index_free(struct site_index *x);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* How large a model is, to go back to when what is added fails; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_MODEL_H
#define SCPROF_PROFILE_MODEL_MODEL_H

#include "profile/profile.h"

struct profile_size {
	uint32_t processes, tables, modules, paths, functions, entries, gaps, slowests, site_costs,
		accounts, path_differences, looks, source_functions, source_lines, generateds;
};

struct profile_size profile_size(const struct profile *p);

/* Free all beyond that size, which was the model's. */
void profile_shrink(struct profile *p, const struct profile_size *size);

#endif

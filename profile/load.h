// SPDX-License-Identifier: GPL-3.0-or-later
/* From a checked file into the model; private to profile/. */
#ifndef SCPROF_PROFILE_LOAD_H
#define SCPROF_PROFILE_LOAD_H

#include "raw.h"

/* How large the model was, to go back to. */
struct model_size {
	uint32_t processes, tables, modules, paths, functions, entries, gaps;
};

struct model_size model_size(const struct profile *p);
void model_shrink(struct profile *p, const struct model_size *size);

/* Append all of `raw` to the model. 0, or -1 where memory is out: then the
 * caller shrinks the model. Counters that add up (losses, overflow, ticker)
 * are touched only when all else has succeeded. */
int load_raw(struct profile *p, const struct raw_file *raw);

#endif

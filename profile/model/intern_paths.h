// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal call paths of all files and threads are one path of the model; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_INTERN_PATHS_H
#define SCPROF_PROFILE_MODEL_INTERN_PATHS_H

#include "profile/profile.h"

/* Index in the model of an equal path, which is added if it is new; `frame` is copied. PROF_NONE:
 * out of memory. */
uint32_t intern_paths_add(struct profile *p, const struct prof_frame *frame, uint32_t frames,
			  uint32_t flags);

/* The same in two steps, for many paths: between them the memory is fetched in which the equal path
 * is looked for. */
uint32_t intern_paths_hash(const struct profile *p, const struct prof_frame *frame, uint32_t frames,
			   uint32_t flags);
uint32_t intern_paths_add_hashed(struct profile *p, const struct prof_frame *frame, uint32_t frames,
				 uint32_t flags, uint32_t hash);

/* Make room for so many more paths at once. -1: out of memory. */
int intern_paths_expect(struct profile *p, uint32_t more);

/* No more paths are expected: the hash table goes, and is made again when needed. */
void intern_paths_rest(struct profile *p);

/* Paths from `from` on go. */
void intern_paths_forget(struct profile *p, uint32_t from);

/* All memory but p->path. */
void intern_paths_free(struct profile *p);

#endif

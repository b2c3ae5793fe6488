// SPDX-License-Identifier: Apache-2.0
/* Cached walks are made again by the full walk, and the results compared (SCPROF_VERIFY_PATHS,
 * header.path_checks.cached_walks): frames, flags and node of the path, whether the call around is
 * in progress and a function of --below on the path, and the set of words that were read, since
 * that is what makes a remembered path exact.
 *
 * Thread rules: for the owning thread, with bookkeeping marked. */
#ifndef SCPROF_PRELOAD_CALL_WALK_CHECK_H
#define SCPROF_PRELOAD_CALL_WALK_CHECK_H

#include "preload/table/thread.h"

/* Is it this cached walk's turn? Then t->found is put aside and signals are held: fill it anew by
 * the full walk, and end. */
HIDDEN bool walk_check_begin(const struct scp_thread *t);

/* t->found becomes again what was put aside; if they differ, that is noted, and the full walk's
 * stays. */
HIDDEN void walk_check_end(struct scp_thread *t, const struct walk_start *from);

/* A cached walk found `outer` of the call from->outer. */
HIDDEN void walk_check_outer(struct scp_thread *t, const struct walk_start *from,
			     enum walk_outer outer);

#endif

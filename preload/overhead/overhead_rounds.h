// SPDX-License-Identifier: Apache-2.0
/* Rounds of calls of an empty function, through the wrappers' code on a scratch state. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ROUNDS_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ROUNDS_H

#include "include/scprof_format.h"
#include "preload/system/util.h"

/* Measure with the clocks that were chosen. rounds = 0: it could not be done (disturbed).
 * The caller has signals held, and is the only one in here. */
HIDDEN void overhead_rounds_run(struct scp_overhead *main_clock, struct scp_overhead *slow_clock,
				struct scp_inner_cost *inner);

#endif

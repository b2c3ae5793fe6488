// SPDX-License-Identifier: Apache-2.0
/* Rounds of calls of an empty function, through the wrappers' code on a scratch state. */
#ifndef SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ROUNDS_H
#define SCPROF_PRELOAD_OVERHEAD_OVERHEAD_ROUNDS_H

#include "preload/process/process.h"

/* Measure with the clocks that were chosen. main.rounds = 0: it could not be done (disturbed).
 * The caller has signals held, and is the only one in here. */
HIDDEN void overhead_rounds_run(struct overhead_costs *out);

#endif

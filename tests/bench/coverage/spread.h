// SPDX-License-Identifier: GPL-3.0-or-later
/* Tick counts of a call that begins at a random phase: their distribution. */
#ifndef COVERAGE_SPREAD_H
#define COVERAGE_SPREAD_H

#include "tests/bench/coverage/tally.h"

/* Distribution of counts of durations of this law, on fixed or randomised ticks. */
void spread_build(struct tally *t, const struct law *l, bool randomised);

/* On fixed ticks from one phase in [0, 1): C = floor(phase + T). */
void spread_build_at(struct tally *t, const struct law *l, double phase);

#endif

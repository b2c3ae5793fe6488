// SPDX-License-Identifier: GPL-3.0-or-later
/* The study checks itself: fast sources are compared with the program walked call by call. */
#ifndef COVERAGE_CHECK_H
#define COVERAGE_CHECK_H

#include <stdio.h>

#include "tests/bench/coverage/score.h"

/* Draws replications of the cell both ways and compares what the estimator sees and
 * says: prints differences of more than four standard errors. Returns their number;
 * *compared is raised by the number of comparisons. */
unsigned check_cell(FILE *f, const struct cell *c, uint64_t replications, unsigned *compared);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs whose calls sleep and lose their CPU, and whose off-CPU times are read at random: do the
 * intervals of stats/mean/states.h contain the true means? */
#ifndef COVERAGE_STATES_H
#define COVERAGE_STATES_H

#include <stdint.h>
#include <stdio.h>

/* All programs of the scenario, `replications` each at most, as CSV. */
void states_report(FILE *f, uint64_t replications);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The limits of percentiles: how often they contain the true percentile. The programs are those of
 * the grid on a clock so fast that ticks do not matter, and one more, whose calls take 20 times as
 * long in one burst of 20. */
#ifndef COVERAGE_PERCENTILES_H
#define COVERAGE_PERCENTILES_H

#include <stdio.h>

#include "tests/bench/coverage/options.h"

/* All programs that the options choose, as CSV, the totals on standard error. */
void percentiles_report(FILE *csv, const struct options *o);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The rule and other methods on held-out laws. */
#ifndef COVERAGE_HELDOUT_REPORT_H
#define COVERAGE_HELDOUT_REPORT_H

#include <stdio.h>

#include "tests/bench/coverage/options.h"

/* CSV, a line for each law, number of calls and clock; a summary on standard error. 0; -1: no such
 * law, or out of memory. */
int heldout_report(FILE *csv, const struct options *o);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof clocks` prints as text. 0, or -1 with errno: standard output failed, or out of
 * memory. */
#ifndef SCPROF_CLI_CLOCKS_PRINT_H
#define SCPROF_CLI_CLOCKS_PRINT_H

#include "collector/clocks/clock_costs.h"
#include "collector/clocks/clocks.h"

/* One page of at most 100 columns. */
int clocks_print_text(const struct clocks_report *r);

/* The table of every way to read the time. */
int clocks_figure_text(const struct clock_costs *c);

#endif

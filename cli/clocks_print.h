// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints the text of `scprof clocks`. Returns 0; -1 with errno: standard output failed, or out of
 * memory. */
#pragma once

#include "collector/clocks/clock_costs.h"
#include "collector/clocks/clocks.h"

/* Prints one page of at most 100 columns. */
int clocks_print_text(const struct clocks_report *r);

/* The table of every way to read the time. */
int clocks_figure_text(const struct clock_costs *c);

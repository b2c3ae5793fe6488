// SPDX-License-Identifier: GPL-3.0-or-later
/* The study's output. */
#ifndef COVERAGE_PRINT_H
#define COVERAGE_PRINT_H

#include <stdio.h>

#include "tests/bench/coverage/score.h"

/* clock, dependence, law, mean, n: separated by commas. */
void print_cell(FILE *f, const struct cell *c);

/* "pass", or the criteria that a cell fails, by name. */
void print_verdict(FILE *f, const struct score *s);

/* One line a cell, with a line of names first. */
void print_csv(FILE *f, const struct score *s, size_t count);

/* Counts for each criterion and its failing cells, worst first, at most `most` each. */
void print_summary(FILE *f, const struct score *s, size_t count, size_t most);

#endif

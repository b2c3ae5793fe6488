// SPDX-License-Identifier: GPL-3.0-or-later
/* Percentages with one decimal that add up to 100.0 as they are printed; private to report/. */
#ifndef SCPROF_REPORT_WORDING_PERCENTAGES_H
#define SCPROF_REPORT_WORDING_PERCENTAGES_H

#include <stddef.h>
#include <stdint.h>

/* part[i] / (sum of all parts), in thousandths whose sum is exactly 1000: rounded down,
 * and what is missing goes to the largest remainders (Hamilton's method; equal ones: the first).
 * So each differs from the truth by less than one thousandth. Parts may be negative, but
 * must be finite, and their sum positive and at least a millionth of the sum of their sizes;
 * else all are 0 and nothing can be said. -1: out of memory. */
int percentages_round(const double *part, size_t count, int32_t *permille);

/* The same in parts of `whole`, such as 100. */
int percentages_round_to(const double *part, size_t count, int32_t whole, int32_t *parts);

#endif

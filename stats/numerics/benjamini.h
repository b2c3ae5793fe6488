// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_STATS_NUMERICS_BENJAMINI_H
#define SCPROF_STATS_NUMERICS_BENJAMINI_H

#include <stddef.h>

/* Benjamini and Hochberg (1995): q[i] is the lowest false discovery rate at which test i
 * is still a discovery. p of NAN is no test: q is NAN and it is not counted. `order`:
 * room for n numbers. */
void benjamini_q_values(const double *p, double *q, size_t n, size_t *order);

#endif

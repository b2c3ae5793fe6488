// SPDX-License-Identifier: GPL-3.0-or-later
/* Work of so many steps at sites of their own. A step is a multiplication that waits for the one
 * before it: it takes CPU time, not time on the clock, so that a thread that lost its CPU has
 * as much left to do as before. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

void work_a(uint64_t steps);
void work_b(uint64_t steps);
void work_c(uint64_t steps);
void work_d(uint64_t steps);

/* Steps of a microsecond: the most of several tries, the calling thread undisturbed. */
double work_steps_us(void);

#endif

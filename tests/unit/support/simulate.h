// SPDX-License-Identifier: GPL-3.0-or-later
/* Random numbers for tests by simulation: fixed seeds, the same on every machine. */
#ifndef SCPROF_TESTS_SIMULATE_H
#define SCPROF_TESTS_SIMULATE_H

#include <stdint.h>

struct simulate {
	uint64_t state;
};

uint64_t simulate_bits(struct simulate *s);	 /* 64 random bits */
double simulate_uniform(struct simulate *s);	 /* in [0, 1) */
double simulate_exponential(struct simulate *s); /* mean 1 */
double simulate_normal(struct simulate *s);	 /* mean 0, deviation 1 */

/* Ticks that a duration shows when it begins at a random phase of the tick (both in the
 * same unit): Beilner's clock, floor(duration / tick + phase). */
uint64_t simulate_ticks(struct simulate *s, double duration, double tick);

/* Of as many trials as an experiment is to have, a third in `make check`; all in `make check-long`.
 */
unsigned simulate_trials(unsigned all);

/* Fails the test unless `hits` of `trials` is a rate within [low, high], allowing for
 * three standard errors of the simulation itself; `what` is printed. */
void simulate_assert_rate(const char *what, unsigned hits, unsigned trials, double low,
			  double high);

#endif

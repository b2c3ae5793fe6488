// SPDX-License-Identifier: GPL-3.0-or-later
/* What libscprof.so keeps of calls, and calls to keep: for tests by simulation that look at it
 * while it grows. */
#ifndef SCPROF_TESTS_RECORDING_H
#define SCPROF_TESTS_RECORDING_H

#include "tests/unit/support/simulate.h"
#include "stats/stats.h"

#define RECORDING_BATCHES 64

struct recording {
	struct stats_sums sums;
	uint64_t batch[RECORDING_BATCHES];
	struct stats_batches batches; /* of `batch` */
	uint64_t batch_end, batch_base;
};

/* Sums and batches as preload/table/batch.c leaves them, of a clock of one-unit ticks. */
void recording_begin(struct recording *r);
void recording_add(struct recording *r, uint64_t units);
struct stats_sample recording_sample(const struct recording *r);

/* Durations with a mean of 1000, and dependence. */
enum recording_law {
	RECORDING_EXPONENTIAL,
	RECORDING_LOGNORMAL, /* coefficient of variation 1.3 */
	RECORDING_TWO_KINDS, /* one call in ten takes 30 times as long */
	RECORDING_CHAINED,   /* neighbours correlated: log-normal AR(1), 0.9 */
	RECORDING_LAWS
};
extern const char *const recording_law_names[RECORDING_LAWS];

struct recording_source {
	enum recording_law law;
	struct simulate dice;
	double state;
};
double recording_draw(struct recording_source *s);

#endif

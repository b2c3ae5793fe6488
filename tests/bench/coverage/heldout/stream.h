// SPDX-License-Identifier: GPL-3.0-or-later
/* Held-out laws: sequences of durations of which the long-run mean is known, and of which nothing
 * was used to choose a constant of the rule.
 *
 * Every law begins in its stationary state, so that each run, however short, has the same expected
 * mean. Where something is periodic, its phase is random, and the true mean is that over all
 * phases. Lengths are in the law's own unit; stream_record scales them to a clock's ticks. */
#ifndef COVERAGE_HELDOUT_STREAM_H
#define COVERAGE_HELDOUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/bench/coverage/tail_record.h"

#define STREAM_STATE 512 /* bytes */
#define STREAM_LAWS  64
#define STREAM_LIMIT 1000.0

struct stream {
	const struct stream_law *law;
	uint64_t n; /* calls of the run: the length of some laws' periods follows it */
	double mean;
	_Alignas(16) unsigned char state[STREAM_STATE]; /* of the law */
};

#define STREAM_STATE_OF(type, s)                                                                   \
	(__extension__({                                                                           \
		_Static_assert(sizeof(type) <= STREAM_STATE, "state too large");                   \
		(type *)(void *)(s)->state;                                                        \
	}))

struct stream_law {
	const char *name;
	/* A stationary state for s->n calls; returns the true mean. */
	double (*begin)(struct stream *s, struct dice *d);
	double (*next)(struct stream *s, struct dice *d);
	double a, b; /* parameters */
	const void *data;
	double limited; /* E min(T, STREAM_LIMIT) of a law without a variance, which has no oracle;
			   else 0 */
	bool dependent; /* calls, or the times at which long ones come, depend on each other */
};

/* Tables by kind, each ended by a law without a name. */
extern const struct stream_law stream_tails[], stream_sojourns[], stream_periods[], stream_queues[],
	stream_unseen[];

/* All of them, in the order of the tables; the number. */
unsigned stream_list(const struct stream_law *law[STREAM_LAWS]);

void stream_begin(struct stream *s, const struct stream_law *law, uint64_t n, struct dice *d);

static inline double stream_next(struct stream *s, struct dice *d)
{
	return s->law->next(s, d);
}

/* The clocks that a run is recorded on at once: the same calls, each clock with phases of its
 * own. */
enum stream_clock { STREAM_TSC, STREAM_PAGE, STREAM_COARSE, STREAM_CLOCKS };
extern const char *const stream_clock_names[STREAM_CLOCKS];
/* Mean duration in ticks. TSC, COARSE: ticks of fixed length; PAGE: uniform in d/2 to 3d/2. */
extern const double stream_clock_means[STREAM_CLOCKS];

struct stream_run {
	struct recorder recorder[STREAM_CLOCKS];
	struct tail_record tail; /* of the TSC */
};

/* A run of n calls; its law's true mean is then s->mean. */
void stream_record(struct stream *s, const struct stream_law *law, uint64_t n, struct dice *d,
		   struct stream_run *r);

#endif

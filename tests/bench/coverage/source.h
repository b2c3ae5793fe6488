// SPDX-License-Identifier: GPL-3.0-or-later
/* A source makes replications of one cell: what the recorder holds after one run of
 * the program. Four ways, chosen by what the cell allows:
 *   iid      own phases and independent durations: tick counts are independent with
 *            a known distribution, so batches are drawn as multinomials
 *   lattice  constant durations at constant distances: closed form in integers; and
 *            random durations at few fixed phases: a multinomial for each phase
 *   walk     call by call, for up to 10 000 calls
 *   pool     more calls: segments simulated call by call once, drawn with
 *            replacement; the segments' own mean is then the truth */
#ifndef COVERAGE_SOURCE_H
#define COVERAGE_SOURCE_H

#include "tests/bench/coverage/cell.h"
#include "tests/bench/coverage/recorder.h"

struct source {
	void (*draw)(struct source *s, struct dice *d, struct recorder *r);
	/* The same program with another number of calls; false: make a new source. */
	bool (*resize)(struct source *s, uint64_t n);
	struct cell cell;
	double truth;	  /* the mean duration that is to be covered, in ticks */
	double deviation; /* of the estimate, where it is known exactly; else NAN */
	double cost_ns;	  /* rough time of one draw */
};

/* `scale`: 1, or less for smaller pools; `seed`: of what is simulated beforehand. One
 * that was made for the same program with another n may be used again: it is given
 * as `old` (or NULL) and not the caller's any more. NULL when out of memory. */
struct source *source_create(const struct cell *c, double scale, uint64_t seed, struct source *old);

struct source *iid_create(const struct cell *c);
struct source *lattice_create(const struct cell *c);
struct source *phases_create(const struct cell *c);
struct source *walk_create(const struct cell *c);
struct source *pool_create(const struct cell *c, double scale, uint64_t seed);

#endif

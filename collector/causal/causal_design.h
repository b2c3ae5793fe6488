// SPDX-License-Identifier: GPL-3.0-or-later
/* The draws, and what was seen with them: windows, in blocks of neighbours. Pure but for memory. */
#ifndef SCPROF_COLLECTOR_CAUSAL_CAUSAL_DESIGN_H
#define SCPROF_COLLECTOR_CAUSAL_CAUSAL_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/causal/slopes.h"
#include "stats/numerics/random.h"

#define CAUSAL_DESIGN_BLOCK   32 /* windows */
#define CAUSAL_DESIGN_WINDOWS ((size_t)1 << 18)

/* 0, or with probability `active` the lower (1) or the higher (2) level, as often. */
unsigned char causal_design_draw(struct random *r, double active);

/* Calls at one site and level while the delays were the same: how many, and for how long they were
 * delayed, seconds. */
struct causal_design_calls {
	double calls, delayed_s;
};

/* Delays that were the same for some windows. */
struct causal_design_epoch {
	double asked[SLOPES_SITES]; /* the higher level */
	struct causal_design_calls seen[SLOPES_SITES][SLOPES_LEVELS];
};

struct causal_design {
	size_t sites, windows, room;
	struct slopes_window *window;
	unsigned char *level; /* [room][sites] */
	uint32_t *epoch_of;
	struct causal_design_epoch *epoch;
	size_t epochs;
	double calls[SLOPES_SITES], time, progress; /* of all windows */
	/* Neighbours: see causal_design_add. */
	size_t block, block_windows, neighbours, empty;
	double expected; /* progress in the empty ones, at the usual rate */
	bool idle;
};

/* A window that is over. */
struct causal_design_seen {
	struct slopes_window window; /* its block is set here */
	const unsigned char *level;
	const struct causal_design_calls *calls; /* by site */
};

void causal_design_begin(struct causal_design *d, size_t sites);
void causal_design_free(struct causal_design *d);

/* Delays are these from now on. 0; -1: no memory. */
int causal_design_epoch(struct causal_design *d, const double *asked);

/* The next window is no neighbour of the last. */
void causal_design_break(struct causal_design *d);

/* `rate`: of progress, without delays. A program that has nothing to do says nothing: windows
 * without progress where CAUSAL_DESIGN_IDLE units were to be expected are left out, and the one
 * before and after them. 0; -1: no memory, or no more room. */
#define CAUSAL_DESIGN_IDLE 10.0
int causal_design_add(struct causal_design *d, const struct causal_design_seen *w, double rate);

/* The command ended in the last of the windows that have progress: they are cut there. */
void causal_design_cut(struct causal_design *d);

/* For slopes_fit; *delay is to be freed. The delay of a level is what was really spun on average in
 * its epoch; of few calls, as if CAUSAL_DESIGN_ASKED more had been delayed as asked. 0; -1: no
 * memory. */
#define CAUSAL_DESIGN_ASKED 20.0
int causal_design_data(const struct causal_design *d, struct slopes_data *data, double **delay);

/* Mean delay at a level over all epochs; NAN: none. */
double causal_design_delay(const struct causal_design *d, size_t site, unsigned level);

/* Mean time a unit at a level of one site: a ratio estimate. */
struct slopes_value causal_design_unit(const struct causal_design *d, size_t site, unsigned level);

#endif

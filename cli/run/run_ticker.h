// SPDX-License-Identifier: GPL-3.0-or-later
/* The ticker of a run whose clock is the page clock, alone or beside the fast one. */
#ifndef SCPROF_CLI_RUN_RUN_TICKER_H
#define SCPROF_CLI_RUN_RUN_TICKER_H

#include "cli/run/run_options.h"
#include "collector/clocks/ticker.h"
#include "collector/clocks/ticker_cost.h"

struct run_ticker {
	struct ticker *ticker; /* NULL: the clock needs none, or it was stopped */
	struct ticker_stats ticks;
	struct ticker_cost cost;
	uint64_t asked_ns; /* the tick that was asked for, where a longer one is used; 0: none */
};

/* `page`: the path of the page. The options' tick is made longer where it would cost too much. 0,
 * or -1, having said why. */
int run_ticker_start(struct run_ticker *t, struct run_options *o, const char *page);

/* No effect where there is none. */
void run_ticker_stop(struct run_ticker *t);

/* After the end: the ticks, and what they cost, in the profile. */
void run_ticker_note(const struct run_ticker *t, struct profile *p);

#endif

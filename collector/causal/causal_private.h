// SPDX-License-Identifier: GPL-3.0-or-later
/* What the files of an experiment share. The experiment's thread writes all but `state`, which is
 * guarded, until it has ended. */
#ifndef SCPROF_COLLECTOR_CAUSAL_CAUSAL_PRIVATE_H
#define SCPROF_COLLECTOR_CAUSAL_CAUSAL_PRIVATE_H

#include <pthread.h>

#include "collector/causal/causal.h"
#include "collector/causal/causal_budget.h"
#include "collector/causal/causal_design.h"
#include "collector/causal/causal_pilot.h"
#include "collector/causal/causal_threads.h"
#include "collector/machine/cpu_times.h"

#define CAUSAL_SITES	 24
#define CAUSAL_PILOT_S	 1.0
#define CAUSAL_LONGEST_S 0.01 /* of a delay, unless the caller asks for less */
#define CAUSAL_RENEW_S	 0.5  /* the tool is killed: delays end within this after a window's end */

struct causal {
	struct causal_wishes wishes; /* its pointers but `context` are not used after causal_open */
	struct causal_page *page;
	pthread_t thread;
	bool running;
	int stop;      /* eventfd */
	unsigned over; /* causal_stop was called */
	pthread_mutex_t guard;
	struct causal_state state;
	double phase_began_s;

	struct random random;
	uint64_t seed;
	struct causal_pilot_series pilot;
	struct causal_candidate *site; /* by slot - 1 */
	size_t sites;
	bool timed;	 /* units of progress have durations of their own */
	bool steals;	 /* the machine's time is stolen */
	double window_s; /* of the windows that are next */
	struct causal_budget_site budget[SLOPES_SITES];
	struct causal_design design;
	struct causal_threads threads;
	/* What is known: of the last fit; and of the windows since the last correction. */
	bool fitted;
	struct slopes all;
	struct slopes_site slopes[SLOPES_SITES];
	double corrected_time, corrected_progress, corrected_calls[SLOPES_SITES];
	double assumed_rate; /* of progress, that delays were made for */
	double began_s;	     /* the first window */
	double elapsed_s;
	size_t late;		   /* windows */
	uint64_t delayed, skipped; /* calls */
	bool ended_itself;
	bool no_memory;
	unsigned problems;
};

/* Seconds of CLOCK_MONOTONIC. */
double causal_state_now(void);
/* Until then. True: the experiment is to end. */
bool causal_state_wait(struct causal *c, double at_s);

void causal_state_enter(struct causal *c, int phase);
void causal_state_tell(struct causal *c, double rate, double precision);

/* The page's counts. Where it is refused the experiment ends. */
void causal_state_read(struct causal *c, struct causal_page_counts *counts);

/* Progress of all names. */
struct scp_causal_progress causal_state_progress(const struct causal_page_counts *counts);

/* Waits for progress, measures, chooses sites, windows and first delays. False: the experiment
 * ends. */
bool causal_measure_pilot(struct causal *c);

/* Windows with delays, until the end. */
void causal_windows_run(struct causal *c);

/* What is known so far. 0; -1: no memory. `site` has room for all. */
int causal_windows_fit(const struct causal *c, struct slopes *all, struct slopes_site *site);

/* New delays from what is known; the first ones. 0; -1: no memory. */
int causal_correct(struct causal *c);

/* Progress a second since the last correction; NAN: nothing. */
double causal_correct_rate(const struct causal *c);

/* Widest half width of the sites' predictions for 10 % at this confidence, as a share; NAN: not
 * known. */
double causal_windows_precision(const struct causal *c, double confidence);

#endif

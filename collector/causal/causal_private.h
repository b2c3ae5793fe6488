// SPDX-License-Identifier: GPL-3.0-or-later
/* What the files of an experiment share. The experiment's thread writes all but `state`, which is
 * guarded, until it has ended. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/causal/causal.h"
#include "stats/causal/slopes.h"
#include "stats/numerics/random.h"

/* What the pilot, in which nothing is delayed, says of the windows' length and the sites. Pure. */

#define CAUSAL_PILOT_READING_S 0.01
#define CAUSAL_PILOT_READINGS  4096  /* most that are kept */
#define CAUSAL_PILOT_UNITS     100.0 /* of progress in a window, on average */
#define CAUSAL_PILOT_WINDOWS   200.0 /* in an experiment, where that takes fewer units */
#define CAUSAL_PILOT_FOR_S     60.0  /* an experiment's length that is not known before */
#define CAUSAL_PILOT_LONGEST_S 5.0

/* Readings in a row: how long each was, and what completed in it. */
struct causal_pilot_series {
	double time[CAUSAL_PILOT_READINGS], progress[CAUSAL_PILOT_READINGS];
	size_t count;
};

/* The rate of progress a second; 0: none. */
double causal_pilot_rate(const struct causal_pilot_series *s);

/* The length of windows, in seconds. A slope's variance after a given time is as the variance of
 * time - progress / rate over windows, divided by their length: counting units at the edges makes
 * short windows bad, slow changes make long ones bad. `unit_s`: what a unit takes from its
 * beginning to its end, 0: not known; a window is ten of these at least. `for_s`: the experiment's
 * length, INFINITY: not known.
 *
 * A unit that a delay holds up beyond a window's edge is missing there, though it is not lost: in
 * an open loop, whose throughput no delay changes, windows of 20, 30, 60 and 150 units gave slopes
 * of 0.25, 0.15, 0.06 and 0. */
double causal_pilot_window(const struct causal_pilot_series *s, double unit_s, double for_s);

/* Keep those that are wanted and called often enough for windows of this length, the longest and
 * then the most frequent first, `most` of them. Returns how many; *left_out: how many the limit
 * cost. */
size_t causal_pilot_choose(struct causal_candidate *c, size_t count, double window_s, size_t most,
			   size_t *left_out);

/* How long the delays may be. A site whose calls are delayed by m on average, over all windows,
 * makes a unit of progress longer by slope x m. Nobody knows the slopes before, so one that is not
 * measured yet is taken to be about the number of calls a unit, give or take as much: all on one
 * path; where threads wait for a CPU, as many times more as they take longer for that. What was
 * measured is joined to that as normal distributions are (precisions add up). The limit is on the
 * upper end of what all delays together cost.
 *
 * It uses the past alone, so that draws stay independent of what they are to explain. Pure. */

/* What surrounds a spin is not counted, about 5 ns: a fiftieth of this. Longer delays in fewer
 * windows cost no more, and tell more. */
#define CAUSAL_BUDGET_SHORTEST_S 300e-9
#define CAUSAL_BUDGET_ACTIVE	 0.5	    /* share of the windows in which a site is delayed */
#define CAUSAL_BUDGET_LEAST	 (1.0 / 16) /* fewer tell nothing: the site is left out */

struct causal_budget_site {
	double was;	     /* out: its mean delay until now; 0: none */
	double calls_s;	     /* a second */
	double call_s;	     /* mean duration; 0: not known */
	double slope, error; /* NAN: not measured */
	double high;	     /* in and out: the higher delay, seconds; in 0: none so far */
	double active;	     /* out: the share of windows with a delay: half of them the higher one;
				0: cannot be delayed by so little */
};

struct causal_budget {
	double slowdown;	   /* asked, 0.05 */
	double unit_s;		   /* time a unit takes */
	double longest_s;	   /* no delay is longer */
	double stretch;		   /* of causal_threads; less than 1: 1 */
	double part;		   /* of the slowdown that may be used: a half at first, then 1 */
	struct slopes_value whole; /* measured slowdown so far; value NAN: none */
};

/* The delays of the next windows. */
void causal_budget_set(const struct causal_budget *b, struct causal_budget_site *site,
		       size_t sites);

/* What all of them are expected to cost at most, relative: 95 of 100. */
double causal_budget_upper(const struct causal_budget *b, const struct causal_budget_site *site,
			   size_t sites);

/* How long a thread may be delayed in one window, as a share of it. */
double causal_budget_limit(double slowdown);

/* The draws, and what was seen with them: windows, in blocks of neighbours. Pure but for memory. */

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
	size_t sites, windows;
	uint32_t room;
	struct slopes_window *window;
	unsigned char *level; /* [room][sites] */
	uint32_t *epoch_of;
	struct causal_design_epoch *epoch;
	size_t epochs;
	double time, progress; /* of all windows */
	/* Of those, too, that were left out afterwards. */
	double calls[SLOPES_SITES], units;
	/* Neighbours: see causal_design_add. */
	size_t block, block_windows, neighbours, empty;
	double expected; /* progress in the empty ones, at the usual rate */
	bool idle;
	size_t idle_times, left_out; /* how often it had nothing to do; windows */
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

/* CPU time of each thread of the processes that are delayed, and its calls at the sites. The time
 * of a unit cannot fall below that (slopes_data.busy). Threads that begin or end meanwhile do not
 * count, nor do those beyond the first 512. One thread. */

struct causal_threads {
	struct causal_threads_seen *first; /* at the beginning */
	double *busy;			   /* [count] CPU seconds a unit, without delays */
	double *calls;			   /* [count][sites] a unit */
	size_t count;
	double stretch; /* time that all of them ran or waited for a CPU, by the time they ran */
};

/* From now on; `completed`: units of progress so far. Without memory nothing is known. */
void causal_threads_begin(struct causal_threads *t, const struct causal_page *p, double completed);
/* Until now, at the sites in slots 1 to `sites`. What was known stays where nothing can be read:
 * the processes have ended. */
void causal_threads_read(struct causal_threads *t, const struct causal_page *p, size_t sites,
			 double completed);
double causal_threads_stretch(const struct causal_threads *t); /* tests have another one */
void causal_threads_free(struct causal_threads *t);

#define CAUSAL_SITES	 24
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

/* Seconds of CLOCK_MONOTONIC: tests have another clock. */
double causal_state_now(void);
/* Until then. True: the experiment is to end. */
bool causal_state_wait(struct causal *c, double at_s);

void causal_state_enter(struct causal *c, int phase);
void causal_state_tell(struct causal *c, double rate, double precision);

/* The page's counts. Where it is refused the experiment ends. */
void causal_state_read(struct causal *c, struct scp_causal_thread *counts);

/* Waits for progress, measures, chooses sites, windows and first delays. False: the experiment
 * ends. */
bool causal_pilot_run(struct causal *c);

/* Windows with delays, until the end. */
void causal_windows_run(struct causal *c);

/* What is known so far. 0; -1: no memory. `site` has room for all. */
int causal_windows_fit(const struct causal *c, struct slopes *all, struct slopes_site *site);

/* New delays from what is known; the first ones. */
void causal_budget_correct(struct causal *c);

/* Progress a second since the last correction; NAN: nothing. */
double causal_budget_rate(const struct causal *c);

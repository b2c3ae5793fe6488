// SPDX-License-Identifier: GPL-3.0-or-later
/* A causal experiment: while a command runs, calls at sites are delayed in windows of random order,
 * and progress is counted; what it says is in struct causal_result.
 *
 * A pilot without delays (a second at least) finds the sites, their calls a second and
 * how much progress scatters; from that come the windows' length, the sites and the delays: each
 * site is at no, the lower or the higher delay (half of the windows, a quarter, a quarter), drawn
 * independently for each site and window. Delays are such that progress is slowed down by no more
 * than causal_wishes.slowdown in all; after each block what was measured corrects them.
 *
 * Threads: causal_begin starts one of its own, all signals blocked in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/causal/causal_page.h"
#include "stats/causal/slopes.h"

/* A site as the experiment knows it; `found` is what the caller made of it, see choose. */
struct causal_candidate {
	struct causal_page_site site;
	double calls_s; /* calls a second, in the pilot */
	double stretch; /* by how many times threads took longer then, as they waited for a CPU */
	double busy;	/* seconds a second in its calls: those for which the caller knows it */
	bool wanted;	/* by the caller: --at */
};

struct causal_wishes {
	const char *page; /* path of the page's file */
	struct causal_page_wishes of_page;
	double for_s; /* the experiment's length, without the pilot; INFINITY: until `precision`, or
			 the end */
	double precision; /* ends it when each wanted site's prediction for 10 % is known to +- this
			     share (0.01); 0: not asked */
	double window_s;  /* 0: chosen by the pilot, 10 ms to 5 s */
	double slowdown;  /* 0.05 */
	size_t sites;	  /* most; 0: 24 */
	uint64_t seed;	  /* of the draws; 0: from getrandom */
	/* After the pilot, in the experiment's thread: fills `busy` and `wanted` of candidates.
	 * False: none of them is wanted, and the experiment ends. NULL: all are wanted. */
	bool (*choose)(void *context, struct causal_candidate *c, size_t count);
	void *context;
};

/* Where it stands, for a line of progress. From any thread. */
struct causal_state {
	enum { CAUSAL_WAITING, CAUSAL_PILOT, CAUSAL_DELAYS, CAUSAL_ENDED } phase;
	double elapsed_s;  /* in this phase */
	double rate_per_s; /* of progress */
	size_t sites, windows;
	double precision; /* widest half width of a prediction for 10 %; NAN */
};

/* Why nothing, or less, can be said. */
enum causal_problem {
	CAUSAL_NO_PROGRESS = 1,	   /* the named function never completed */
	CAUSAL_NO_SITES = 2,	   /* no calls beside, or none is wanted */
	CAUSAL_TOO_SHORT = 4,	   /* fewer than SLOPES_WINDOWS windows */
	CAUSAL_SITES_LEFT_OUT = 8, /* more sites than can be told apart */
	CAUSAL_SLOWER_THAN_ASKED =
		16,	     /* what all delays cost is more than was asked, by its interval */
	CAUSAL_LATE = 32,    /* windows began late: the machine is busy */
	CAUSAL_CARRIED = 64, /* effects outlast windows */
	CAUSAL_SKIPPED = 128 /* more than 1 % of the delays were not made */
};

struct causal_result_site {
	struct causal_candidate candidate;
	double calls_unit;	      /* calls a unit of progress */
	double delay_low, delay_high; /* seconds a call, really spun */
	struct slopes_site slopes;
	/* mean time a unit at each level, for charts: [SLOPES_LEVELS], others as they came */
	struct slopes_value level[SLOPES_LEVELS];
};

struct causal_result {
	double rate_per_s; /* progress without delays: 1 / slopes.unit */
	struct slopes slopes;
	struct causal_result_site *site; /* as drawn */
	size_t sites;
	double window_s, elapsed_s; /* mean window; the experiment's length without the pilot */
	size_t left_out;	    /* windows: nothing completed in them, or beside them */
	double asked;		    /* slowdown */
	unsigned problems;	    /* enum causal_problem */
	uint64_t seed;
};

struct causal;

/* Creates the page. NULL and *err on failure. */
struct causal *causal_open(const struct causal_wishes *w, struct profile_error *err);
/* The command has been started: begin. 0, or -1 with errno. */
int causal_begin(struct causal *c);
/* No more delays, at once. From any thread. */
void causal_stop(struct causal *c);
struct causal_state causal_poll(const struct causal *c);
/* The command has ended, or causal_stop was called, or CAUSAL_ENDED was seen. The result is to be
 * freed with causal_result_free. 0; -1: no memory. */
int causal_end(struct causal *c, struct causal_result *r);
/* The result says nothing: see causal_page_refused. NULL: it is sound. After causal_end. */
const char *causal_refused(const struct causal *c);
void causal_result_free(struct causal_result *r);
void causal_close(struct causal *c); /* removes the page's file */

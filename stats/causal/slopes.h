// SPDX-License-Identifier: GPL-3.0-or-later
/* What a nanosecond more at a site costs: slopes of the time a unit of progress takes, from windows
 * in which calls at sites were delayed at random.
 *
 * Window w lasts T[w], N[w] units of progress complete in it, and x[w][s] is the delay of each call
 * at site s in it, drawn at random by the tool, independently of all else. With
 *      T[w] = N[w] (base[block of w] + sum over s of slope[s] x[w][s]) + e[w]
 * the slopes solve  sum over w of z[w] (T[w] - N[w] (...)) = 0,  the instruments z being the drawn
 * delays less their mean in the block (and the blocks' indicators): ratio estimates, as windows
 * with little progress count for little. N depends on the delays, the draws do not depend on e: so
 * no bias but that of a ratio. Draws are independent from window to window, hence so are the
 * scores z e, however slowly the machine changes (Fisher's argument for randomization); errors by
 * HC3 (MacKinnon and White 1985) with Satterthwaite's degrees of freedom (Bell and McCaffrey 2002),
 * blocks' fixed effects being partialled out. Carry-over: a delay whose effect falls into the next
 * window (a queue drains) is in the coefficient of the window before's draws; tested, and added
 * where it is there.
 *
 * Seconds throughout. Pure functions but for memory, allocated and freed inside. */
#ifndef SCPROF_STATS_CAUSAL_SLOPES_H
#define SCPROF_STATS_CAUSAL_SLOPES_H

#include <stdbool.h>
#include <stddef.h>

#define SLOPES_SITES   63
#define SLOPES_LEVELS  3  /* 0: no delay, 1: the lower, 2: the higher */
#define SLOPES_WINDOWS 32 /* fewer tell nothing */

struct slopes_window {
	double time, progress; /* how long; units that completed */
	double latency;	       /* sum of the units' own durations; NAN: they have none */
	double disturbed;      /* a covariate that delays do not change: stolen time, seconds */
	size_t block;	       /* windows of one block are neighbours; ascending from 0 */
};

struct slopes_data {
	size_t windows, sites;
	const struct slopes_window *window;
	/* [windows][sites]: the level drawn, and the delay of a call that it means: what was really
	 * spun on average at that site and level, not what this window saw. */
	const unsigned char *level;
	const double *delay;
	/* CPU time a unit that each thread takes without delays, [threads], and its calls a unit at
	 * each site, [threads][sites]. None: nothing is known of other threads. */
	size_t threads;
	const double *busy, *calls;
};

struct slopes_value {
	double value, error, freedom; /* Student's t; NAN: not known */
};

/* What two levels and other sites' delays say of whether the slope is one number. */
enum slopes_shape {
	SLOPES_STRAIGHT,   /* nothing else is seen */
	SLOPES_CONVEX,	   /* longer delays cost more each: it becomes critical when slower */
	SLOPES_CONCAVE,	   /* they cost less each: slack elsewhere, or saturation */
	SLOPES_CONDITIONAL /* it depends on whether other sites are delayed: a balance */
};

#define SLOPES_THREADS 8 /* the busiest are kept */
struct slopes_thread {
	double busy, calls; /* a unit: CPU time, calls at the site */
};

struct slopes_site {
	/* Seconds a unit per second a call: between no delay and the levels drawn; from no delay to
	 * the lower level; from there to the higher. */
	struct slopes_value slope, low, high;
	/* The slope while the sites that it interacts with are delayed: what a speed-up meets; NAN
	 * where none does. */
	struct slopes_value others_slower;
	/* By how much the slope falls for each second off a call, by what the others' delays do to
	 * it; NAN: nothing of the kind is seen. */
	struct slopes_value bend;
	struct slopes_value latency;	  /* of the mean duration of a unit */
	struct slopes_value latency_bend; /* as bend; where nothing is seen, by its own levels */
	double tested;			  /* the higher level's mean delay of a call, seconds */
	double p;			  /* of a slope this far from 0, if it were 0 */
	double q;			  /* Benjamini and Hochberg (1995), over the sites */
	enum slopes_shape shape;
	size_t interacts; /* with which site most; SIZE_MAX: none */
	bool known;	  /* false: drawn in too few windows */
	struct slopes_thread thread[SLOPES_THREADS];
	size_t threads;
};

struct slopes {
	struct slopes_value unit;     /* time a unit takes without delays, and without what disturbs
					 windows now and then: that comes by the second */
	struct slopes_value latency;  /* a unit's own duration without delays; NAN */
	struct slopes_value slowdown; /* relative: what all delays together cost, 0.05 for 5 % */
	double carried;		      /* p of the window before's draws together */
	bool carry;		      /* their coefficients are in the slopes */
	size_t windows;		      /* used */
};

/* 0; -1: no memory. *out and site[sites] are filled in any case, with NAN where nothing is known.
 * `q`: the false discovery rate at which shapes are told (0.05). */
int slopes_fit(const struct slopes_data *d, double q, struct slopes *out, struct slopes_site *site);

/* What a speed-up of `share` (0.1) of a call that takes `call` seconds would bring. The slope is
 * right until something else takes longer. No unit takes less time than a thread is busy for it
 * (the asymptotic bound of operational analysis, Denning and Buzen 1978), and the threads' times
 * are known: so a prediction ends at the busiest thread, and is an upper bound when one is near. */
struct slopes_prediction {
	double percent, low, high; /* of throughput; NAN: not known */
	bool at_most; /* the slope is not one number towards faster, or it may change before: an
			 upper bound */
	bool at_least;
	bool thread_near; /* at_most because of another thread that is nearly as busy */
	bool hidden;	  /* at_most because something else is waited for most of the time */
	double beyond;	  /* time off a call / highest delay tested: above 1 the line is extended by
			     more than was tested; NAN: not known */
	double latency_percent, latency_low, latency_high; /* less time a unit; NAN */
};
struct slopes_prediction slopes_predict(const struct slopes *all, const struct slopes_site *site,
					struct slopes_value call, double share, double confidence);

#endif

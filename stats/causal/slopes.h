// SPDX-License-Identifier: GPL-3.0-or-later
/* Estimates what one more nanosecond at a site costs. The result is a slope: the change of the time
 * per unit of progress. The data are windows in which calls at sites were delayed at random.
 *
 * Window w lasts T[w], N[w] units of progress complete in it, and x[w][s] is the delay of each call
 * at site s in it, which the tool draws at random, independently of everything else. With
 *      T[w] = N[w] (base[block of w] + sum over s of slope[s] x[w][s]) + e[w]
 * the slopes solve sum over w of z[w] (T[w] - N[w] (...)) = 0, where the instruments z are the
 * drawn delays minus their mean in the block (and the blocks' indicators). These are ratio
 * estimates: windows with little progress have little weight. N depends on the delays, but the
 * draws do not depend on e, so the only bias is that of a ratio. Draws are independent between
 * windows, and so are the scores z e, even if the machine changes slowly (Fisher's argument for
 * randomization). Errors are by HC3 (MacKinnon and White 1985) with Satterthwaite's degrees of
 * freedom (Bell and McCaffrey 2002); the blocks' fixed effects are partialled out. Carry-over is a
 * delay whose effect falls into the next window (a queue drains). It appears in the coefficient of
 * the previous window's draws; this is tested, and added if present.
 *
 * Seconds throughout. Pure functions but for memory, allocated and freed inside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SLOPES_SITES   63
#define SLOPES_LEVELS  3  /* 0: no delay, 1: the lower, 2: the higher */
#define SLOPES_WINDOWS 32 /* minimum number of windows */

struct slopes_window {
	double time, progress; /* duration; number of units completed */
	double latency;	       /* sum of the durations of the units; NAN: units have no duration */
	size_t block;	       /* ascending from 0; a block is consecutive windows */
};

struct slopes_data {
	size_t windows, sites;
	const struct slopes_window *window;
	/* [windows][sites]: the level drawn; and the delay of a call at that level: the average
	 * delay really spun at that site and level over all windows, not in this window alone. */
	const unsigned char *level;
	const double *delay;
	/* CPU time per unit that each thread takes without delays, [threads], and its calls per
	 * unit at each site, [threads][sites]. threads = 0: other threads are unknown. */
	size_t threads;
	const double *busy, *calls;
};

struct slopes_value {
	double value, error, freedom; /* Student's t; NAN: not known */
};

/* Shape of the cost over the delay, from two levels and from delays of other sites. */
enum slopes_shape {
	SLOPES_STRAIGHT,   /* no sign of another shape */
	SLOPES_CONVEX,	   /* longer delays cost more each: the site becomes critical when slower */
	SLOPES_CONCAVE,	   /* longer delays cost less each: slack elsewhere, or saturation */
	SLOPES_CONDITIONAL /* the slope depends on delays at other sites: the sites are balanced */
};

#define SLOPES_THREADS 8 /* the busiest threads are kept */
struct slopes_thread {
	double busy, calls; /* per unit: CPU time, calls at the site */
};

struct slopes_site {
	/* Seconds per unit per second of delay per call: from no delay to both levels drawn; from
	 * no delay to the lower level; from the lower to the higher level. */
	struct slopes_value slope, low, high;
	/* The slope while the sites that interact with this one are delayed: it applies to a
	 * speed-up. NAN if no site interacts. */
	struct slopes_value others_slower;
	/* How much the slope falls for each second that a call gets shorter, derived from the
	 * delays of the other sites; NAN: no such effect was seen. */
	struct slopes_value bend;
	struct slopes_value latency;	  /* of the mean duration of a unit */
	struct slopes_value latency_bend; /* as bend, by its own levels */
	double tested;			  /* mean delay of a call at the higher level, seconds */
	double p;			  /* p-value of this slope if the true one is 0 */
	double q;			  /* Benjamini and Hochberg (1995), over all sites */
	enum slopes_shape shape;
	size_t interacts; /* the site with the strongest interaction; SIZE_MAX: none */
	bool known;	  /* false: drawn in too few windows */
	struct slopes_thread thread[SLOPES_THREADS];
	size_t threads;
};

struct slopes {
	struct slopes_value unit;     /* time per unit without delays */
	struct slopes_value latency;  /* duration of a unit without delays; NAN: unknown */
	struct slopes_value slowdown; /* total cost of all delays, relative: 0.05 is 5 % */
	double carried;		      /* p-value of the previous window's draws having no effect */
	size_t carrier;		      /* the site whose have the surest one, if any `carry` */
	bool carry;		      /* the slopes include the coefficients of those draws */
	size_t windows;		      /* number of windows used */
};

/* Returns 0; -1: no memory. *out and site[sites] are always filled in; unknown values are NAN. `q`:
 * the false discovery rate for reported shapes (0.05). */
int slopes_fit(const struct slopes_data *d, double q, struct slopes *out, struct slopes_site *site);

/* The predicted effect when a call that takes `call` seconds gets faster by `share` (0.1). The
 * slope holds until something else takes longer. A unit takes at least the time that a thread is
 * busy for it (the asymptotic bound of operational analysis, Denning and Buzen 1978). So a
 * prediction ends at the busiest thread, and it is an upper bound if a thread comes near. */
struct slopes_prediction {
	double percent, low, high; /* of throughput; NAN: unknown */
	bool at_most; /* an upper bound: the slope may change or end before this speed-up is
		       * reached */
	bool at_least;
	bool thread_near; /* at_most is set because another thread is nearly as busy */
	bool hidden;	  /* at_most is set because the program mostly waits for something else */
	double latency_percent, latency_low, latency_high; /* reduction of latency; NAN: unknown */
};
struct slopes_prediction slopes_predict(const struct slopes *all, const struct slopes_site *site,
					struct slopes_value call, double share, double confidence);

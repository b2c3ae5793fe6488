// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs as recursions of instants (max-plus), with calls that can be delayed in windows. */
#ifndef SCPROF_BENCH_CAUSAL_MODELS_H
#define SCPROF_BENCH_CAUSAL_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/causal/slopes.h"
#include "stats/numerics/random.h"

#define REAL_SITES 3 /* of a program; the others' calls lie in a thread that nobody waits for */

enum program {
	SERIAL,
	UNBALANCED,
	NEAR,
	BALANCED,
	FORK_JOIN,
	LOCK,
	OPEN_LOOP,
	CLOSED_LOOP,
	ASLEEP,
	PROGRAMS
};
extern const char *const program_name[PROGRAMS];

struct machine {
	struct random random;
	double window_s;
	size_t windows;
	size_t sites;		     /* drawn */
	double drift;		     /* deviation of the speed's logarithm; 0: none */
	double steal_s, steal_every; /* how long; one in so many windows (0: never) */
	double high;		     /* the higher delay, as a share of a unit */
	bool delays;
	double faster; /* calls of site `which` are shorter by this share of their mean */
	bool each;     /* of each call's own duration */
	size_t which;
};

/* Runs a program. Fills windows, levels and delays as slopes.h wants them, and the mean time of a
 * call of each real site. */
void models_run(enum program which, struct machine *m, struct slopes_window *window,
		unsigned char *level, double *delay, double call[REAL_SITES]);
size_t models_sites(enum program which); /* real ones */
/* What threads do: busy[threads] seconds a unit and calls[threads][sites] a unit, from the mean
 * times of calls. Returns how many there are, at most MODELS_THREADS. */
#define MODELS_THREADS 4
size_t models_threads(enum program which, const double call[REAL_SITES], size_t sites, double *busy,
		      double *calls);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Uncharged time, estimated from a fluid's windows.
 *
 * In a window the fluid was charged `charged` seconds, of which `work` did not go into its own
 * progress: interrupts, softirqs, the kernel's part of switching. A part of that is there without
 * the program (the timer's tick, other devices): a rate `rest` of charged time, measured while the
 * program does not run. Each switch to another task and back costs the fluid `switching.cost`,
 * measured separately. What is left is the program's:
 *
 *      uncharged = work - switches x cost - rest x charged
 *
 * Excluded windows (stolen time, a changed clock rate) are not used; what happened in them is
 * assumed to be as in the others, in proportion to `weight`, the program's CPU time (or plain time
 * where it used none), and no more than the fluid was charged in them.
 *
 * Windows depend on one another, since a program has phases and interrupts come in bursts; so
 * errors come from the sums over stretches of time, with the serial correlation that these still
 * show. Seconds throughout. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct displacement_window {
	double at, span; /* its middle, on any clock that all series share; its length */
	double charged, work, weight;
	double switches;
	bool aside;
};

/* Windows of one CPU, in the order of time. */
struct displacement_series {
	struct displacement_window *window;
	size_t count;
};

/* A measured value, its standard error and the degrees of freedom of that error. Error INFINITY:
 * the value is unknown. */
struct displacement_value {
	double value, error, freedom;
};

/* Windows are summed over stretches of time: up to 32 stretches of at least 3 windows. With fewer
 * than 4 stretches the value has no error. */
#define DISPLACEMENT_STRETCHES 32

/* Cost of one switch from rounds in pairs: what the fluid was charged beyond its progress
 * with a switch and without one. The median of the differences, since a round may be interrupted;
 * error from their median absolute deviation. `scratch`: room for n values. */
struct displacement_value displacement_switching(const double *with, const double *without,
						 size_t n, double *scratch);

/* The cost of a switch that is of the second kind with a probability from `low` to `high`, and of
 * the first kind otherwise: uniform between the two (a rectangle: deviation of its width over root
 * 12; JCGM 100:2008, "Guide to the expression of uncertainty in measurement", 4.3.7). That of one
 * kind where the other is unknown. */
struct displacement_value displacement_switching_of(struct displacement_value first,
						    struct displacement_value second, double low,
						    double high);

/* The same for so many switches of a CPU that got so many rescheduling interrupts (NAN: not known).
 * A switch of the second kind takes one. Up to `struck` of the interrupts came while another task
 * had the CPU and switched no fluid. */
struct displacement_value displacement_switching_on(struct displacement_value here,
						    struct displacement_value away, double switches,
						    double interrupts, double struck);

/* Rate of work per charged time while the program does not run, switches subtracted. */
struct displacement_value displacement_rest(const struct displacement_series *s,
					    double switch_cost);

/* The same from the idle phases before and after a run, pooled by charged time; the error includes
 * what they differ by beyond their own errors. One may be empty. */
struct displacement_value displacement_rests(const struct displacement_series s[2],
					     double switch_cost);

/* The rate while the program runs, known only from the idle phases around it. It wanders from
 * second to second, as the host's other guests make each interrupt cheaper or dearer: by
 * DISPLACEMENT_WANDER of itself (root mean square of neighbouring half seconds of a virtual
 * machine; docs/displacement.md), which one pair of idle phases cannot show. */
#define DISPLACEMENT_WANDER 0.2
struct displacement_value displacement_rest_beside(struct displacement_value rests);

/* The uncharged of several CPUs together. rest[i] and switching[i] are CPU i's. The costs of a
 * switch come from one measurement: their errors add up, and are in the rates at rest as well. So
 * they count for the switches beyond those that there are at rest: rest_switches[i] a second of
 * charged time (NULL: none). */
struct displacement_uncharged {
	struct displacement_value total; /* the error includes those of rest and switching */
	double within;			 /* error from the windows alone */
	double resting, switched;	 /* seconds subtracted, also for excluded windows */
	double charged; /* to the fluid, also in excluded windows: no uncharged can be larger */
	size_t windows, kept;
	double share_kept; /* share of the fluid's charged time */
	double inflation;  /* of the variance, for serial correlation; 1: none seen */
};
struct displacement_uncharged displacement_uncharged(const struct displacement_series *series,
						     const struct displacement_value *rest,
						     size_t cpus,
						     const struct displacement_value *switching,
						     const double *rest_switches);

/* How much more than `uncharged` interrupts may have taken on a CPU, because they struck other
 * tasks, which are charged for it then. `bound`: all the time that other tasks had: nobody knows
 * whether interrupts struck them as often as the fluid. Else twice as often as the fluid, which is
 * charged `charged`, and no more than their time. */
#define DISPLACEMENT_BOUND_SHARE 0.05 /* share of the CPUs' time from which it is a bound */
bool displacement_is_bound(double others, double wall);
double displacement_hidden(double uncharged, double charged, double others, bool bound);

/* Adds an independent error, by Welch and Satterthwaite: degrees of freedom of a sum of errors,
 * each of 1 at least, since with fewer the limits of Student's t are millions of errors wide. */
void displacement_add_error(struct displacement_value *v, double error, double freedom);

/* The limits at `confidence` by Student's t; infinite where the error is. */
void displacement_limits(struct displacement_value v, double confidence, double *low, double *high);

/* Several runs of one program: their mean. From five runs on, its error is how much the runs
 * differ; with fewer, the larger of that and what the runs' own errors give. */
struct displacement_value displacement_mean(const struct displacement_value *run, size_t runs);

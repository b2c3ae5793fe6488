// SPDX-License-Identifier: GPL-3.0-or-later
/* The displacement procedure as published: Woodside, Courtois and Schramm (1997), "A
 * 'Displacement' Technique for Robust Portable Measurement of Communications Processing
 * Overheads", sections 2 and 3. Their names: F the fluid process, PUT the process under
 * test, L loops, T wall-clock seconds, tau seconds a loop; (1) the calibration, (2) the
 * run together. Pure functions.
 */
#ifndef SCPROF_STATS_DISPLACEMENT_WOODSIDE_H
#define SCPROF_STATS_DISPLACEMENT_WOODSIDE_H

#include <stddef.h>

struct woodside_step {
	double time;	/* T_F */
	double loops;	/* L_F */
	double daemons; /* D: time taken by other processes and the host */
};

/* tau_F = T_F(1) / L_F(1). */
double woodside_tau_fluid(const struct woodside_step *alone);

/* T_PUT(2) = T_F(2) - L_F(2) tau_F. */
double woodside_displaced(const struct woodside_step *together, double tau_fluid);

/* The error of tau_PUT by its sources, seconds a loop (section 3). The paper gives a signed value
 * for the daemons and for starting, which calculated values contain and which may be subtracted;
 * bounds for the others. */
struct woodside_errors {
	double daemons;	   /* (D(2) - D(1) L_F(2) / L_F(1)) / L_PUT */
	double cache;	   /* intervals of F x (K - 1) loops' worth, over L_PUT; >= 0 */
	double resolution; /* +- clock (1 + L_F(2) / L_F(1)) / (2 L_PUT) */
	double start;	   /* S / L_PUT */
};

struct woodside_known {
	double loops;	   /* L_PUT */
	double clock;	   /* resolution of the wall clock */
	double start;	   /* S: starting and stopping the program, seconds */
	double intervals;  /* times that F came back to the CPU in step 2 */
	double first_loop; /* seconds that F's first loop takes beyond tau_F, its cache cold */
};

struct woodside_errors woodside_errors(const struct woodside_step *alone,
				       const struct woodside_step *together,
				       const struct woodside_known *known);

#endif

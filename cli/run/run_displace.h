// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --displace`: the account of the CPUs' time, in addition to the profile. */
#ifndef SCPROF_CLI_RUN_RUN_DISPLACE_H
#define SCPROF_CLI_RUN_RUN_DISPLACE_H

#include <sys/resource.h>

#include "collector/displacement/displacement.h"
#include "collector/displacement/displacement_summary.h"
#include "collector/launch/launch.h"
#include "profile/profile.h"
#include "collector/displacement/sites/site_costs_run.h"
#include "collector/displacement/sites/site_dither.h"
#include "collector/displacement/sites/site_samples.h"

struct run_displace {
	struct displacement *d; /* NULL: not asked for, or the run is over */
	cpu_set_t cpus;
	struct rusage usage;
	bool ended; /* a run began and ended */
	bool settled, has_sites;
	struct site_costs_result sites;	     /* if has_sites */
	struct displacement_run run;	     /* if settled */
	struct displacement_summary account; /* of `run`; if settled */
	struct site_samples *samples;	     /* NULL: nothing is recorded */
	struct site_dither *dither;	     /* NULL: none */
	const struct launch *launch;	     /* while it is waited for */
};

/* --dither, before run_displace_open and the environment is set: makes the page of delays. 0, or
 * -1, having said why. */
int run_displace_dither(struct run_displace *r, const char *page, double share);

/* Starts the fluid and measures the idle phase. `profiles`: the directory of the run; NULL: nothing
 * is recorded. 0, or an exit status, having said why. */
int run_displace_open(struct run_displace *r, const char *profiles);

/* For launch_start_held and launch_wait_watched; NULL or plain waiting without a fluid. */
struct launch_hold run_displace_hold(struct run_displace *r);
int run_displace_wait(struct run_displace *r, struct launch *l);

/* The idle phase after the run, and the end of the fluid. `interrupted`: by the user, who does not
 * want to wait for an idle phase. Does nothing without a fluid. */
void run_displace_settle(struct run_displace *r, bool interrupted);

/* After that: puts the cost of a call at each site and the account into the profile that was
 * gathered from `profiles`. */
void run_displace_sites(struct run_displace *r, const char *profiles, struct profile *p);

/* After that: prints the account on standard error and frees everything. */
void run_displace_finish(struct run_displace *r, char **command);

/* Frees everything where the command could not be started. */
void run_displace_abandon(struct run_displace *r);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Displacement as published (woodside.h has the equations), run for a command.
 *
 * A first run of the command beside an endless fluid finds L_F(2). It is long enough if each fluid
 * begins before the command and ends after it. A replication is step 1, the fluid alone with
 * L_F(1) = L_F(2), and step 2, both together. With several CPUs there is a fluid on each, and what
 * is displaced is summed.
 *
 * It needs nothing but a wall clock and threads that can be pinned. On a machine whose host
 * steals time, or which others use, the result is off by what they take: that is e_daemons, which
 * is printed with it.
 */
#ifndef SCPROF_COLLECTOR_DISPLACEMENT_WALL_METHOD_H
#define SCPROF_COLLECTOR_DISPLACEMENT_WALL_METHOD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/profile.h"
#include "stats/displacement/woodside.h"
#include "stats/mean/replications.h"

struct wall_method_options {
	cpu_set_t cpus;
	uint32_t replications;
	double loops; /* L_PUT; 1 where the command is one operation */
	double confidence;
	const char *path; /* of the command, as launch_start has it */
	char **argv;
	bool shell_fallback;
	/* No replication begins later than so many seconds after the first, and one whose fluid
	 * runs on then is given up; the command itself is never cut short. 0: however long. */
	double longest_s;
	/* Before each replication, with the number of those that are done; NULL: no callback. */
	void (*progress)(void *context, size_t done);
	void *context;
};

/* Sums over the CPUs; times in seconds. */
struct wall_method_replication {
	struct woodside_step alone, together;
	double tau_fluid; /* T_F(1) / L_F(1), all CPUs */
	double displaced; /* T_PUT(2): of each CPU by its own tau_F, summed */
	double rusage;
	double intervals;
	double stolen[2], others[2];   /* D(1), D(2) by who took it */
	struct woodside_errors errors; /* a loop */
};

enum wall_method_end {
	WALL_METHOD_DONE,
	WALL_METHOD_FAILED,
	WALL_METHOD_EXEC,
	WALL_METHOD_STOPPED
};

struct wall_method_result {
	struct wall_method_replication *replication;
	size_t count;
	uint64_t loops_fluid; /* L_F, all CPUs together */
	unsigned tries;	      /* runs of the command that found it, or found it too short */
	double clock, start, first_loop; /* Delta, S, and what e_cache is made of */
	struct replications_mean displaced, rusage, tau_fluid; /* a run; a fluid loop */
	struct woodside_errors errors;			       /* means, of a loop */
	int status;	  /* of the command: the first that was not 0 */
	int stopped_by;	  /* a signal; 0: none */
	bool out_of_time; /* fewer replications than were asked for: longest_s was over */
	int exec_errno;	  /* WALL_METHOD_EXEC */
};

/* WALL_METHOD_DONE also where a signal or the time ended it after at least one replication.
 * In any case the result is to be freed by wall_method_free. */
enum wall_method_end wall_method_measure(const struct wall_method_options *o,
					 struct wall_method_result *r, struct profile_error *err);
void wall_method_free(struct wall_method_result *r);

/* The fluid process of the paper: so many loops of arithmetic at ordinary priority, the
 * wall-clock time at the beginning and at the end, and nothing else. One on each CPU. */

struct wall_method_fluid;

/* Room for a fluid a CPU of the set; none runs yet. NULL: out of memory. */
struct wall_method_fluid *wall_method_fluid_make(const cpu_set_t *cpus);
size_t wall_method_fluid_count(const struct wall_method_fluid *f);

/* Starts them; fluid i runs loops[i] loops, or until it is stopped where that is 0. They have
 * begun when it returns. 0; -1 with errno: a thread could not be started or pinned. */
int wall_method_fluid_start(struct wall_method_fluid *f, const uint64_t *loops);

bool wall_method_fluid_ended(const struct wall_method_fluid *f); /* all of them */
bool wall_method_fluid_any_ended(const struct wall_method_fluid *f);
/* Loops that fluid i has done since it was started, while it runs: some 1000 too few at most. */
uint64_t wall_method_fluid_done(const struct wall_method_fluid *f, size_t i);
/* Ends those that run, waits for all. */
void wall_method_fluid_finish(struct wall_method_fluid *f);

/* After wall_method_fluid_finish: what fluid i did in its last run. */
struct wall_method_fluid_run {
	double began, ended; /* seconds of CLOCK_MONOTONIC */
	uint64_t loops;
	uint64_t intervals; /* times that it came back to the CPU, and one */
};
struct wall_method_fluid_run wall_method_fluid_result(const struct wall_method_fluid *f, size_t i);

/* Seconds that the loop takes longer with cold caches, the first time: the paper's K. */
double wall_method_fluid_first_loop(void);

void wall_method_fluid_free(struct wall_method_fluid *f);

#endif

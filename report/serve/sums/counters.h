// SPDX-License-Identifier: GPL-3.0-or-later
/* The sums that are published: by service (a program), function, outcome and clock. They only grow.
 * What a process adds between two readings is added here; that the process ends, or its file goes
 * away, changes nothing. Sums are wide: no file can make them wrap. Names beyond a limit share the
 * name LABEL_OTHER for good: a name that was counted there never gets a row of its own later, so
 * that no series starts with a part of its calls. Single-threaded. */
#pragma once

#include <stdio.h>

#define HASH_NONFATAL_OOM 1
#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "profile/profile.h"

#define LABEL_BYTES 256 /* of a value, with the NUL */

/* The value that stands for all names beyond a limit; a name that is this is one of them. */
#define LABEL_OTHER "other"

/* Makes a name safe: broken UTF-8, controls and marks of direction are replaced by U+FFFD, what
 * is longer is cut between characters and ends in "...". Names that become equal are one. Never
 * empty: "" becomes "unknown". */
void label_clean(char out[LABEL_BYTES], const char *name);

/* "name@UID" for what belongs to another user; the name is cut where both do not fit. */
void label_add_user(char name[LABEL_BYTES], unsigned uid);

/* NAME="VALUE" with backslash, quote and newline escaped, as OpenMetrics and the text format
 * 0.0.4 both want them. */
void label_write(FILE *out, const char *name, const char *value);

/* The variance of a sum of durations, with the dependence between calls, as a counter that never
 * decreases: its increase over any window is the variance of the time added in that window.
 * Consecutive calls are not independent, so their squares alone are not enough. What happens
 * between two readings is a batch, whose sum contains all dependence shorter than it. The distance
 * of a batch with n calls and sum s from m n, the prediction of earlier batches, is its recursive
 * residual (Brown, Durbin and Evans 1975, J. R. Stat. Soc. B 37, eq. 2): with u the variance of m
 * in units of a call's, (s - m n)^2 / (1 + n u) has the variance of s as its mean. m forgets: the
 * weight of a batch halves within 14 more, so that a mean that drifts over hours does not count as
 * variance. Unlike the library's batches, which grow with the run, these are of the window.
 * Variances of independent sums add up: over processes, hosts and windows. Pure functions. */

/* Zeros: nothing is known yet. Any unit of time. */
struct variance_counter {
	double calls, time; /* of earlier batches, with decreasing weights */
	double noise;	    /* variance of `time`, in units of a call's */
	double waiting;	    /* calls of batches without a prediction */
	double variance;    /* of all time that was added: never decreases */
	double batches;	    /* that it was made from: its degrees of freedom, about */
};

/* Adds a batch; where it has no calls, nothing happens. */
void variance_counter_add(struct variance_counter *s, double calls, double time);

#define COUNTERS_OVERFLOW SCP_OUTCOMES	     /* as an outcome: calls that found no room */
#define COUNTERS_OUTCOMES (SCP_OUTCOMES + 1) /* those of the format, and that */
#define COUNTERS_CLOCKS	  SCP_CLOCK_DUAL     /* kinds: 1 .. 5 */

/* Models by function (functions_add) of a service's processes, one a kind of clock.
 * Single-threaded. */
struct pool {
	struct profile *model[COUNTERS_CLOCKS]; /* NULL: none */
	uint64_t left_out; /* processes of another tick than the first one of that clock */
};

void pool_free(struct pool *p);

/* To the model of its clock. skip: as of functions_add. 0; -1: out of memory. */
int pool_add(struct pool *p, const struct profile *from, const bool *skip);

/* All of another pool. */
int pool_join(struct pool *p, const struct pool *from);

/* These add up to the seconds of calls whose states are known. */
enum counters_state { COUNTERS_ON_CPU, COUNTERS_RUNNABLE, COUNTERS_ASLEEP, COUNTERS_STATES };

/* Sums over calls. Seconds have been converted when they were added, each with the
 * clock's rate as it was known then. */
struct counters_sums {
	prof_u128 calls, ticks, bytes;
	long double seconds, square_seconds; /* as measured, overhead included */
	long double overhead_seconds;	     /* what of it scprof took, as it was measured */
	long double state_seconds[COUNTERS_STATES];
	long double switched_calls; /* estimated without a detector */
};

struct counters_row {
	struct counters_sums sums;
	struct variance_counter spread; /* of `seconds`; by batches of calls */
	prof_u128 spread_calls;		/* of sums: in a batch already, or never to be in one */
	long double spread_seconds;
	bool has_bytes, has_states;
	uint64_t stamp; /* private to row_counters.c: which of its lists has this row, */
	uint32_t cell;	/* and where */
	uint64_t shown; /* private to gauges.c: in which list it is already */
};

struct counters_function {
	char name[LABEL_BYTES], library[LABEL_BYTES];
	struct counters_row *row[COUNTERS_OUTCOMES][COUNTERS_CLOCKS]; /* NULL: no calls yet */
	bool waits; /* it is there to wait: see report/model/sites.h */
	UT_hash_handle hh;
	char key[]; /* name, NUL, library */
};

enum counters_loss { COUNTERS_SKIPPED, COUNTERS_ABANDONED, COUNTERS_UNCLASSIFIED, COUNTERS_LOSSES };
extern const char *const counters_loss_names[COUNTERS_LOSSES];

/* What a run of a service that is under way computes, by samples: so far, of the functions with
 * most of it, and of all others together, which come last. Labels differ. */
#define COUNTERS_COMPUTING 20

struct counters_computing {
	struct {
		char function[LABEL_BYTES], library[LABEL_BYTES];
		double cpu_s;
	} row[COUNTERS_COMPUTING + 1];
	uint32_t rows;
	uint64_t next_ns, until_ns; /* when to read it again, and how long it holds */
};

/* The largest ones first, as they are called by the profile. */
void counters_computing_add(struct counters_computing *c, const char *function, const char *library,
			    double cpu_s);

struct counters_service {
	char name[LABEL_BYTES];
	bool foreign;			     /* another user's, */
	unsigned uid;			     /* who is this one */
	struct counters_function *functions; /* a hash; in the order in which they came */
	struct counters_function *other;
	uint32_t named;	    /* functions with rows of their own */
	uint64_t processes; /* seen */
	uint32_t detectors; /* that saw them: a bit for each enum scp_switch_detector */
	prof_u128 lost[COUNTERS_LOSSES];
	struct pool pool; /* of the processes that have ended */
	struct counters_computing computing;
	UT_hash_handle hh;
};

struct counters {
	struct counters_service *services; /* a hash; likewise */
	struct counters_service *other;
	uint32_t named, most_services, most_functions; /* these two are set at the beginning */
	uint64_t unnamed;			       /* processes of programs beyond the limit */
	uint64_t stamp;				       /* private to row_counters.c */
};

void counters_end(struct counters *c);

/* The service of a program, by its name; of another user's (uid NULL: ours) that is "name@UID", so
 * that nobody can imitate one of ours. No such user gets more than half of the names that are left
 * by everybody else. NULL: out of memory. */
struct counters_service *counters_service(struct counters *c, const char *program,
					  const unsigned *uid);

/* The function's place; that of "other" beyond the limit. NULL: out of memory. */
struct counters_function *counters_function(struct counters *c, struct counters_service *s,
					    const char *name, const char *library);

/* Its row. NULL: out of memory, or there is no such clock. */
struct counters_row *counters_row(struct counters_function *f, unsigned outcome, uint32_t clock);

/* past: from before the agent began, in an unknown time, so it belongs to no batch. */
void counters_add(struct counters_row *row, const struct counters_sums *more, bool past);

/* A round of readings has ended: what it added is a batch. */
void counters_close_batches(struct counters *c);

/* "completed", ...; "overflow". */
const char *counters_outcome_name(unsigned outcome);

/* The sums of one process in each published row, so that the next reading can add the difference.
 * If any sum has decreased, nothing is added: the file is damaged, or another one. Single-threaded.
 */

/* Sums of the calls that are known to be switched or not: weighted sums (struct scp_off_cpu). */
struct cell_states {
	bool any;
	prof_u128 units; /* of all these calls */
	double switched, known, weighted, runnable_ns, asleep_ns;
};

struct cell_sums {
	prof_u128 calls, ticks, bytes, units, units_sq, inner_calls;
	bool has_bytes;
	struct cell_states states;
	/* These are published: an estimate may go back, a counter may not. So each is the largest
	 * so far. */
	long double state_seconds[COUNTERS_STATES], switched_calls;
};

struct cell {
	struct counters_row *row;
	struct cell_sums now, last; /* last: of what was published */
};

struct cells {
	struct cell *cell; /* a row is in it once */
	uint32_t count;
	uint64_t lost[COUNTERS_LOSSES], lost_last[COUNTERS_LOSSES];
};

/* Take a reading of one file's model. skip[function of p] becomes true where it is counted
 * under LABEL_OTHER. 0, -1: out of memory. row_counters_free is due either way. */
int row_counters_take(struct cells *cells, struct counters *c, struct counters_service *s,
		      const struct profile *p, bool *skip);
void row_counters_free(struct cells *cells);

/* Add to the rows what that reading has more than the last one, or (count false) only keep it, with
 * the clock and overhead of p; past: as of counters_add. Estimates that are less than before become
 * those. *grew: there are more calls. 0, or -1 and nothing was added: a sum is less than it was. */
int row_counters_publish(struct cells *cells, struct counters_service *s, const struct profile *p,
			 bool count, bool past, bool *grew);

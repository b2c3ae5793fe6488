// SPDX-License-Identifier: GPL-3.0-or-later
/* The sums that are published: by service (a program), function, outcome and clock.
 *
 * They only grow. What a process adds between two readings is added here; that the process
 * ends, or its file goes away, changes nothing. Sums are wide: no file can make them wrap.
 *
 * Names beyond a limit share the name LABEL_OTHER for good: a name that was counted there never
 * gets a row of its own later, so that no series starts with a part of its calls. Single-threaded.
 */
#ifndef SCPROF_SERVE_SUMS_COUNTERS_H
#define SCPROF_SERVE_SUMS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <uthash.h>

#include "serve/sums/label.h"
#include "profile/profile.h"
#include "serve/sums/variance_counter.h"

#define COUNTERS_OVERFLOW SCP_OUTCOMES	     /* as an outcome: calls that found no room */
#define COUNTERS_OUTCOMES (SCP_OUTCOMES + 1) /* those of the format, and that */
#define COUNTERS_CLOCKS	  SCP_CLOCK_DUAL     /* kinds: 1 .. 5 */

/* Where their time went, of calls of which that is known: these add up to their seconds. */
enum counters_state { COUNTERS_ON_CPU, COUNTERS_RUNNABLE, COUNTERS_ASLEEP, COUNTERS_STATES };
extern const char *const counters_state_names[COUNTERS_STATES];

/* What adds up over calls. Seconds have been converted when they were added, each with the
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
	bool waits; /* it is there to wait: see report/model/waiting.h */
	UT_hash_handle hh;
	char key[]; /* name, NUL, library */
};

enum counters_loss { COUNTERS_SKIPPED, COUNTERS_ABANDONED, COUNTERS_UNCLASSIFIED, COUNTERS_LOSSES };
extern const char *const counters_loss_names[COUNTERS_LOSSES];

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
	struct pool *pool; /* of the processes that have ended (pool.h) */
	UT_hash_handle hh;
};

struct counters {
	struct counters_service *services; /* a hash; likewise */
	struct counters_service *other;
	uint32_t named, most_services, most_functions;
	uint64_t unnamed; /* processes of programs beyond the limit */
	uint64_t stamp;	  /* private to row_counters.c */
};

void counters_begin(struct counters *c, uint32_t most_services, uint32_t most_functions);
void counters_end(struct counters *c);

/* The service of a program, by its name. NULL: out of memory. */
struct counters_service *counters_service(struct counters *c, const char *program);

/* The service of another user's program is called "name@UID", so that nobody can imitate one of
 * ours. No such user gets more than half of the names that are left by everybody else. */
struct counters_service *counters_service_of(struct counters *c, const char *program, unsigned uid);

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

#endif

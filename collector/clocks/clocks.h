// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks that a profile can be taken with: which one is the default here and why, and a
 * self-test of all of them on this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collector/clocks/clocks_read.h"
#include "stats/mean/replications.h"
#include "profile/profile.h"

/* The ticks of a coarse clock as a reader sees them: how long they really are,
 * how much they vary, and whether several come at once. Pure; nanoseconds. */

/* One advance: seen between these two instants of the reference clock. */
struct tick_seen {
	uint64_t after_ns, by_ns;
	uint64_t reading; /* the new one, in the clock's own units */
};

struct tick_watch {
	struct tick_seen *seen; /* belongs to the caller; NULL: count nothing */
	size_t count, room;	/* of changes seen; those beyond `room` are left out */
	uint64_t last, last_before_ns;
	int begun;
};

/* The clock was read between before_ns and after_ns. */
void clocks_ticks_note(struct tick_watch *w, uint64_t reading, uint64_t before_ns,
		       uint64_t after_ns);

/* Changes that were seen sharply enough to date them; copied to `sharp` (room for
 * all), NULL: only counted. `tick_ns`: the tick asked for. */
size_t clocks_ticks_sharp(const struct tick_watch *w, double tick_ns, struct tick_seen *sharp);

struct tick_summary {
	uint64_t ticks;			 /* between the first sharp change and the last */
	size_t lengths;			 /* single ticks whose both ends were seen sharply */
	double mean_ns, low_ns, high_ns; /* of all ticks; interval at 95 % */
	double sd_ns;			 /* of the lengths seen, and their quantiles: */
	double min_ns, p10_ns, p50_ns, p90_ns, max_ns;
	uint64_t together;	/* times that more ticks came at once than the time allows */
	double together_max_ns; /* the most that the clock then jumped beyond one tick */
};

/* `unit_ns`: a unit of the readings (ticks of a page clock: the tick asked for; nanoseconds: 1).
 * `tick_ns`: the tick asked for. `shortest`: the shortest tick there can be, as a part of it. NANs
 * where fewer than 8 changes were seen sharply.
 *
 * The interval is Student's t on the means of up to 16 consecutive batches: what a late tick takes
 * from the next one, it gives back within a batch. */
void clocks_ticks_summarise(const struct tick_watch *w, double unit_ns, double tick_ns,
			    double shortest, struct tick_summary *s);

/* Does the processor's counter run at one rate on all CPUs, sleep states or not, and may it be read
 * here? `why` gets the reason, either way. */
bool clocks_verdict_trusts_counter(char *why, size_t size);

/* The clock for a run that does not choose one; `reason` is a clause that fits after "because".
 * Takes microseconds; the same question that the self-test answers, without its measurements. */
enum scp_clock_kind clocks_verdict_default(char *reason, size_t size);

#define CLOCKS_TESTED 5
#define CLOCKS_LATE   6

/* How late the page clock's ticker was over a window. */
struct clock_lateness {
	double tick_ns;
	bool busy; /* our threads kept all CPUs busy */
	uint64_t ticks;
	double mean_ns, max_ns, share; /* share: later than half a tick */
	const char *scheduling;	       /* of the ticker: static text */
};

/* Durations in nanoseconds. NAN: does not apply, or could not be measured. */
struct clock_test {
	enum scp_clock_kind kind;
	bool usable;
	double step_ns;	   /* resolution: smallest nonzero step between two readings */
	double claimed_ns; /* clock_getres; the interval of the page clock */
	struct replications_mean read, read_alone; /* cost of one reading, see clock_costs.c */
	uint32_t cpus; /* CPUs that were compared with the first; 0: one CPU only */
	uint64_t comparisons, backward; /* readings compared across CPUs, and how many went back */
	double backward_max_ns;
	/* steps: changes between this clock and the raw one that no interruption explains;
	 * coarse and page: more ticks at once than the time allows */
	uint64_t step_readings, steps;
	double step_max_ns;		   /* signed */
	struct tick_summary ticks;	   /* coarse and page: as a reader saw them */
	double drift_ppm, drift_error_ppm; /* against CLOCK_MONOTONIC_RAW; +-, bounds of the
					      pairing; page: at 95 % */
	double rate_hz, rate_error_ppm;	   /* tsc only: calibrated over the drift window */
	struct clock_lateness late;	   /* page only: over the whole test */
	/* the smallest mean that a million calls give to +-5 % (coarse, page: Beilner 1988, eq.
	 * 14b) and of which one reading is at most 5 % */
	double smallest_mean_ns;
	char verdict[320];
};

struct clocks_report {
	struct clock_test clock[CLOCKS_TESTED];	 /* tsc, coarse, monotonic, page, thread-cpu */
	struct clock_lateness late[CLOCKS_LATE]; /* idle, then busy, by length of the tick */
	uint32_t busy_cpus;			 /* that were kept busy for the latter */
	enum scp_clock_kind preferred;
	char reason[256];
	double window_s;	    /* over which drift was measured */
	double watch_s;		    /* over which steps and ticks were watched */
	uint64_t interruptions;	    /* of the watching thread, by more than 50 us */
	double interruption_max_ns; /* they are no steps */
	double interrupted_share;   /* of the time watched */
	uint32_t read_rounds;	    /* behind each cost of a reading */
	double stolen;		    /* share of the CPUs' time that was stolen meanwhile */
	double took_s;
};

/* Takes its windows together and half a second; starts threads, keeps all CPUs busy for half of the
 * lateness and moves the calling thread between CPUs (its affinity is restored). 0, or -1 and
 * *err. */
int clocks_test(struct clocks_report *r, struct profile_error *err);

// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks that a profile can be taken with: names, which one is the
 * default here and why, and a self-test of all of them on this machine.
 */
#ifndef SCPROF_CLOCKS_H
#define SCPROF_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"

/* "tsc", "coarse", ...; static text, "none" for what is no clock. */
const char *clocks_name(enum scp_clock_kind kind);

/* SCP_CLOCK_NONE if `name` is none of them; knows "dual" as well. */
enum scp_clock_kind clocks_parse(const char *name);

extern const char clocks_names[]; /* for messages: "tsc, coarse, ..." */

/* The clock for a run that does not choose one; `reason` is a clause that fits
 * after "because". Takes microseconds; the same question that the self-test
 * answers, without its measurements. */
enum scp_clock_kind clocks_default(char *reason, size_t size);

#define CLOCKS_TESTED 5

/* Durations in nanoseconds. NAN: does not apply, or could not be measured. */
struct clock_test {
	enum scp_clock_kind kind;
	bool usable;
	double step_ns;	   /* smallest nonzero step between two readings */
	double claimed_ns; /* clock_getres; the interval of the page clock */
	double read_ns;	   /* cost of one reading: median of batches, empty loop subtracted */
	uint32_t cpus;	   /* CPUs that were compared with the first; 0: one CPU only */
	uint64_t comparisons, backward; /* readings compared across CPUs, and how many went back */
	double backward_max_ns;
	double drift_ppm,
		drift_error_ppm;	/* against CLOCK_MONOTONIC_RAW; +-, bounds of the pairing */
	double rate_hz, rate_error_ppm; /* tsc only: calibrated over the drift window */
	double late_mean_ns, late_max_ns, late_share; /* page only: the ticker's lateness */
	char verdict[200];
};

struct clocks_report {
	struct clock_test clock[CLOCKS_TESTED]; /* tsc, coarse, monotonic, page, thread-cpu */
	enum scp_clock_kind preferred;
	char reason[256];
	double window_s; /* over which drift was measured */
	double took_s;
};

/* Takes about a second; starts threads and moves the calling thread between
 * CPUs (its affinity is restored). 0, or -1 and *err. */
int clocks_test(struct clocks_report *r, struct profile_error *err);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks' names, and one reader for each. A reading is in the clock's own units (cycles,
 * nanoseconds, ticks); ns_per_unit converts. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "include/scprof_format.h"

/* "tsc", "coarse", ...; static text, "none" for what is no clock. */
const char *clocks_read_name(enum scp_clock_kind kind);

/* SCP_CLOCK_NONE if `name` is none of them; knows "dual" as well. */
enum scp_clock_kind clocks_read_parse(const char *name);

extern const char clocks_read_names[]; /* for messages: "tsc, coarse, ..." */

typedef uint64_t clock_reader(void);

struct clock_source {
	enum scp_clock_kind kind;
	clock_reader *read;
	clock_reader *read_ordered; /* not before the loads that precede it */
	double ns_per_unit;
	double wait_s; /* how long to look for steps */
};

/* The readers. The page reader reads the page last set. */
const struct clock_source *clocks_read_source(enum scp_clock_kind kind);
void clocks_read_set_page(const struct scp_clock_page *page);

/* Nanoseconds of a clock of the kernel; 0: there is no such clock. Any thread. */
uint64_t clocks_read_ns(clockid_t clock);
double clocks_read_seconds(void); /* of CLOCK_MONOTONIC */
struct timespec clocks_read_timespec(uint64_t ns);

/* Sleeps until CLOCK_MONOTONIC is there, or for so long, through signals. */
void clocks_read_sleep_until(uint64_t at_ns);
void clocks_read_sleep(double seconds);

/* The smallest step of a clock, and its rate. */

/* Looks for wait_s; on a busy machine until it could look that long, or saw several steps,
 * for two seconds more at most. 0: it did not move. */
uint64_t clocks_measure_smallest_step(clock_reader *read, double wait_s);

/* Units per nanosecond between two pairs (counter.h), and the bound of its relative error. */
double clocks_measure_rate(const struct scp_anchor *a, const struct scp_anchor *b, double *error);
/* The same of a pair now, which becomes *from, and one that is taken so much later. */
double clocks_measure_rate_for(clock_reader *read, unsigned us, struct scp_anchor *from);

// SPDX-License-Identifier: GPL-3.0-or-later
/* A profile made by hand, with numbers that can be checked on paper: a clock of
 * 1 ns units, two threads whose calls and gaps add up, every outcome, an
 * overflow, and names that try to harm a terminal. Nothing in it can be
 * symbolized, so that texts do not depend on the machine. */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

/* A fresh copy in static memory; the one before is overwritten. */
struct profile *fixture_profile(void);

/* The same, with hostile names throughout. */
struct profile *fixture_hostile(void);

/* The same profile with 200 samples, of 2 ms of CPU time each, though one a ms was asked for: 60 on
 * the path of recv, 30 on that of close, 10 without a frame, 20 in recording, 80 in calls. */
struct profile *fixture_sampled(struct profile *p);

/* Five rows of recv. Three share all frames but 0x1070 and 0x1080 (of which they
 * have 0x4444 and 0x5555 instead); two differ in the module of 0x1060 alone,
 * which is `near` or `far`. */
struct profile *fixture_alike(char *near, char *far);

/* Room for the sums of SCP_BATCHES batches, all 0, until the program ends. */
uint64_t *fixture_batches(void);

/* Blocks of these counts, in static memory. */
struct prof_blocks *fixture_blocks(struct prof_hist *hist);

/* What report_print prints; free() it. */
char *fixture_print(const struct profile *p, const struct report_options *o);

#endif

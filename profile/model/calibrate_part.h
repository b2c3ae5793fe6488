// SPDX-License-Identifier: GPL-3.0-or-later
/* What the segments of a row, or of a table's gaps, that were read say of all of them, and how much
 * of that is left to chance. Private to calibrate.c. */
#ifndef SCPROF_PROFILE_MODEL_CALIBRATE_PART_H
#define SCPROF_PROFILE_MODEL_CALIBRATE_PART_H

#include "profile/profile.h"

/* What a sample says of some segments, in ns: how long they were off the CPU, how much of that
 * runnable, and the variances of the former and of how it divides. */
struct part {
	double known; /* the length of all of them */
	double off, runnable, off_variance, split_variance;
};

/* By the ratio to the lengths of all segments, without variances. `stolen`: the share of the time
 * on a CPU that was the host's. */
struct part calibrate_part_sums(const struct scp_off_cpu *o, double stolen);

struct part calibrate_part_row(const struct prof_states *s, double stolen);

/* `unread`: the share of the table's switched calls that was not read. */
struct part calibrate_part_gaps(const struct prof_table_states *t, double unread, double stolen);

#endif

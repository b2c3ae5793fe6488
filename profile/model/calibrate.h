// SPDX-License-Identifier: GPL-3.0-or-later
/* Time off the CPU and stolen time, brought to what the kernel counted; private to profile/. */
#pragma once

#include "profile/profile.h"

/* The kernel counts the CPU time and the run delay of each thread, and of its switches only a
 * sample is read. The sample is calibrated to what is known (Deville and Särndal 1992, "Calibration
 * Estimators in Survey Sampling", with the distance that makes the optimal regression estimator:
 * Särndal, Swensson and Wretman 1992, section 6.8): what calls and gaps lack together to the time
 * off the CPU that the kernel says is divided among them as the variances of their estimates are. A
 * row of which all was read stays as it is. It takes out what reading itself changes, too: a thread
 * that is read is late for its next wait, which gets shorter. */

/* Of the tables and entries of one process's file from these indices on. Not for merged files:
 * theirs is done. A table whose account is of less than half of its time is left as it is. False:
 * out of memory. */
bool calibrate_file(struct profile *p, uint32_t first_table, uint32_t first_entry,
		    double ns_per_unit);

/* How long intervals were, from clock units to ns (SCP_FILE_LENGTHS): before that. */
void calibrate_to_ns(struct profile *p, uint32_t first_table, uint32_t first_entry,
		     double ns_per_unit);

/* What the segments of a row, or of a table's gaps, that were read say of all of them, and how much
 * of that is left to chance. */

/* What a sample says of some intervals, in ns: how long they were off the CPU, how much of that
 * runnable, and the variances of the former and of how it divides. */
struct part {
	double known; /* how long they were, at most */
	double off, runnable, off_variance, split_variance;
};

/* By the ratio to the lengths of all intervals, without variances. `stolen`: the share of the time
 * on a CPU that was the host's. */
struct part calibrate_part_sums(const struct scp_off_cpu *o, double stolen);

struct part calibrate_part_row(const struct prof_states *s, double stolen);

/* A part's share of what is missing, by variance. */
double calibrate_part_share(double missing, double variance, double all);

/* Of rows and gaps without a reading, `known` of all: what the account leaves of those that were
 * read, as far as that is not their own error. account->runnable NAN: not known. */
struct part calibrate_part_unread(const struct part *account, const struct part *read,
				  const struct part *unread, double known);

/* Makes the sums of a row or of gaps without a reading those of one of which all was read, and that
 * was off the CPU for the same share as `as`; its variance is 0 from then on. */
void calibrate_part_impute(struct scp_off_cpu *o, const struct part *as);
void calibrate_part_impute_row(struct prof_states *s, const struct part *as);

/* `unread`: the share of the table's switched calls that was not read. */
struct part calibrate_part_gaps(const struct prof_table_states *t, double unread, double stolen);

/* Time that the host stole from the threads of a file, and what the machine allows of it. */

/* To the tables of one file, those from `first` on, before anything is made of them: what was
 * stolen is at most what the kernel counted of the whole machine's (header, struct scp_steal), and
 * its share of the threads' time at most twice the machine's. Where it was not asked, or for less
 * than half of the time, nothing changes. */
void steal_limit(struct profile *p, uint32_t first, const struct scp_header *h);

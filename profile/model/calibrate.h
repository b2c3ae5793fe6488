// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel counts the CPU time and the run delay of each thread, and of its switches only a
 * sample is read. The sample is calibrated to what is known (Deville and Särndal 1992, "Calibration
 * Estimators in Survey Sampling", with the distance that makes the optimal regression estimator:
 * Särndal, Swensson and Wretman 1992, section 6.8): what calls and gaps lack together to the time
 * off the CPU that the kernel says is divided among them as the variances of their estimates are. A
 * row of which all was read stays as it is. It takes out what reading itself changes, too: a thread
 * that is read is late for its next wait, which gets shorter. Private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_CALIBRATE_H
#define SCPROF_PROFILE_MODEL_CALIBRATE_H

#include "profile/profile.h"

/* Of the tables and entries of one process's file from these indices on. Not for merged files:
 * theirs is done. A table whose account is of less than half of its time is left as it is. False:
 * out of memory. */
bool calibrate_file(struct profile *p, uint32_t first_table, uint32_t first_entry,
		    double ns_per_unit);

#endif

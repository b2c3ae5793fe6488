// SPDX-License-Identifier: GPL-3.0-or-later
/* Histograms of sums, for sums_add; private to profile/. */
#ifndef SCPROF_PROFILE_MODEL_HIST_H
#define SCPROF_PROFILE_MODEL_HIST_H

#include "profile/profile.h"

/* What hist_add will need. -1: out of memory. */
int hist_make_room(struct prof_sums *dst, const struct prof_sums *src);

/* Before the calls are added. */
void hist_add(struct prof_sums *dst, const struct prof_sums *src);

/* Instead of hist_make_room: the histogram of `src` is taken over; without memory, none is known of
 * the sum. */
void hist_take(struct prof_sums *dst, struct prof_sums *src);

#endif

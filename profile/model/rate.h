// SPDX-License-Identifier: GPL-3.0-or-later
/* How long a unit of a profile's clock is; private to profile/, but for rate_begin. */
#ifndef SCPROF_PROFILE_MODEL_RATE_H
#define SCPROF_PROFILE_MODEL_RATE_H

#include "profile/profile.h"

/* Work out *out from `clock` as the file of header `h` has it. Where its own
 * anchors are too close together for a counter's rate and the file was recorded
 * since this machine was booted, the anchors are replaced by ones taken here.
 * -1: the rate cannot be known. */
int rate_resolve(const char *path, const struct scp_header *h, struct scp_clock *clock,
		 struct prof_clock *out, struct profile_error *err);

/* The first of the anchors taken here: what passes from now on need not be waited for. Call it
 * at most once, when the program starts, before there are threads. */
void rate_begin(void);

/* Between the anchors, ns; 0 where they are of no use. */
double rate_span_ns(const struct scp_clock *clock);

/* Can counts of the two clocks be added? -1 with a text that says what differs. */
int rate_check_same(const char *path, const struct prof_clock *have,
		    const struct scp_clock *have_raw, const struct prof_clock *more,
		    const struct scp_clock *more_raw, struct profile_error *err);

#endif

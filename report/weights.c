// SPDX-License-Identifier: GPL-3.0-or-later
/* Each kind of number, by one line of the table. */
#include "weights.h"

#include <math.h>

/* No other tool's format has room for an estimate below 0, which is one of next to
 * nothing: it is 0 there. */
static uint64_t time_of(const struct report_site *s)
{
	if (!(s->total_ns > 0))
		return 0;
	return s->total_ns < 0x1p62 ? (uint64_t)llround(s->total_ns) : UINT64_C(1) << 62;
}

static uint64_t calls_of(const struct report_site *s)
{
	return s->calls;
}

static uint64_t bytes_of(const struct report_site *s)
{
	return s->bytes;
}

static const struct weight weights[REPORT_WEIGHTS] = {
	[REPORT_WEIGHT_TIME] = {"time", "nanoseconds", "ns", time_of},
	[REPORT_WEIGHT_CALLS] = {"calls", "count", "calls", calls_of},
	[REPORT_WEIGHT_BYTES] = {"bytes", "bytes", "bytes", bytes_of},
};

const struct weight *weight_of(enum report_weight weight)
{
	return &weights[weight];
}

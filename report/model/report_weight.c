// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a weight; --weight names them. */
#include "report/model/report_weight.h"

#include <math.h>

#include "report/model/displaced.h"

/* Other tools' formats have no negative numbers: an estimate below 0 is 0 there. */
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

/* Of all its calls. A cost below 0 is noise as a rule. */
static uint64_t uncharged_of(const struct report_site *s)
{
	double ns = s->displaced.state == SCP_SITE_COST_KNOWN
			    ? s->displaced.uncharged.ns * (double)s->calls
			    : 0;

	if (!(ns > 0))
		return 0;
	return ns < 0x1p62 ? (uint64_t)llround(ns) : UINT64_C(1) << 62;
}

static const struct weight weights[REPORT_WEIGHTS] = {
	[REPORT_WEIGHT_TIME] = {"time", "nanoseconds", "ns", time_of},
	[REPORT_WEIGHT_CALLS] = {"calls", "count", "calls", calls_of},
	[REPORT_WEIGHT_BYTES] = {"bytes", "bytes", "bytes", bytes_of},
	[REPORT_WEIGHT_UNCHARGED] = {"uncharged", "nanoseconds", "uncharged_ns", uncharged_of},
};

const struct weight *report_weight_find(enum report_weight weight)
{
	return &weights[weight];
}

unsigned report_weight_count(const struct report *r)
{
	return displaced_any(r) ? REPORT_WEIGHTS : REPORT_WEIGHT_UNCHARGED;
}

const char *const report_weight_names = "time, calls, bytes, uncharged";

const char *report_weight_missing(const struct profile *p, const struct report_options *o)
{
	if (o->weight != REPORT_WEIGHT_UNCHARGED)
		return NULL;
	if (o->by != REPORT_BY_PATH)
		return "costs by displacement are of single call paths: --weight uncharged goes "
		       "with --by path only";
	for (uint32_t i = 0; i < p->site_costs; i++)
		if (p->site_cost[i].state == SCP_SITE_COST_KNOWN)
			return NULL;
	return "no call path here has a cost by displacement: measure with 'scprof run "
	       "--displace', or choose another --weight";
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a weight; --weight names them. */
#include "report/model/model.h"

#include <math.h>

#include "report/model/sites.h"

/* Other tools' formats have no negative numbers: an estimate below 0 is 0 there, and so is what is
 * not known. */
static uint64_t whole(double ns)
{
	if (!(ns > 0))
		return 0;
	return ns < 0x1p62 ? (uint64_t)llround(ns) : UINT64_C(1) << 62;
}

/* The part of the path's time, so that the three add up to it. */
static uint64_t state_of(const struct report_site *s, double part_ns)
{
	const struct report_states *t = &s->states;
	double all = fmax(t->on_cpu.mean, 0) + fmax(t->runnable.mean, 0) + fmax(t->asleep.mean, 0);

	if (!t->known || isnan(part_ns) || !(all > 0))
		return 0;
	return whole(s->total_ns * part_ns / all);
}

uint64_t report_weight_of(enum report_weight weight, const struct report_site *s)
{
	switch (weight) {
	case REPORT_WEIGHT_TIME:
		return whole(s->total_ns);
	case REPORT_WEIGHT_CALLS:
		return s->calls;
	case REPORT_WEIGHT_BYTES:
		return s->bytes;
	case REPORT_WEIGHT_ON_CPU:
		return state_of(s, s->states.on_cpu.mean);
	case REPORT_WEIGHT_RUNNABLE:
		return state_of(s, s->states.runnable.mean);
	case REPORT_WEIGHT_ASLEEP:
		return state_of(s, s->states.asleep.mean);
	default: /* of all its calls; a cost below 0 is noise as a rule */
		return s->displaced.state == SCP_SITE_COST_KNOWN
			       ? whole(s->displaced.uncharged.ns * (double)s->calls)
			       : 0;
	}
}

const struct report_weight_name report_weights[REPORT_WEIGHTS] = {
	[REPORT_WEIGHT_TIME] = {"time", "nanoseconds", "ns"},
	[REPORT_WEIGHT_CALLS] = {"calls", "count", "calls"},
	[REPORT_WEIGHT_BYTES] = {"bytes", "bytes", "bytes"},
	[REPORT_WEIGHT_ON_CPU] = {"on_cpu", "nanoseconds", "on_cpu_ns"},
	[REPORT_WEIGHT_RUNNABLE] = {"runnable", "nanoseconds", "runnable_ns"},
	[REPORT_WEIGHT_ASLEEP] = {"asleep", "nanoseconds", "asleep_ns"},
	[REPORT_WEIGHT_UNCHARGED] = {"uncharged", "nanoseconds", "uncharged_ns"},
};

static bool is_state(enum report_weight w)
{
	return w >= REPORT_WEIGHT_ON_CPU && w <= REPORT_WEIGHT_ASLEEP;
}

unsigned report_weight_list(const struct report *r, enum report_weight list[REPORT_WEIGHTS])
{
	bool states = states_any(r), costs = displaced_any(r);
	unsigned count = 0;

	for (enum report_weight w = 0; w < REPORT_WEIGHTS; w++)
		if ((states || !is_state(w)) && (costs || w != REPORT_WEIGHT_UNCHARGED))
			list[count++] = w;
	return count;
}

const char *const report_weight_names = "time, calls, bytes, on_cpu, runnable, asleep, uncharged";

static const char *costs_missing(const struct profile *p, const struct report_options *o)
{
	if (o->by != REPORT_BY_PATH)
		return "costs by displacement are of single call paths: --weight uncharged goes "
		       "with --by path only";
	for (uint32_t i = 0; i < p->site_costs; i++)
		if (p->site_cost[i].state == SCP_SITE_COST_KNOWN)
			return NULL;
	return "no call path here has a cost by displacement: measure with 'scprof run "
	       "--displace', or choose another --weight";
}

const char *report_weight_missing(const struct profile *p, const struct report_options *o)
{
	if (o->weight == REPORT_WEIGHT_UNCHARGED)
		return costs_missing(p, o);
	if (!is_state(o->weight))
		return NULL;
	for (uint32_t i = 0; i < p->entries; i++)
		if (p->entry[i].sums.detector != SCP_SWITCH_NONE)
			return NULL;
	return "where the time went is not known of any call path here: measure without --states "
	       "off, or choose another --weight";
}

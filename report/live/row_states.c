// SPDX-License-Identifier: GPL-3.0-or-later
/* The ratio of report/model/states.c, of a row's entries together; without intervals. */
#include "report/live/live_rows.h"

#include <math.h>

void row_states_add(struct row_sums_states *to, const struct prof_reading *r, uint32_t detector)
{
	const struct prof_reading_states *s = &r->states;
	bool sampled = (s->detector ? s->detector : detector) == SCP_SWITCH_SAMPLED;
	double calls = (double)r->calls - (double)s->from_calls;
	double units = (double)r->units - (double)s->from_units;

	if (!r->calls)
		return;
	if ((!s->detector && (detector == SCP_SWITCH_NONE || sampled)) || calls < 0 || units < 0) {
		to->unknown = true;
		return;
	}
	to->unknown = to->unknown || s->from_calls;
	to->calls += calls;
	to->units += units;
	to->kept_calls += sampled ? (double)s->calls : fmax(calls - (double)s->calls, 0);
	to->kept_units += sampled ? (double)s->units : fmax(units - (double)s->units, 0);
	to->known += sampled ? calls : (double)s->known;
	to->weighted += (double)s->weighted;
	to->runnable_ns += (double)s->runnable_ns;
	to->asleep_ns += (double)s->asleep_ns;
}

/* A segment may end, and be read, in a later interval than it began: no calls are off the CPU for
 * longer than they take. */
struct row_states row_states_of(const struct row_sums_states *some,
				const struct row_sums_states *all, double ns_per_unit)
{
	const struct row_sums_states *by = some->weighted > 0 ? some : all;
	struct row_states out = {NAN, NAN, NAN, NAN};
	double time = some->units * ns_per_unit, off = by->runnable_ns + by->asleep_ns, factor = 0;

	if (some->unknown || !(some->calls > 0))
		return out;
	if (some->kept_calls > 0)
		out.kept_ns = some->kept_units * ns_per_unit / some->kept_calls;
	if (!(time > 0) || (some->known > 0 && !(by->weighted > 0)))
		return out;
	if (off > 0)
		factor = fmin(some->known / by->weighted / time, 1 / off);
	out.runnable = factor * by->runnable_ns;
	out.asleep = factor * by->asleep_ns;
	out.on_cpu = 1 - factor * off;
	return out;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Single calls, so no estimates: a duration is what the clock said, which on a clock of ticks is
 * right to one tick either way, and to what ticks vary by. */
#include "report/model/model.h"
#include "report/wording/warning_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool counts_ticks(const struct prof_clock *c)
{
	return c->kind == SCP_CLOCK_PAGE || c->kind == SCP_CLOCK_COARSE;
}

/* Within a process by CLOCK_MONOTONIC; between processes, and where several were
 * folded into one, by the time of day. */
static double ended_after_s(const struct report *r, const struct prof_slowest *s)
{
	const struct profile *p = r->profile;
	const struct prof_process *q = &p->process[p->table[p->entry[s->entry].table].process];
	double first_ns = (double)(int64_t)(q->start_real_ns - r->start_real_ns);

	if (q->count > 1)
		return (double)(int64_t)(s->ended_real_ns - r->start_real_ns) / 1e9;
	return (first_ns + (double)(int64_t)(s->ended_mono_ns - q->start_mono_ns)) / 1e9;
}

/* Two standard deviations of the length of n ticks together. Those of the page clock are
 * uniform between half and one and a half of their mean. */
static double tick_spread_ns(const struct prof_clock *c, double n)
{
	if (!(c->flags & SCP_CLOCK_RANDOMIZED) || n <= 0)
		return 0;
	return fmin(2 * sqrt(n / 12), n / 2) * c->tick_ns;
}

/* What a reading may mean. C ticks lay in the call: at least C - 1 whole intervals between
 * ticks, and less than C + 1. */
static void fill_limits(struct report_slowest *out, const struct prof_clock *c)
{
	double ticks = (double)out->ticks;

	out->low_ns = out->high_ns = out->duration_ns;
	if (!counts_ticks(c))
		return;
	out->low_ns = fmax(ticks - 1, 0) * c->tick_ns - tick_spread_ns(c, ticks - 1);
	out->high_ns = (ticks + 1) * c->tick_ns + tick_spread_ns(c, ticks + 1);
}

static void fill_times(const struct report *r, struct report_slowest *out,
		       const struct prof_slowest *s)
{
	const struct prof_clock *c = &r->profile->clock;
	double raw_ns = (double)s->units * c->ns_per_unit;

	out->duration_ns = counts_ticks(c) ? raw_ns : raw_ns - r->overhead.inside_ns;
	fill_limits(out, c);
	out->ended_s = ended_after_s(r, s);
	out->ended_real_ns = s->ended_real_ns;
	out->began_s = NAN;
	if (c->kind == SCP_CLOCK_THREAD_CPU || raw_ns >= (double)s->ended_real_ns)
		return;
	out->began_s = out->ended_s - raw_ns / 1e9;
	out->began_real_ns = s->ended_real_ns - (uint64_t)raw_ns;
}

static void fill_one(const struct report *r, struct report_slowest *out,
		     const struct prof_slowest *s)
{
	const struct profile *p = r->profile;
	const struct prof_entry *e = &p->entry[s->entry];
	const struct prof_path *path = &p->path[e->path];

	PROF_SET(&out->place, e, function, outcome);
	PROF_SET(&out->place, path, frame, frames);
	out->place.path_flags = path->flags;
	out->place.has_bytes = e->sums.has_bytes;
	out->place.bytes = s->bytes;
	PROF_SET(out, s, pid, tid, state);
	out->thread = s->name;
	out->ticks = (uint64_t)prof_ticks(s->units, &p->clock);
	out->slow_ticks = (uint64_t)prof_ticks(s->slow_units, &p->slow);
	fill_times(r, out, s);
	out->runnable_ns = out->asleep_ns = NAN;
	if (s->state == SCP_SLOWEST_READ)
		PROF_SET(out, s, runnable_ns, asleep_ns);
}

int slowest_fill(struct report *r)
{
	const struct profile *p = r->profile;

	r->slowest = calloc(p->slowests + 1, sizeof(*r->slowest));
	if (!r->slowest)
		return -1;
	for (uint32_t i = 0; i < p->slowests; i++)
		if (!profile_leaves_out(p, p->entry[p->slowest[i].entry].path))
			fill_one(r, &r->slowest[r->slowests++], &p->slowest[i]);
	return 0;
}

void slowest_warn(struct report *r)
{
	const struct scp_slowest_asked *asked = &r->profile->slowest_asked;

	if (asked->flags & SCP_SLOWEST_UNREAD)
		warning_list_note(
			r, "setting-ignored",
			"SCPROF_SLOWEST, SCPROF_SLOWER_THAN or SCPROF_SLOWEST_OF is wrong, and no "
			"single calls were kept. Write SCPROF_SLOWEST=20 SCPROF_SLOWER_THAN=1ms");
	if (asked->flags & SCP_SLOWEST_MIXED)
		warning_list_note(r, "profiles-differ",
				  "The profiles kept different numbers of slowest calls: some may "
				  "be missing from the list");
	if (asked->lost)
		warning_list_note(r, "overflow",
				  "%" PRIu64 " times there was no room for a slow call",
				  asked->lost);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* A row keeps the index of its cell in the list that is at work (stamp), so that its cell is found
 * at once. */
#include "report/serve/sums/counters.h"

#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/model/sites.h"

static struct cell_sums *cell_of(struct cells *cells, uint64_t stamp, struct counters_row *row)
{
	if (row->stamp == stamp)
		return &cells->cell[row->cell].now;
	struct cell *cell = ARRAY_APPEND(cells->cell, cells->count);
	if (!cell)
		return NULL;
	row->stamp = stamp;
	row->cell = cells->count - 1;
	cell->row = row;
	return &cell->now;
}

/* A report estimates them likewise (report/model/states.c): the ratio of the row. */
static void take_states(struct cell_sums *cell, const struct prof_sums *s, double stolen)
{
	const struct prof_states *t = s->states;
	struct cell_states *to = &cell->states;
	uint64_t from = t ? t->from_units : 0;

	if (s->detector == SCP_SWITCH_NONE || (s->detector == SCP_SWITCH_SAMPLED && !t))
		return;
	to->any = true;
	to->units += s->units > from ? s->units - from : 0;
	if (!t)
		return;
	if (s->detector == SCP_SWITCH_SAMPLED) {
		to->switched += (double)t->switched_weighted;
		to->known += (double)(s->calls > t->from_calls ? s->calls - t->from_calls : 0);
	} else {
		to->switched += (double)t->calls;
		to->known += (double)t->off_cpu.known;
	}
	PROF_ADD(to, &t->off_cpu, weighted, runnable_ns);
	to->asleep_ns +=
		(double)t->off_cpu.asleep_ns * (1 - states_asleep_stolen(stolen, &t->off_cpu));
}

/* A report counts them likewise (report/model/site.c): units may be a little off a multiple. */
static int take_entry(struct cells *cells, uint64_t stamp, struct counters_row *row,
		      const struct prof_entry *e, double stolen)
{
	struct cell_sums *cell = row ? cell_of(cells, stamp, row) : NULL;

	if (!cell)
		return -1;
	PROF_ADD(cell, &e->sums, calls, units, units_sq, bytes, inner_calls);
	cell->has_bytes = cell->has_bytes || e->sums.has_bytes;
	take_states(cell, &e->sums, stolen);
	return 0;
}

static int take_overflow(struct cells *cells, uint64_t stamp, struct counters_function *place,
			 const struct profile *p, const struct prof_function *f)
{
	struct counters_row *row = counters_row(place, COUNTERS_OVERFLOW, p->clock.kind);
	struct cell_sums *cell = row ? cell_of(cells, stamp, row) : NULL;

	if (!cell)
		return -1;
	cell->calls += f->overflow_calls;
	cell->units += f->overflow_units;
	cell->bytes += f->overflow_bytes;
	cell->has_bytes = cell->has_bytes || f->overflow_bytes;
	return 0;
}

/* Nothing of the last reading is in the new one yet. */
static uint64_t begin(struct cells *cells, struct counters *c)
{
	uint64_t stamp = ++c->stamp;

	for (uint32_t i = 0; i < cells->count; i++) {
		cells->cell[i].row->stamp = stamp;
		cells->cell[i].row->cell = i;
		cells->cell[i].now = (struct cell_sums){0};
	}
	return stamp;
}

static int take_rows(struct cells *cells, struct counters *c, struct counters_function **place,
		     const struct profile *p)
{
	uint64_t stamp = begin(cells, c);
	double ran, stolen = steal_share(p, 0, &ran);

	for (const struct prof_entry *e = p->entry; e < p->entry + p->entries; e++)
		if (take_entry(cells, stamp,
			       counters_row(place[e->function], e->outcome, p->clock.kind), e,
			       stolen))
			return -1;
	for (uint32_t i = 0; i < p->functions; i++)
		if (p->function[i].overflow_calls &&
		    take_overflow(cells, stamp, place[i], p, &p->function[i]))
			return -1;
	for (uint32_t i = 0; i < cells->count; i++)
		cells->cell[i].now.ticks = prof_ticks(cells->cell[i].now.units, &p->clock);
	return 0;
}

int row_counters_take(struct cells *cells, struct counters *c, struct counters_service *s,
		      const struct profile *p, bool *skip)
{
	struct counters_function **place = calloc((size_t)p->functions + 1, sizeof(*place));
	int status = place ? 0 : -1;

	s->detectors |= 1u << p->switches.detector;
	cells->lost[COUNTERS_SKIPPED] = p->losses.skipped_calls + p->uncopied_calls;
	cells->lost[COUNTERS_ABANDONED] = p->losses.abandoned_calls;
	cells->lost[COUNTERS_UNCLASSIFIED] = p->losses.unclassified_calls;
	for (uint32_t i = 0; i < p->functions && status == 0; i++) {
		place[i] = counters_function(c, s, p->function[i].name, p->function[i].library);
		if (place[i] && place[i] != s->other)
			place[i]->waits = waiting_function(&p->function[i]);
		if (!place[i])
			status = -1;
		else
			skip[i] = place[i] == s->other;
	}
	if (status == 0)
		status = take_rows(cells, c, place, p);
	free(place);
	return status;
}

void row_counters_free(struct cells *cells)
{
	free(cells->cell);
	*cells = (struct cells){0};
}

/* Is no sum less than it was? */
static bool follows(const struct cells *cells)
{
	for (uint32_t i = 0; i < cells->count; i++)
		if (PROF_ANY_LESS(&cells->cell[i].now, &cells->cell[i].last, calls, units, units_sq,
				  ticks, bytes, inner_calls))
			return false;
	for (unsigned i = 0; i < COUNTERS_LOSSES; i++)
		if (cells->lost[i] < cells->lost_last[i])
			return false;
	return true;
}

/* Nothing new is said while calls were switched and none was read. Calls are not off the CPU for
 * longer than they take, whatever chance or a file says. */
static void estimate_states(struct cell_sums *now, long double unit_s)
{
	const struct cell_states *s = &now->states;
	long double *to = now->state_seconds, all = (long double)s->units * unit_s, off, factor = 0;

	if (!s->any || (s->known > 0 && !(s->weighted > 0)))
		return;
	off = s->runnable_ns + s->asleep_ns;
	if (off > 0)
		factor = fminl(s->known / s->weighted / 1e9L, all / off);
	to[COUNTERS_RUNNABLE] = factor * s->runnable_ns;
	to[COUNTERS_ASLEEP] = factor * s->asleep_ns;
	to[COUNTERS_ON_CPU] = all - factor * off;
	now->switched_calls = s->switched;
}

static void publish_states(struct cell_sums *now, const struct cell_sums *before,
			   struct counters_sums *more)
{
	for (unsigned i = 0; i < COUNTERS_STATES; i++) {
		now->state_seconds[i] = fmaxl(now->state_seconds[i], before->state_seconds[i]);
		more->state_seconds[i] = now->state_seconds[i] - before->state_seconds[i];
	}
	now->switched_calls = fmaxl(now->switched_calls, before->switched_calls);
	more->switched_calls = now->switched_calls - before->switched_calls;
}

static void publish(struct counters_row *row, struct cell_sums *now, const struct cell_sums *before,
		    const struct prof_clock *c, bool past)
{
	long double unit_s = c->ns_per_unit / 1e9L;
	const struct prof_overhead *o = &c->overhead;
	bool known = o->measurements && o->inside_ns >= 0;
	prof_u128 calls = now->calls - before->calls;
	struct counters_sums more = {
		.calls = calls,
		.ticks = now->ticks - before->ticks,
		.bytes = now->bytes - before->bytes,
		.seconds = (long double)(now->units - before->units) * unit_s,
		.square_seconds = (long double)(now->units_sq - before->units_sq) * unit_s * unit_s,
	};

	if (known)
		more.overhead_seconds = (long double)calls * o->inside_ns / 1e9L;
	if (known && o->inner_ns > 0)
		more.overhead_seconds +=
			(long double)(now->inner_calls - before->inner_calls) * o->inner_ns / 1e9L;
	publish_states(now, before, &more);
	counters_add(row, &more, past);
	row->has_states = row->has_states || now->states.any;
	row->has_bytes = row->has_bytes || now->has_bytes;
}

int row_counters_publish(struct cells *cells, struct counters_service *s, const struct profile *p,
			 bool count, bool past, bool *grew)
{
	*grew = false;
	if (!(p->clock.ns_per_unit > 0) || !isfinite(p->clock.ns_per_unit) || !follows(cells))
		return -1;
	for (struct cell *cell = cells->cell; cell < cells->cell + cells->count; cell++) {
		estimate_states(&cell->now, p->clock.ns_per_unit / 1e9L);
		publish(cell->row, &cell->now, count ? &cell->last : &cell->now, &p->clock, past);
		*grew = *grew || cell->now.calls != cell->last.calls;
		cell->last = cell->now;
	}
	for (unsigned i = 0; i < COUNTERS_LOSSES; i++) {
		s->lost[i] += count ? cells->lost[i] - cells->lost_last[i] : 0;
		cells->lost_last[i] = cells->lost[i];
	}
	return 0;
}

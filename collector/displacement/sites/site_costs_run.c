// SPDX-License-Identifier: GPL-3.0-or-later
/* Joins counts to windows, windows to spans, and costs to the profile. */
#include "collector/displacement/sites/site_costs_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"

/* Work that a call causes while another task has the CPU is charged to that one. It falls on the
 * fluid and on others in proportion to their time, which makes up for it; but windows in
 * which less than this share was the fluid's are excluded. So are those that took long (a fluid
 * that waits ends its window late), unless only the program had the CPU: calls come at rates that
 * vary, and then not in proportion. */
#define SEEN_LEAST   0.1
#define SEEN_ALL     0.95
#define SEEN_LONGEST 0.1

struct join {
	const struct displacement_run *run;
	const struct site_samples *samples;
	const struct site_dither *dither; /* NULL: none */
	struct profile *p;
	struct site_index index;
	struct site_costs_series *series; /* cpus + 1 */
	size_t windows, kept;
	double busy; /* others' share of the time of kept windows, on the CPU where it is most */
};

/* ---- spans ---- */

/* A series under construction: while it is `open`, its last span grows by windows. */
struct building {
	struct site_costs_series *series;
	bool open;
};

/* Room for so many windows, each a span at most. */
static int begin_series(struct join *j, struct building *b, size_t i, size_t windows,
			struct displacement_value rest)
{
	struct site_costs_series *s = &j->series[i];

	*b = (struct building){.series = s};
	s->span = calloc(windows + 1, sizeof(*s->span));
	s->calls = calloc((windows + 1) * (j->index.used + 1), sizeof(*s->calls));
	s->rest = rest;
	return s->span && s->calls ? 0 : -1;
}

/* With the calls of a reading, which are taken for the share of them that was `seen`. */
static void add_window(const struct join *j, struct building *b, const struct site_costs_span *w,
		       const struct site_reading *r, double seen)
{
	struct site_costs_series *series = b->series;

	if (!b->open)
		series->span[series->spans++] = (struct site_costs_span){.from = w->from};
	struct site_costs_span *s = &series->span[series->spans - 1];
	s->to = w->to;
	PROF_ADD(s, w, length, unexposed, charged, switches);
	for (size_t k = 0; k < SITE_COSTS_KINDS; k++)
		s->y[k] += w->y[k];
	double *calls = &series->calls[(series->spans - 1) * j->index.used];
	for (size_t i = 0; i < r->entries; i++)
		if (j->index.rank_of[i] != SITE_INDEX_NONE)
			calls[j->index.rank_of[i]] += seen * r->calls[i];
	b->open = s->to - s->from < SITE_COSTS_SPAN_S;
}

/* The reading at the beginning of window `index`, if the one before it was read too: then
 * its calls are those of window index - 1. */
static bool reading_of(const struct join *j, size_t cpu, size_t index, struct site_reading *r)
{
	size_t readings = site_samples_readings(j->samples, cpu), first, at;

	if (!readings)
		return false;
	first = site_samples_reading(j->samples, cpu, 0).window;
	at = index - first;
	if (index <= first || at >= readings)
		return false;
	*r = site_samples_reading(j->samples, cpu, at);
	return r->window == index;
}

static struct site_costs_span span_of(const struct displacement_window *w, double seen, double rest,
				      double cost)
{
	double taken = w->work - rest * w->charged;

	return (struct site_costs_span){
		.from = w->at - w->span / 2,
		.to = w->at + w->span / 2,
		.length = w->span * seen,
		.y = {[SITE_COSTS_UNCHARGED] = taken - cost * w->switches,
		      /* what switching shifts between fluid and program is in the program's time */
		      [SITE_COSTS_TRUE] = taken},
		.charged = w->charged,
		.switches = w->switches,
	};
}

/* Time that neither the fluid had nor the program nor ksoftirqd; NAN: not known. */
static double others_in(const struct displacement_window *w, const struct site_reading *r)
{
	return w->span - w->charged - r->program - r->softirqd;
}

/* The fluid's share of the time that it shared with others: 1 where the program's time is not
 * known (NAN does not compare), and where noise makes it more. */
static double seen_in(const struct displacement_window *w, const struct site_reading *r)
{
	double others = others_in(w, r);

	return others > 0 ? w->charged / (w->charged + others) : 1;
}

/* Window `index` - 1 of the fluid, with its reading: is it good, and enough of it the fluid's? */
static bool is_seen(const struct join *j, size_t cpu, size_t index,
		    const struct displacement_window *w, struct site_reading *r)
{
	if (w->aside || !reading_of(j, cpu, index, r))
		return false;
	double seen = seen_in(w, r);
	return seen >= SEEN_LEAST && (seen >= SEEN_ALL || w->span <= SEEN_LONGEST);
}

/* Variation by a few drawn windows is not used: intervals would be too short. */
static bool tells_nothing(const struct join *j, double from, double to)
{
	return j->dither && site_dither_tells_nothing(j->dither, from, to);
}

/* The first and the last window are not all of the run's. */
static int join_windows(struct join *j, size_t cpu)
{
	const struct displacement_cpu *c = &j->run->cpu[cpu];
	const struct displacement_series *windows = &c->series;
	double others = 0, time = 0;
	struct site_reading r;
	struct building b;

	if (begin_series(j, &b, cpu, windows->count, c->rest))
		return -1;
	for (size_t k = 1; k + 1 < windows->count; k++) {
		const struct displacement_window *w = &windows->window[k];
		bool told = !tells_nothing(j, w->at - w->span / 2, w->at + w->span / 2);

		j->windows += told;
		if (!told || !is_seen(j, cpu, c->first + k + 1, w, &r)) {
			b.open = false;
			continue;
		}
		double seen = seen_in(w, &r);
		struct site_costs_span s = span_of(w, seen, c->rest.value, j->run->switching.value);
		if (j->dither)
			s.unexposed = fmax(0, s.length - w->charged);
		j->kept++;
		others += others_in(w, &r);
		time += w->span;
		add_window(j, &b, &s, &r, seen);
	}
	if (isnan(others)) {
		others = c->others;
		time = c->wall;
	}
	if (time > 0)
		j->busy = fmax(j->busy, others / time);
	return 0;
}

static int join_ticks(struct join *j, size_t cpus)
{
	size_t readings = site_samples_readings(j->samples, cpus);
	double before = 0;
	struct building b;

	if (begin_series(j, &b, cpus, readings, (struct displacement_value){0, 0, 1}))
		return -1;
	for (size_t k = 0; k < readings; k++) {
		struct site_reading r = site_samples_reading(j->samples, cpus, k);
		struct site_costs_span s = {
			.from = before,
			.to = r.at,
			.length = r.at - before,
			.y = {[SITE_COSTS_UNCHARGED] = r.softirqd,
			      [SITE_COSTS_TRUE] = r.softirqd + r.program},
		};

		before = r.at;
		if (!k || r.incomplete || !(s.to > s.from) || tells_nothing(j, s.from, s.to))
			b.open = false;
		else
			add_window(j, &b, &s, &r, 1);
	}
	return 0;
}

/* ---- results ---- */

static uint32_t state_of(const struct site_costs_site *s)
{
	static const uint32_t states[] = {
		[SITE_COSTS_OK] = SCP_SITE_COST_KNOWN,
		[SITE_COSTS_RARE] = SCP_SITE_COST_RARE,
		[SITE_COSTS_STEADY] = SCP_SITE_COST_STEADY,
		[SITE_COSTS_FEW] = SCP_SITE_COST_FEW,
	};

	for (size_t kind = 0; kind < SITE_COSTS_KINDS; kind++)
		if (s->state == SITE_COSTS_OK && !isfinite(s->cost[kind].error))
			return SCP_SITE_COST_FEW;
	return states[s->state];
}

static struct prof_cost_value in_ns(struct displacement_value v)
{
	return (struct prof_cost_value){v.value * 1e9, v.error * 1e9, v.freedom};
}

static int attach(struct join *j, const struct site_costs_site *site,
		  struct site_costs_result *told)
{
	uint64_t now = clocks_read_ns(CLOCK_REALTIME);

	for (size_t i = 0; i < j->index.sites; i++) {
		size_t rank = j->index.site[i].rank;
		bool within = rank < j->index.used;
		const struct site_costs_site *s = within ? &site[rank] : NULL;
		struct prof_site_cost c = {
			.entry = j->index.site[i].entry,
			.state = s ? state_of(s) : SCP_SITE_COST_FEW,
			.group = (uint32_t)(s ? s->group : rank) + 1,
			.spans = (uint32_t)told->spans,
			.run = now,
			.kept = told->kept,
			.busy = told->busy,
			.inflation = s ? s->inflation : 1,
		};

		if (c.state == SCP_SITE_COST_KNOWN) {
			c.uncharged = in_ns(s->cost[SITE_COSTS_UNCHARGED]);
			c.true_cost = in_ns(s->cost[SITE_COSTS_TRUE]);
			told->known++;
		}
		if (site_cost_note(j->p, &c))
			return -1;
	}
	return 0;
}

static int fit(struct join *j, size_t series, struct site_costs_result *told)
{
	struct site_costs_site *site = calloc(j->index.used + 1, sizeof(*site));
	struct site_costs out;
	int result = -1;

	if (site &&
	    !site_costs_fit(j->series, series, j->index.used, j->run->switching, &out, site)) {
		told->spans = out.spans;
		told->kept = j->windows ? (double)j->kept / (double)j->windows : 0;
		told->busy = j->busy;
		told->intercept = out.intercept[SITE_COSTS_UNCHARGED].value;
		told->intercept_error = out.intercept[SITE_COSTS_UNCHARGED].error;
		result = attach(j, site, told);
	}
	free(site);
	return result;
}

int site_costs_run(const struct displacement_run *run, const struct site_samples *samples,
		   const struct site_dither *dither, const char *profiles, struct profile *p,
		   struct site_costs_result *told)
{
	struct join j = {.run = run,
			 .samples = samples,
			 .dither = dither,
			 .p = p,
			 .index = {.profile = p, .samples = samples, .profiles = profiles}};
	size_t cpus = run->cpus;

	*told = (struct site_costs_result){0};
	j.series = calloc(cpus + 1, sizeof(*j.series));
	int result = !j.series || site_index_make(&j.index, &told->missed) ? -1 : 0;
	told->sites = j.index.sites;
	for (size_t i = 0; i < cpus && !result; i++)
		result = join_windows(&j, i);
	result = result || join_ticks(&j, cpus) || fit(&j, cpus + 1, told) ? -1 : 0;
	for (size_t i = 0; i <= cpus && j.series; i++)
		PROF_FREE(&j.series[i], span, calls);
	free(j.series);
	PROF_FREE(&j.index, site, site_of, rank_of);
	return result;
}

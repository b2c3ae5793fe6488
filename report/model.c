// SPDX-License-Identifier: GPL-3.0-or-later
/* Builds the sites of a report: entries of all tables that the grouping does
 * not tell apart (group.h) are added up, then each sum is turned into an estimate. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "displaced.h"
#include "estimate.h"
#include "group.h"
#include "loop.h"
#include "phase.h"
#include "site.h"
#include "slowest.h"

/* What a row is worked out from; made and dropped one row at a time. */
struct whole {
	struct prof_sums sums;
	struct steadiness steady;
	const struct prof_site_cost *cost; /* of the entry that has one */
	uint32_t costs;			   /* how many have */
	const struct prof_phase *phase;	   /* of the entry with most samples of them */
	uint64_t phases;
};

/* Batches of processes that were folded into one lie one behind the other. */
static bool in_order(const struct profile *p, const struct prof_entry *e)
{
	return p->process[p->table[e->table].process].count <= 1;
}

/* Entries that are called in turn are sampled in turn, at almost one phase: after the
 * thread was away, say. Their samples together are not independent, and the test for
 * uniform phases would see a preference. So one entry's stand for all, the most. */
static void note_phases(struct whole *g, const struct prof_phase *phase)
{
	uint64_t samples = 0;

	for (unsigned i = 0; phase && i < SCP_PHASE_BINS; i++)
		samples += phase->count[i];
	if (samples <= g->phases)
		return;
	g->phase = phase;
	g->phases = samples;
}

/* Where no entry has enough of them, all are the best there is. */
static void settle_phases(struct whole *g)
{
	if (g->sums.phase && g->phases >= STATS_PHASE_LEAST)
		*g->sums.phase = *g->phase;
}

static int add_entry(struct whole *g, const struct report *r, const struct prof_entry *e)
{
	note_phases(g, e->sums.phase);
	g->costs += e->cost.state != 0;
	if (e->cost.state)
		g->cost = &e->cost;
	if (prof_sums_add(&g->sums, &e->sums) < 0)
		return -1;
	return steadiness_add(&g->steady, &e->sums, in_order(r->profile, e), r->include_warmup);
}

/* The sums of a row's entries, in the profile's order. */
static int add_entries(struct whole *g, const struct report *r, const struct groups *groups,
		       const struct group_row *row)
{
	uint32_t entry = row->first;

	for (; entry != PROF_NONE; entry = groups->next[entry])
		if (add_entry(g, r, &r->profile->entry[entry]) < 0)
			return -1;
	return 0;
}

static int fill_site(struct report *r, struct report_site *s, const struct groups *groups,
		     const struct group_row *row)
{
	struct group_path path = groups_path(groups, row);
	struct whole whole;
	int status;

	if (row->first == GROUP_OVERFLOW) {
		site_fill_overflow(r, s, row->function);
		return 0;
	}
	memset(&whole, 0, sizeof(whole));
	status = add_entries(&whole, r, groups, row);
	if (status == 0) {
		settle_phases(&whole);
		s->function = row->function;
		s->outcome = row->outcome;
		s->frame = path.frame;
		s->frames = path.frames;
		s->path_flags = path.flags;
		site_fill(r, s, &whole.sums, &whole.steady);
		/* several sites in one row, or one site in several runs: no number is that row's */
		if (whole.costs == 1)
			displaced_fill(r, s, whole.cost);
	}
	prof_sums_clear(&whole.sums);
	steadiness_clear(&whole.steady);
	return status;
}

/* In the rows' order; net_ns is the time that shares are of. */
static int note_site(struct report *r, const struct report_site *s, uint32_t row, double *net_ns)
{
	r->calls += s->calls;
	*net_ns += fmax(s->total_ns, 0);
	r->slow_sites += s->has_slow && s->slow.ticks >= REPORT_TELLING_TICKS;
	r->slow_sites_off +=
		s->has_slow && s->slow.ticks >= REPORT_TELLING_TICKS && !s->slow.covers;
	return doubts_note(r, s, row);
}

static double share_of(double total_ns, double net_ns)
{
	return net_ns > 0 ? fmax(total_ns, 0) / net_ns : NAN;
}

static void add_up(struct report *r, const struct groups *groups, double net_ns)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < groups->rows; i++)
		units += groups->row[i].units;
	r->calls_ns = (double)units * r->profile->clock.ns_per_unit;
	r->perturbation_ns = (double)r->calls * (r->overhead.inside_ns + r->overhead.outside_ns);
	for (uint32_t i = 0; i < r->kept; i++)
		r->site[i].share = share_of(r->site[i].total_ns, net_ns);
	for (uint32_t i = 0; i < r->notes; i++)
		r->note[i].share = share_of(r->note[i].total_ns, net_ns);
}

/* The rows' entries lie all over the memory: ask for them in time. */
#define AHEAD 12

static void fetch_ahead(const struct profile *p, const struct groups *groups, uint32_t i)
{
	const struct group_row *row;
	const char *entry;

	if (i + AHEAD < groups->rows)
		__builtin_prefetch(&groups->row[groups->order[i + AHEAD]]);
	if (i >= groups->rows)
		return;
	row = &groups->row[groups->order[i]];
	if (row->first == GROUP_OVERFLOW)
		return;
	entry = (const char *)&p->entry[row->first];
	for (size_t at = 0; at < sizeof(*p->entry); at += 64)
		__builtin_prefetch(entry + at);
	if (row->path < p->paths)
		__builtin_prefetch(&p->path[row->path]);
}

static int build_sites(struct report *r, const struct groups *groups, uint32_t keep)
{
	double net_ns = 0;

	r->sites = groups->rows;
	r->kept = keep < r->sites ? keep : r->sites;
	/* All have a place, so that no index leads astray; memory is taken for the kept. */
	r->site = calloc(r->sites ? r->sites : 1, sizeof(*r->site));
	if (!r->site)
		return -1;
	for (uint32_t i = 0; i < r->sites; i++) {
		struct report_site passing = {0};
		struct report_site *s = i < r->kept ? &r->site[i] : &passing;

		fetch_ahead(r->profile, groups, i + AHEAD);
		int status = fill_site(r, s, groups, &groups->row[groups->order[i]]);

		if (status == 0)
			status = note_site(r, s, i, &net_ns);
		free(passing.bar);
		if (status < 0)
			return -1;
	}
	add_up(r, groups, net_ns);
	return displaced_judge(r);
}

/* Text and page have rows for what a reader would miss; JSON for all. */
static int fill_loops(struct report *r, const uint32_t *site_of, const struct report_options *o)
{
	struct loop_limits limits = loop_limits_none;

	if (r->by != REPORT_BY_GAP && o->format != REPORT_HTML)
		return 0;
	if (o->format != REPORT_JSON && o->top)
		limits = (struct loop_limits){.states = o->top == REPORT_TOP_DEFAULT ? 20 : o->top,
					      .least_share = 0.01,
					      .least_row = 0.0005,
					      .least_chance = 0.005};
	r->loops = loop_build(r, site_of, &limits);
	return r->loops ? 0 : -1;
}

static int fill_report(struct report *r, const struct report_options *o, uint32_t keep)
{
	struct groups groups;
	int status = groups_build(&groups, r->profile, r->by);

	if (status == 0)
		status = build_sites(r, &groups, keep);
	if (status == 0)
		status = account_gaps(r, groups.site_of);
	if (status == 0)
		status = account_threads(r);
	if (status == 0)
		status = fill_loops(r, groups.site_of, o);
	groups_free(&groups);
	return status;
}

/* A clock whose ticks are randomised, or far shorter than any call, cannot be locked
 * to the program. */
static int untested(const struct prof_clock *c)
{
	if (c->kind == SCP_CLOCK_NONE)
		return -1;
	return c->flags & SCP_CLOCK_RANDOMIZED || c->kind == SCP_CLOCK_TSC ||
			       c->kind == SCP_CLOCK_MONOTONIC || c->kind == SCP_CLOCK_THREAD_CPU
		       ? 0
		       : -1;
}

struct report *report_build(const struct profile *p, const struct report_options *o)
{
	return report_build_some(p, o, UINT32_MAX);
}

struct report *report_build_some(const struct profile *p, const struct report_options *o,
				 uint32_t keep)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->profile = p;
	r->by = o->by;
	r->confidence = o->confidence;
	r->include_warmup = o->include_warmup;
	r->bars = o->format == REPORT_JSON || o->format == REPORT_HTML;
	r->overhead = estimate_overhead(&p->clock);
	r->synchronous = untested(&p->clock);
	r->slow_synchronous = untested(&p->slow);
	r->skipped_calls = p->losses.skipped_calls;
	r->overflow_calls = p->losses.overflow_calls;
	r->symbols = symbolize_new(p);
	if (!r->symbols || fill_report(r, o, keep) < 0 || slowest_fill(r) < 0) {
		report_free(r);
		return NULL;
	}
	warnings_collect(r);
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	symbolize_free(r->symbols);
	for (uint32_t i = 0; i < r->warnings; i++)
		free(r->warning[i].text);
	free(r->warning);
	for (uint32_t i = 0; r->site && i < r->sites; i++)
		free(r->site[i].bar);
	free(r->site);
	free(r->note);
	free(r->gap);
	free(r->thread);
	free(r->process);
	loop_free(r->loops);
	free(r->slowest);
	free(r->module_noted);
	free(r);
}

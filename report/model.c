// SPDX-License-Identifier: GPL-3.0-or-later
/* Builds the sites of a report: entries of all tables that the grouping does
 * not tell apart are added up, then each sum is turned into an estimate. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "displaced.h"
#include "estimate.h"
#include "loop.h"
#include "phase.h"
#include "site.h"
#include "slowest.h"

struct site_key {
	uint64_t place; /* path index, or offset of the innermost frame */
	uint32_t module, exact;
	uint32_t function, outcome;
};

#define NO_PLACE UINT64_MAX

struct group {
	struct site_key key;
	const struct prof_frame *frame;
	uint32_t frames, path_flags;
	struct prof_sums sums;
	struct steadiness steady;
	uint32_t entry; /* any one of it: tells the function and outcome */
	uint32_t site;	/* where it came to lie in the report */
	UT_hash_handle hh;
	const struct prof_site_cost *cost; /* of the entry that has one */
	uint32_t costs;			   /* how many have */
	const struct prof_phase *phase;	   /* of the entry with most samples of them */
	uint64_t phases;
};

/* What the grouping keeps of an entry's path. */
static struct group group_of(const struct profile *p, enum report_by by, uint32_t index)
{
	const struct prof_entry *e = &p->entry[index];
	const struct prof_path *path = e->path < p->paths ? &p->path[e->path] : NULL;
	struct group g;

	memset(&g, 0, sizeof(g));
	g.key.function = e->function;
	g.key.outcome = e->outcome;
	g.key.place = NO_PLACE;
	g.entry = index;
	if (!path || by == REPORT_BY_FUNCTION)
		return g;
	g.frame = path->frame;
	g.frames = path->frames;
	g.path_flags = path->flags;
	if (by == REPORT_BY_SITE || by == REPORT_BY_GAP) {
		g.frames = path->frames ? 1 : 0;
		g.path_flags = 0;
		if (g.frames) {
			g.key.place = path->frame[0].offset;
			g.key.module = path->frame[0].module;
			g.key.exact = path->frame[0].exact;
		}
	} else {
		g.key.place = e->path;
	}
	return g;
}

/* Batches of processes that were folded into one lie one behind the other. */
static bool in_order(const struct profile *p, const struct prof_entry *e)
{
	return p->process[p->table[e->table].process].count <= 1;
}

/* Entries that are called in turn are sampled in turn, at almost one phase: after the
 * thread was away, say. Their samples together are not independent, and the test for
 * uniform phases would see a preference. So one entry's stand for all, the most. */
static void note_phases(struct group *g, const struct prof_phase *phase)
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
static void settle_phases(struct group *g)
{
	if (g->sums.phase && g->phases >= STATS_PHASE_LEAST)
		*g->sums.phase = *g->phase;
}

static int add_entry(struct group *g, const struct report *r, const struct prof_entry *e)
{
	note_phases(g, e->sums.phase);
	g->costs += e->cost.state != 0;
	if (e->cost.state)
		g->cost = &e->cost;
	if (prof_sums_add(&g->sums, &e->sums) < 0)
		return -1;
	return steadiness_add(&g->steady, &e->sums, in_order(r->profile, e), r->include_warmup);
}

static struct group *group_entries(const struct report *r, struct group **of)
{
	const struct profile *p = r->profile;
	struct group *groups = NULL;

	for (uint32_t i = 0; i < p->entries; i++) {
		struct group want = group_of(p, r->by, i), *g;

		HASH_FIND(hh, groups, &want.key, sizeof(want.key), g);
		if (!g) {
			g = malloc(sizeof(*g));
			if (!g)
				return groups; /* of[i] stays NULL: the caller sees it */
			*g = want;
			HASH_ADD(hh, groups, key, sizeof(g->key), g);
		}
		if (add_entry(g, r, &p->entry[i]) < 0)
			return groups;
		of[i] = g;
	}
	return groups;
}

static void free_groups(struct group *groups)
{
	struct group *g, *next;

	HASH_ITER(hh, groups, g, next)
	{
		HASH_DEL(groups, g);
		prof_sums_clear(&g->sums);
		steadiness_clear(&g->steady);
		free(g);
	}
}

static void fill_group(struct report *r, struct report_site *s, struct group *g)
{
	settle_phases(g);
	s->function = g->key.function;
	s->outcome = g->key.outcome;
	s->frame = g->frame;
	s->frames = g->frames;
	s->path_flags = g->path_flags;
	site_fill(r, s, &g->sums, &g->steady);
	/* several sites in one row, or one site in several runs: no number is that row's */
	if (g->costs == 1)
		displaced_fill(r, s, g->cost);
}

static int compare_frames(const struct profile *p, const struct prof_frame *a,
			  const struct prof_frame *b)
{
	const char *pa = a->module < p->modules ? p->module[a->module].path : "";
	const char *pb = b->module < p->modules ? p->module[b->module].path : "";
	int c = strcmp(pa, pb);

	if (c)
		return c;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (int)a->exact - (int)b->exact;
}

/* Longest total first; ties by what is printed, never by order in the file. */
static int compare_sites(const void *left, const void *right, void *profile)
{
	const struct report_site *a = left, *b = right;
	const struct profile *p = profile;
	const struct prof_function *fa = &p->function[a->function], *fb = &p->function[b->function];
	int c;

	if (a->units != b->units)
		return a->units > b->units ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	c = strcmp(fa->name, fb->name);
	if (!c)
		c = strcmp(fa->library, fb->library);
	if (!c)
		c = (int)a->overflow - (int)b->overflow;
	if (!c)
		c = (int)a->outcome - (int)b->outcome;
	for (uint32_t i = 0; !c && i < a->frames && i < b->frames; i++)
		c = compare_frames(p, &a->frame[i], &b->frame[i]);
	if (!c && a->frames != b->frames)
		c = a->frames < b->frames ? -1 : 1;
	return c;
}

static uint32_t count_overflows(const struct profile *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->functions; i++)
		n += p->function[i].overflow_calls > 0;
	return n;
}

static void add_up(struct report *r)
{
	double unit = r->profile->clock.ns_per_unit;
	uint64_t units = 0;
	double net_ns = 0;

	for (uint32_t i = 0; i < r->sites; i++) {
		units += r->site[i].units;
		r->calls += r->site[i].calls;
		net_ns += fmax(r->site[i].total_ns, 0);
	}
	r->calls_ns = (double)units * unit;
	r->perturbation_ns = (double)r->calls * (r->overhead.inside_ns + r->overhead.outside_ns);
	for (uint32_t i = 0; i < r->sites; i++)
		r->site[i].share = net_ns > 0 ? fmax(r->site[i].total_ns, 0) / net_ns : NAN;
}

/* A site and the group it was made from, so that the group learns its place. */
struct sorted {
	struct report_site site; /* first: compared as a site */
	struct group *group;	 /* NULL for overflow */
};

static int build_sites(struct report *r, struct group *groups)
{
	const struct profile *p = r->profile;
	uint32_t n = HASH_COUNT(groups) + count_overflows(p), i = 0;
	struct sorted *sorted = calloc(n ? n : 1, sizeof(*sorted));
	struct group *g, *next;

	r->site = calloc(n ? n : 1, sizeof(*r->site));
	if (!sorted || !r->site) {
		free(sorted);
		return -1;
	}
	HASH_ITER(hh, groups, g, next)
	{
		/* cppcheck-suppress uninitvar ; it does not know HASH_ITER */
		fill_group(r, &sorted[i].site, g);
		sorted[i++].group = g;
	}
	for (uint32_t f = 0; f < p->functions; f++)
		if (p->function[f].overflow_calls)
			site_fill_overflow(r, &sorted[i++].site, f);
	qsort_r(sorted, n, sizeof(*sorted), compare_sites, (void *)p);
	for (i = 0; i < n; i++) {
		r->site[i] = sorted[i].site;
		if (sorted[i].group)
			sorted[i].group->site = i;
	}
	r->sites = n;
	free(sorted);
	add_up(r);
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

static int fill_report(struct report *r, const struct report_options *o)
{
	const struct profile *p = r->profile;
	uint32_t n = p->entries ? p->entries : 1;
	struct group **of = calloc(n, sizeof(struct group *)), *groups = NULL;
	uint32_t *site_of = calloc(n, sizeof(*site_of));
	int status = -1;

	if (of && site_of) {
		groups = group_entries(r, of);
		if ((!p->entries || of[p->entries - 1]) && build_sites(r, groups) == 0) {
			for (uint32_t i = 0; i < p->entries; i++)
				site_of[i] = of[i]->site;
			status = account_gaps(r, site_of) < 0 || account_threads(r) < 0 ||
						 fill_loops(r, site_of, o) < 0
					 ? -1
					 : 0;
		}
	}
	free_groups(groups);
	free(of);
	free(site_of);
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
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->profile = p;
	r->by = o->by;
	r->confidence = o->confidence;
	r->include_warmup = o->include_warmup;
	r->bars = o->format != REPORT_TEXT;
	r->overhead = estimate_overhead(&p->clock);
	r->synchronous = untested(&p->clock);
	r->slow_synchronous = untested(&p->slow);
	r->skipped_calls = p->losses.skipped_calls;
	r->overflow_calls = p->losses.overflow_calls;
	r->symbols = symbolize_new(p);
	if (!r->symbols || fill_report(r, o) < 0 || slowest_fill(r) < 0) {
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
	free(r->gap);
	free(r->thread);
	free(r->process);
	loop_free(r->loops);
	free(r->slowest);
	free(r);
}

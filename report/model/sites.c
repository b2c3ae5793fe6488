// SPDX-License-Identifier: GPL-3.0-or-later
/* The sites of a report: entries of all tables in the same group are added up, and each sum is
 * turned into an estimate. */
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"

/* What a row is computed from, one row at a time. */
struct making {
	struct site_sums sums;
	const struct prof_site_cost *cost; /* of the entry that has one */
	uint32_t costs;			   /* how many have */
	uint32_t table;			   /* of the latest entry */
	double most_on_cpu_ns;
};

static int add_entry(struct making *m, const struct report *r, const struct prof_entry *e)
{
	const struct prof_site_cost *cost =
		site_cost_find(r->profile, (uint32_t)(e - r->profile->entry));

	m->costs += cost != NULL;
	if (cost)
		m->cost = cost;
	if (m->table != e->table) /* once more makes it wider, and no less true */
		m->most_on_cpu_ns += states_most_on_cpu(r, &r->profile->table[e->table]);
	m->table = e->table;
	return site_sums_add(&m->sums, &e->sums, site_sums_in_order(r->profile, e),
			     r->include_warmup);
}

/* `key_only`: what groups_order_key needs. */
static int fill_site(struct report *r, struct report_site *s, const struct groups *groups,
		     const struct group_row *row, bool key_only)
{
	struct group_path path = groups_path(groups, row);
	struct making making;
	struct site_sums *sums = &making.sums;
	int status = 0;

	s->waits = groups->waits[row->function];
	s->program = groups_program(groups, row);
	if (row->first == GROUP_OVERFLOW) {
		site_fill_overflow(r, s, row->function);
		return 0;
	}
	memset(&making, 0, sizeof(making));
	making.table = PROF_NONE;
	sums->steady.mean_only = key_only;
	for (uint32_t e = row->first; status == 0 && e != PROF_NONE; e = groups->next[e])
		status = add_entry(&making, r, &r->profile->entry[e]);
	if (status == 0) {
		site_sums_settle(sums);
		PROF_SET(s, row, function, outcome);
		PROF_SET(s, &path, frame, frames);
		s->path_flags = path.flags;
		(key_only ? site_fill_means : site_fill)(r, s, &sums->sums, &sums->steady);
		if (s->states.switched_calls || s->states.readings)
			s->states.most_on_cpu_ns = making.most_on_cpu_ns / (double)s->states.calls;
		/* several sites in one row, or several runs of one site: none is the row's */
		if (making.costs == 1)
			displaced_fill(r, s, making.cost);
	}
	site_sums_clear(sums);
	return status;
}

static double share_of(double total_ns, double net_ns)
{
	return net_ns > 0 ? fmin(fmax(total_ns, 0) / net_ns, 1) : NAN;
}

/* The first of those that work, and the first of those that wait. */
static bool is_kept(const struct report *r, uint32_t place)
{
	return place < r->kept || (place >= r->working && place - r->working < r->kept);
}

static bool row_waits(const struct groups *groups, uint32_t row)
{
	return groups->waits[groups->row[row].function];
}

/* Its part of the time of outer calls that do not wait. */
static double work_of(const struct groups *groups, const struct nesting *nesting,
		      const double *total_ns, uint32_t row)
{
	return row_waits(groups, row) ? 0
				      : nesting_of(nesting, groups, &groups->row[row]).outer_part *
						fmax(total_ns[row], 0);
}

/* Of the outer calls that do not wait, or of all where all are inside calls that wait. Added up in
 * the report's order, so that the sum does not depend on the file's. */
static double net_of(const struct groups *groups, const struct nesting *nesting,
		     const double *total_ns)
{
	double net_ns = 0;

	for (int all = 0; all < 2 && !(net_ns > 0); all++)
		for (uint32_t i = 0; i < groups->rows; i++) {
			uint32_t row = groups->order[i];

			net_ns += !all			   ? work_of(groups, nesting, total_ns, row)
				  : row_waits(groups, row) ? 0
							   : fmax(total_ns[row], 0);
		}
	return net_ns;
}

/* The sites of a program in the report's order, as in net_of. */
static void share_in_programs(struct report *r, const struct groups *groups,
			      const struct nesting *nesting, const double *total_ns)
{
	const uint32_t *row = groups->order;

	for (uint32_t i = 0; r->apart && i < groups->rows; i++) {
		uint32_t of = groups_program(groups, &groups->row[row[i]]);

		if (of >= r->programs)
			continue;
		r->program[of].sites++;
		if (row_waits(groups, row[i]))
			r->program[of].net_waiting_ns += fmax(total_ns[row[i]], 0);
		r->program[of].work_ns += work_of(groups, nesting, total_ns, row[i]);
	}
	for (struct report_site *s = NULL; (s = report_next_site(r, s));) {
		const struct report_program *of =
			s->program < r->programs ? &r->program[s->program] : NULL;

		s->program_share =
			of ? share_of(s->total_ns, s->waits ? of->time_ns : of->work_ns) : NAN;
	}
}

/* `total_ns`: by number of row. */
static void add_up(struct report *r, const struct groups *groups, const struct nesting *nesting,
		   const double *total_ns)
{
	uint64_t units = 0, waiting = 0;

	for (uint32_t i = 0; i < groups->rows; i++) {
		units += groups->row[i].units;
		waiting += row_waits(groups, i) ? groups->row[i].units : 0;
	}
	r->calls_ns = (double)units * r->profile->clock.ns_per_unit;
	r->waiting_ns = (double)waiting * r->profile->clock.ns_per_unit;
	for (uint32_t i = 0; i < groups->rows; i++)
		r->net_waiting_ns += row_waits(groups, i) ? fmax(total_ns[i], 0) : 0;
	for (struct report_site *s = NULL; (s = report_next_site(r, s));)
		s->share = s->waits ? NAN : share_of(s->total_ns, r->net_ns);
	for (uint32_t i = 0; i < r->notes; i++) {
		bool waits = row_waits(groups, r->note[i].row);

		r->note[i].row = groups->place[r->note[i].row];
		r->note[i].share = waits ? 0 : share_of(r->note[i].total_ns, r->net_ns);
	}
	ARRAY_SORT(r->note, r->notes, array_by_number);
	share_in_programs(r, groups, nesting, total_ns);
}

/* All that a kept row has beside its own sums. */
static void finish_site(struct report *r, struct report_site *s, const struct groups *groups,
			const struct group_row *row, const struct nesting *nesting)
{
	struct nesting_row of = nesting_of(nesting, groups, row);
	double own = of.self_units * r->profile->clock.ns_per_unit;

	if (groups->fold && row->first != GROUP_OVERFLOW)
		s->paths = groups_paths(groups, row);
	s->outer_calls = of.outer_calls;
	s->outer_ns = of.outer_part * s->total_ns;
	/* What calls inside add to their surroundings is subtracted as well. */
	s->self_ns = s->inner_calls ? own - (double)s->calls * s->overhead_ns : s->total_ns;
}

static int note_row(struct report *r, const struct report_site *s, uint32_t row)
{
	bool tells = s->has_slow && s->slow.ticks >= REPORT_TELLING_TICKS;

	r->slow_sites += tells;
	r->slow_sites_off += tells && !s->slow.covers;
	return reliability_note(r, s, row);
}

/* Nothing is told of it but its sums, which are known: its place is not kept, and no warning is
 * about so little time. Slow clocks and phases are told of all rows. */
static bool is_minor(const struct report *r, const struct groups *groups, const double *total_ns,
		     uint32_t row)
{
	for (uint32_t e = groups->row[row].first; e != PROF_NONE; e = groups->next[e]) {
		const struct prof_sums *sums = &r->profile->entry[e].sums;

		if (sums->slow || sums->phase)
			return false;
	}
	return row_waits(groups, row) ||
	       share_of(total_ns[row], r->net_ns) < RELIABILITY_LEAST_SHARE;
}

/* Row by row in memory order. Those whose places are the first are kept. */
static int fill_sites(struct report *r, const struct groups *groups, const struct nesting *nesting,
		      const double *total_ns)
{
	struct run_to_run *runs = run_to_run_begin(r);
	int status = 0;

	for (uint32_t i = 0; i < groups->rows && status == 0; i++) {
		uint32_t place = groups->place[i];
		bool kept = is_kept(r, place);
		struct report_site passing = {0}, *s = kept ? &r->site[place] : &passing;

		if (!kept && is_minor(r, groups, total_ns, i))
			continue;
		status = fill_site(r, s, groups, &groups->row[i], false);
		if (status == 0)
			status = note_row(r, s, i);
		free(passing.bar);
		if (!kept)
			continue;
		run_to_run_note(runs, r, groups, &groups->row[i], place);
		finish_site(r, s, groups, &groups->row[i], nesting);
		s->row = place;
	}
	run_to_run_finish(runs, r);
	for (struct report_site *s = NULL; status == 0 && (s = report_next_site(r, s));)
		site_limit(s, r->confidence);
	return status;
}

/* Where the order is that of estimates they are made twice. */
static int find_keys(struct report *r, struct groups *groups)
{
	int status = 0;

	groups->key = array_alloc(((size_t)groups->rows + 1) * sizeof(*groups->key));
	for (uint32_t i = 0; groups->key && i < groups->rows && status == 0; i++) {
		struct report_site passing = {0};

		status = fill_site(r, &passing, groups, &groups->row[i], true);
		groups->key[i] = groups_order_key(groups->sort, &passing);
	}
	return groups->key ? status : -1;
}

/* Of all rows, in their places. */
static void sum_totals(struct report *r, const struct groups *groups, const struct nesting *nesting,
		       double *total_ns)
{
	for (uint32_t i = 0; i < groups->rows; i++) {
		total_ns[i] = groups_row_ns(groups, &groups->row[i]);
		r->calls += groups->row[i].calls;
	}
	r->net_ns = net_of(groups, nesting, total_ns);
}

static int fill_in_order(struct report *r, struct groups *groups, const struct nesting *nesting,
			 double *total_ns)
{
	groups->overhead = &r->overhead;
	if (groups_order_needs_sites(groups->sort) && find_keys(r, groups) < 0)
		return -1;
	if (groups_order_sort(groups) < 0)
		return -1;
	sum_totals(r, groups, nesting, total_ns);
	return fill_sites(r, groups, nesting, total_ns);
}

int sites_build(struct report *r, struct groups *groups, uint32_t keep)
{
	double *total_ns = array_alloc(((size_t)groups->rows + 1) * sizeof(*total_ns));
	struct nesting nesting;
	int status = nesting_begin(&nesting, r->profile);

	r->sites = groups->rows;
	r->kept = keep < groups->rows ? keep : r->sites;
	for (uint32_t i = 0; i < groups->rows; i++)
		r->working += !row_waits(groups, i);
	/* Every site has its place, so that all indices are valid; only those kept are filled. */
	r->site = calloc(r->sites ? r->sites : 1, sizeof(*r->site));
	if (!r->site || !total_ns)
		status = -1;
	if (status == 0)
		status = fill_in_order(r, groups, &nesting, total_ns);
	if (status == 0)
		add_up(r, groups, &nesting, total_ns);
	nesting_end(&nesting);
	free(total_ns);
	return status < 0 ? -1 : displaced_judge(r);
}

void sites_share_time(struct report *r)
{
	for (struct report_site *s = NULL; (s = report_next_site(r, s));) {
		bool apart = r->apart && s->program < r->programs;

		s->time_share =
			share_of(s->total_ns, apart ? r->program[s->program].time_ns : r->time_ns);
		s->waiting_share = s->waits ? share_of(s->total_ns, r->time_ns) : NAN;
	}
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread keeps one sum of the time of all its nested calls. It belongs to one entry where only
 * one of the thread's has calls inside. */
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>

/* Gaps may be lost, or lie between calls that overlap: then a table's do not tell. */
#define MOST_LOST 0.01 /* of the calls that should lie between gaps */

static uint64_t seen_outer(const struct nesting *n, uint32_t entry)
{
	uint64_t seen = n->in[entry] > n->out[entry] ? n->in[entry] : n->out[entry];
	uint64_t calls = n->profile->entry[entry].sums.calls;

	return seen < calls ? seen : calls;
}

static int judge_tables(struct nesting *n)
{
	const struct profile *p = n->profile;
	double *missing = calloc((size_t)p->tables + 1, sizeof(*missing));
	double *outer = calloc((size_t)p->tables + 1, sizeof(*outer));

	for (uint32_t i = 0; missing && outer && i < p->entries; i++) {
		uint32_t table = p->entry[i].table;

		if (p->entry[i].sums.inner_calls && profile_leaves_out(p, p->entry[i].path))
			missing[table] = INFINITY; /* what is inside is in no row's time */
		outer[table] += (double)p->entry[i].sums.calls;
		missing[table] += (double)p->entry[i].sums.calls - (double)seen_outer(n, i);
	}
	for (uint32_t i = 0; missing && outer && i < p->tables; i++) {
		double nested = (double)p->table[i].nested_calls;

		n->told[i] = nested > 0 &&
			     fabs(missing[i] - nested) <= 1 + MOST_LOST * (outer[i] - nested);
	}
	free(missing);
	free(outer);
	return missing && outer ? 0 : -1;
}

static void count_gaps(struct nesting *n)
{
	const struct profile *p = n->profile;

	for (const struct prof_gap *g = p->gap; g < p->gap + p->gaps; g++) {
		if (g->to < p->entries)
			n->in[g->to] += g->calls;
		if (g->from < p->entries)
			n->out[g->from] += g->calls;
	}
	for (uint32_t i = 0; i < p->entries; i++)
		if (p->entry[i].sums.inner_calls)
			n->outers[p->entry[i].table]++;
}

int nesting_begin(struct nesting *n, const struct profile *p)
{
	*n = (struct nesting){.profile = p};
	for (uint32_t i = 0; i < p->tables; i++)
		n->any |= p->table[i].nested_calls > 0;
	if (!n->any)
		return 0;
	n->in = calloc((size_t)p->entries + 1, sizeof(*n->in));
	n->out = calloc((size_t)p->entries + 1, sizeof(*n->out));
	n->outers = calloc((size_t)p->tables + 1, sizeof(*n->outers));
	n->told = calloc((size_t)p->tables + 1, sizeof(*n->told));
	if (!n->in || !n->out || !n->outers || !n->told)
		return -1;
	count_gaps(n);
	return judge_tables(n);
}

void nesting_end(struct nesting *n)
{
	PROF_FREE(n, in, out, outers, told);
}

static uint64_t outer_calls(const struct nesting *n, uint32_t entry)
{
	const struct prof_entry *e = &n->profile->entry[entry];

	return n->told[e->table] ? seen_outer(n, entry) : e->sums.calls;
}

static double self_of(const struct nesting *n, const struct prof_entry *e)
{
	const struct prof_table *t = &n->profile->table[e->table];

	if (!e->sums.inner_calls)
		return (double)e->sums.units;
	/* All that is nested in this thread is inside this one, and in no other of it. */
	if (n->outers[e->table] == 1 && t->nested_calls == e->sums.inner_calls &&
	    t->nested_units <= e->sums.units)
		return (double)(e->sums.units - t->nested_units);
	return NAN;
}

struct nesting_row nesting_of(const struct nesting *n, const struct groups *g,
			      const struct group_row *row)
{
	struct nesting_row of = {0};
	double outer_units = 0;

	if (!n->any || row->first == GROUP_OVERFLOW)
		return (struct nesting_row){row->calls, 1, (double)row->units};
	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e]) {
		const struct prof_entry *entry = &n->profile->entry[e];
		uint64_t calls = outer_calls(n, e);

		of.outer_calls += calls;
		if (calls)
			outer_units += (double)entry->sums.units * (double)calls /
				       (double)entry->sums.calls;
		of.self_units += self_of(n, entry);
	}
	of.outer_part = row->units ? outer_units / (double)row->units
				   : (row->calls ? (double)of.outer_calls / (double)row->calls : 1);
	return of;
}

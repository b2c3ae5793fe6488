// SPDX-License-Identifier: GPL-3.0-or-later
/* Leave processes out of a model: elements that stay move down, and what names them by index is
 * renamed. All memory is taken first. Modules, paths and functions stay. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model/model.h"

/* Old index -> new index; PROF_NONE: left out. */
struct keeping {
	struct profile *p;
	uint32_t *process, *table, *entry;
};

/* How many are left out. */
static uint32_t choose(const struct keeping *k, const char *pattern)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < k->p->processes; i++) {
		const char *name = k->p->process[i].program;

		k->process[i] = name && !fnmatch(pattern, name, 0) ? kept++ : PROF_NONE;
	}
	return k->p->processes - kept;
}

static void keep_processes(struct keeping *k)
{
	struct profile *p = k->p;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->processes; i++) {
		struct prof_process *q = &p->process[i];

		if (k->process[i] != PROF_NONE) {
			p->process[kept++] = *q;
			continue;
		}
		model_clear_process(q);
	}
	p->processes = kept;
}

static void keep_tables(struct keeping *k)
{
	struct profile *p = k->p;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->tables; i++) {
		uint32_t process = k->process[p->table[i].process];

		k->table[i] = process == PROF_NONE ? PROF_NONE : kept;
		if (process == PROF_NONE)
			continue;
		p->table[kept] = p->table[i];
		p->table[kept++].process = process;
	}
	p->tables = kept;
}

static void keep_entries(struct keeping *k)
{
	struct profile *p = k->p;
	uint32_t kept = 0;

	p->torn_entries = 0;
	for (uint32_t i = 0; i < p->entries; i++) {
		uint32_t table = k->table[p->entry[i].table];

		k->entry[i] = table == PROF_NONE ? PROF_NONE : kept;
		if (table == PROF_NONE) {
			sums_clear(&p->entry[i].sums);
			continue;
		}
		p->entry[kept] = p->entry[i];
		p->torn_entries += p->entry[kept].torn;
		p->entry[kept++].table = table;
	}
	p->entries = kept;
}

static uint32_t renamed(const uint32_t *to, uint32_t old)
{
	return old == PROF_NONE ? PROF_NONE : to[old];
}

static void keep_gaps(struct keeping *k)
{
	struct profile *p = k->p;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->gaps; i++) {
		struct prof_gap g = p->gap[i];

		if (k->table[g.table] == PROF_NONE)
			continue;
		g.table = k->table[g.table];
		g.from = renamed(k->entry, g.from);
		g.to = renamed(k->entry, g.to);
		p->gap[kept++] = g;
	}
	p->gaps = kept;
}

static void keep_of_entries(struct keeping *k)
{
	struct profile *p = k->p;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->slowests; i++) {
		struct prof_slowest s = p->slowest[i];

		s.entry = k->entry[s.entry];
		if (s.entry != PROF_NONE)
			p->slowest[kept++] = s;
	}
	p->slowests = kept;
	kept = 0;
	for (uint32_t i = 0; i < p->site_costs; i++) {
		struct prof_site_cost c = p->site_cost[i];

		c.entry = k->entry[c.entry];
		if (c.entry != PROF_NONE)
			p->site_cost[kept++] = c;
	}
	p->site_costs = kept;
}

static void keep_looks(struct keeping *k)
{
	struct profile *p = k->p;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->looks; i++) {
		uint32_t table = k->table[p->look[i].table];

		if (table == PROF_NONE)
			continue;
		p->look[kept] = p->look[i];
		p->look[kept++].table = table;
	}
	p->looks = kept;
}

/* What nobody knows of single processes. */
static void forget_sums(struct profile *p)
{
	for (uint32_t i = 0; i < p->functions; i++) {
		struct prof_function *f = &p->function[i];

		f->overflow_calls = f->overflow_units = f->overflow_bytes = 0;
	}
	p->losses.overflow_calls = p->losses.overflow_gaps = 0;
	p->losses.overflow_gap_units = p->losses.overflow_nested_units = 0;
	p->losses.overflow_time_units = 0;
	memset(&p->usage, 0, sizeof p->usage);
	p->usage_cpu_of = p->usage_io_of = 0;
	p->own_ns = 0;
}

int keep_programs(struct profile *p, const char *pattern)
{
	struct keeping k = {.p = p};
	uint32_t left_out;
	int status = -1;

	k.process = malloc(((size_t)p->processes + 1) * sizeof *k.process);
	k.table = malloc(((size_t)p->tables + 1) * sizeof *k.table);
	k.entry = malloc(((size_t)p->entries + 1) * sizeof *k.entry);
	if (k.process && k.table && k.entry) {
		left_out = choose(&k, pattern);
		status = left_out == p->processes ? KEEP_NONE : 0;
		if (status == 0 && left_out) {
			keep_processes(&k);
			keep_tables(&k);
			keep_entries(&k);
			keep_gaps(&k);
			keep_of_entries(&k);
			keep_looks(&k);
			forget_sums(p);
		}
	}
	free(k.process);
	free(k.table);
	free(k.entry);
	return status;
}

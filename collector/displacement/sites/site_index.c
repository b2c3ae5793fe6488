// SPDX-License-Identifier: GPL-3.0-or-later
/* Entries are sorted by what makes a site; what was read is found by its file and its place in
 * the file's order, which is the model's. */
#include "collector/displacement/sites/site_costs_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

static int compare_sites(const struct prof_entry *x, const struct prof_entry *y)
{
	return ARRAY_ORDER(x->path, y->path)
		       ?: ARRAY_ORDER(x->function, y->function)
		       ?: ARRAY_ORDER(x->outcome, y->outcome);
}

ARRAY_COMPARE_AT(compare_entries, struct prof_entry, compare_sites(a, b) ?: ARRAY_ORDER(a, b))
ARRAY_COMPARE_AT(compare_units, struct site, PROF_ORDER(b, a, units) ?: PROF_ORDER(a, b, entry))

static int find_sites(struct site_index *x)
{
	const struct profile *p = x->profile;
	uint32_t *order = array_order(p->entries, compare_entries, p->entry);

	x->site = calloc((size_t)p->entries + 1, sizeof(*x->site));
	x->site_of = calloc((size_t)p->entries + 1, sizeof(*x->site_of));
	if (!order || !x->site || !x->site_of) {
		free(order);
		return -1;
	}
	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[order[i]];

		if (!i || compare_sites(e, &p->entry[order[i - 1]]))
			x->site[x->sites++] = (struct site){.entry = order[i]};
		x->site[x->sites - 1].units += e->sums.units;
		x->site_of[order[i]] = x->sites - 1;
	}
	free(order);
	order = array_order((uint32_t)x->sites, compare_units, x->site);
	for (size_t i = 0; order && i < x->sites; i++)
		x->site[order[i]].rank = i;
	x->used = x->sites < SITE_COSTS_ROOM ? x->sites : SITE_COSTS_ROOM;
	int failed = order ? 0 : -1;
	free(order);
	return failed;
}

/* Entry number `ordinal` of the file's process in the model; PROF_NONE where it has not as many as
 * its file: then it is not the same file. */
static uint32_t entry_of(const struct site_index *x, const struct site_sampled *s)
{
	const struct profile *p = x->profile;
	uint32_t found = PROF_NONE, process = 0;
	char path[8192];
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", x->profiles, s->file);
	while (process < p->processes && strcmp(p->process[process].file, path) != 0)
		process++;
	for (uint32_t i = 0; i < p->entries && process < p->processes; i++) {
		if (p->table[p->entry[i].table].process != process)
			continue;
		if (n++ == s->ordinal)
			found = i;
	}
	return n == s->of ? found : PROF_NONE;
}

static int find_ranks(struct site_index *x, size_t *missed)
{
	size_t entries = site_samples_entries(x->samples, missed);

	x->rank_of = calloc(entries + 1, sizeof(*x->rank_of));
	if (!x->rank_of)
		return -1;
	for (size_t i = 0; i < entries; i++) {
		struct site_sampled s = site_samples_entry(x->samples, i);
		uint32_t entry = entry_of(x, &s);

		size_t rank = entry != PROF_NONE ? x->site[x->site_of[entry]].rank : x->used;

		*missed += entry == PROF_NONE;
		x->rank_of[i] = rank < x->used ? rank : SITE_INDEX_NONE;
	}
	return 0;
}

int site_index_make(struct site_index *x, size_t *missed)
{
	return find_sites(x) || find_ranks(x, missed) ? -1 : 0;
}

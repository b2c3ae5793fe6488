// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash table of rows; entries of a row are a list. Their order: groups_order.c. */
#include "report/model/sites.h"

#include <stdlib.h>

#include "report/containers/string_index.h"
#include "report/model/model.h"
#include "report/symbols/symbolize.h"

struct group_path groups_keep(const struct profile *p, enum report_by by,
			      const struct prof_path *path, struct prof_frame *function)
{
	uint32_t source =
		by == REPORT_BY_FUNCTION && path ? path_site_function(p, path) : PROF_NONE;

	if (source < p->source_functions) {
		*function = symbolize_source_function(source);
		return (struct group_path){function, 1, 0};
	}
	if (!path || by == REPORT_BY_FUNCTION)
		return (struct group_path){NULL, 0, 0};
	if (by == REPORT_BY_SITE || by == REPORT_BY_GAP)
		return (struct group_path){path->frame + path_site_of(p, path),
					   path->frames ? 1 : 0, 0};
	return (struct group_path){path->frame, path->frames, path->flags};
}

static struct group_path path_of(const struct groups *g, uint32_t index)
{
	const struct profile *p = g->profile;
	const struct prof_path *path = index < p->paths ? &p->path[index] : NULL;
	uint32_t source = g->caller && path ? path_site_function(p, path) : PROF_NONE;

	return groups_keep(p, g->by, path,
			   source < p->source_functions ? &g->caller[source] : NULL);
}

struct group_path groups_path(const struct groups *g, const struct group_row *row)
{
	return path_of(g, row->path);
}

/* By path: equal paths have one number. Else: the frame that path_of keeps. */
struct key {
	uint64_t place;
	uint32_t module, kind, function, outcome; /* kind: exact, heuristic */
	uint32_t program;
};

static uint32_t program_of(const struct groups *g, uint32_t entry)
{
	const struct profile *p = g->profile;

	return g->program_of[p->table[p->entry[entry].table].process];
}

uint32_t groups_program(const struct groups *g, const struct group_row *row)
{
	return g->program_of && row->first != GROUP_OVERFLOW ? program_of(g, row->first)
							     : REPORT_NO_PROGRAM;
}

static struct key key_of(const struct groups *g, uint32_t entry)
{
	const struct prof_entry *e = &g->profile->entry[entry];
	struct key k = {UINT64_MAX, 0, 0, e->function, e->outcome, 0};

	if (g->program_of)
		k.program = program_of(g, entry);
	if (g->fold && g->by != REPORT_BY_FUNCTION && e->path < g->profile->paths) {
		k.place = g->fold[e->path];
		return k;
	}
	if (g->by == REPORT_BY_SITE || g->by == REPORT_BY_GAP || g->caller) {
		struct group_path path = path_of(g, e->path);

		if (path.frames) {
			k.place = path.frame->offset;
			k.module = path.frame->module;
			k.kind = path.frame->exact | path.frame->heuristic << 1;
		}
	} else if (g->by != REPORT_BY_FUNCTION && e->path < g->profile->paths) {
		k.place = e->path;
	}
	return k;
}

static bool same_key(const void *groups, const void *wanted, uint32_t row)
{
	const struct groups *g = groups;
	const struct key *a = wanted, b = key_of(g, g->row[row].first);

	return a->place == b.place && a->module == b.module && a->kind == b.kind &&
	       a->function == b.function && a->outcome == b.outcome && a->program == b.program;
}

/* Multiply and fold, as in wyhash: the high half of a product depends on all bits. */
static uint32_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * b;

	return (uint32_t)(product >> 64) ^ (uint32_t)product;
}

static uint32_t hash_of(const struct key *k)
{
	return fold(k->place, fold((uint64_t)k->module << 32 | k->function,
				   (uint64_t)k->program << 8 | k->kind << 4 | k->outcome) |
				      1);
}

/* For as many rows as there can be: what is not used is not touched. */
static int make_rows(struct groups *g)
{
	size_t most = (size_t)g->profile->entries + g->profile->functions + 1;

	g->row = array_alloc(most * sizeof(*g->row));
	g->last = array_alloc(most * sizeof(*g->last));
	if (g->fold)
		g->longest = array_alloc(most * sizeof(*g->longest));
	return g->row && g->last && (g->longest || !g->fold) ? 0 : -1;
}

static void new_row(struct groups *g, uint32_t entry)
{
	const struct prof_entry *e = &g->profile->entry[entry];
	struct group_row *row = &g->row[g->rows];

	*row = (struct group_row){
		.function = e->function, .outcome = e->outcome, .path = e->path, .first = entry};
	g->rows++;
}

static uint32_t row_of(struct groups *g, uint32_t entry)
{
	struct key want = key_of(g, entry);
	uint32_t hash = hash_of(&want);
	struct number_slot *slot = number_table_find(&g->table, hash, same_key, g, &want);

	if (slot->number == NUMBER_TABLE_FREE) {
		*slot = (struct number_slot){g->rows, hash};
		new_row(g, entry);
	}
	return slot->number;
}

/* Its path stands for the row's. */
static void keep_longest(struct groups *g, struct group_row *row, uint32_t entry)
{
	const struct prof_entry *e = &g->profile->entry[entry];

	if (e->sums.units > g->longest[row - g->row] || row->first == entry) {
		g->longest[row - g->row] = e->sums.units;
		row->path = e->path;
	}
}

static void group_entries(struct groups *g)
{
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < p->entries; i++) {
		g->next[i] = PROF_NONE;
		if (profile_leaves_out(p, p->entry[i].path))
			continue;
		uint32_t row = row_of(g, i);
		if (g->row[row].first != i)
			g->next[g->last[row]] = i;
		if (g->fold)
			keep_longest(g, &g->row[row], i);
		g->last[row] = i;
		PROF_ADD(&g->row[row], &p->entry[i].sums, units, calls);
	}
}

static int make_callers(struct groups *g)
{
	const struct profile *p = g->profile;

	if (g->by != REPORT_BY_FUNCTION || !p->source_lines)
		return 0;
	g->caller = array_alloc(((size_t)p->source_functions + 1) * sizeof(*g->caller));
	return g->caller ? 0 : -1;
}

static void add_overflows(struct groups *g)
{
	const struct profile *p = g->profile;

	for (uint32_t f = 0; f < p->functions; f++) {
		if (!p->function[f].overflow_calls || profile_leaves_out(p, PROF_NONE))
			continue;
		g->row[g->rows] = (struct group_row){.units = p->function[f].overflow_units,
						     .calls = p->function[f].overflow_calls,
						     .function = f,
						     .path = PROF_NONE,
						     .first = GROUP_OVERFLOW};
		g->rows++;
	}
}

int groups_make(struct groups *g, const struct profile *p, enum report_by by, const uint32_t *fold,
		const uint32_t *program_of)
{
	size_t entries = (size_t)p->entries + 1;

	*g = (struct groups){.profile = p, .by = by, .fold = fold, .program_of = program_of};
	g->next = array_alloc(entries * sizeof(*g->next));
	g->waits = calloc((size_t)p->functions + 1, sizeof(*g->waits));
	if (!g->next || !g->waits || make_rows(g) < 0 || make_callers(g) < 0 ||
	    number_table_reserve(&g->table, p->entries) < 0)
		return -1;
	for (uint32_t i = 0; i < p->functions; i++)
		g->waits[i] = waiting_function(&p->function[i]);
	group_entries(g);
	number_table_clear(&g->table);
	PROF_FREE(g, last, longest);
	add_overflows(g);
	return 0;
}

uint32_t groups_paths(const struct groups *g, const struct group_row *row)
{
	uint32_t *path, entries = 0, paths = 0;

	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e])
		entries++;
	path = array_alloc(((size_t)entries + 1) * sizeof(*path));
	if (!path)
		return UINT32_MAX;
	entries = 0;
	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e])
		path[entries++] = g->profile->entry[e].path;
	ARRAY_SORT(path, entries, array_by_number);
	for (uint32_t i = 0; i < entries; i++)
		paths += !i || path[i] != path[i - 1];
	free(path);
	return paths;
}

void groups_free(struct groups *g)
{
	PROF_FREE(g, row, order, place, next, caller, site_of, waits, key, last, longest);
	number_table_clear(&g->table);
}

/* Paths share their beginnings: each is a number in a tree, outermost function first. */

struct folding {
	struct report *report;
	struct pairs modules;	/* module and kind, upper half of the place in it */
	struct pairs functions; /* those, lower half */
	struct pairs paths;	/* what is further out, function */
};

/* A name stands for its function's first address; without one the frame's own does. */
static uint32_t function_of(struct folding *f, const struct prof_frame *frame)
{
	size_t count;
	const struct symbol *s = frame_symbols_find(f->report, frame, &count) + count - 1;
	bool source = frame->module == PROF_SOURCE;
	bool named = source || (s->function && s->into <= frame->offset);
	uint64_t place = !named	  ? frame->offset
			 : source ? f->report->profile->source_line[frame->offset].function
			 : s->language
				 ? (uintptr_t)s->linker_name /* one of each, whatever its code */
				 : frame->offset - s->into;
	uint32_t kind = (uint32_t)frame->heuristic << 1 | (uint32_t)named, at;

	/* two bits of a module's number are never in use: a file has fewer */
	at = pairs_add(&f->modules, frame->module << 2 | kind, (uint32_t)(place >> 32));
	return at == PAIRS_NONE ? at : pairs_add(&f->functions, at, (uint32_t)place);
}

static uint32_t number_of(struct folding *f, const struct prof_path *path, bool site)
{
	uint32_t at = pairs_add(&f->paths, PAIRS_NONE, path->flags);
	uint32_t first = site ? path_site_of(f->report->profile, path) : 0;
	uint32_t end = site && path->frames ? first + 1 : path->frames;

	for (uint32_t i = end; at != PAIRS_NONE && i-- > first;) {
		uint32_t function = function_of(f, &path->frame[i]);

		at = function == PAIRS_NONE ? function : pairs_add(&f->paths, at, function);
	}
	return at;
}

uint32_t *groups_fold(struct report *r, bool site)
{
	const struct profile *p = r->profile;
	struct folding f = {.report = r};
	uint32_t *number = array_alloc(((size_t)p->paths + 1) * sizeof(*number));
	bool failed = !number;

	for (uint32_t i = 0; !failed && i < p->paths; i++) {
		number[i] = number_of(&f, &p->path[i], site);
		failed = number[i] == PAIRS_NONE;
	}
	pairs_clear(&f.modules);
	pairs_clear(&f.functions);
	pairs_clear(&f.paths);
	if (!failed)
		return number;
	free(number);
	return NULL;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash table of rows, then one sort, by words of a row's key: frames are
 * looked at where all before is equal. */
#include "report/model/groups.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/model/row_sort.h"
#include "report/model/waiting.h"

static struct group_path path_of(const struct profile *p, enum report_by by, uint32_t index)
{
	const struct prof_path *path = index < p->paths ? &p->path[index] : NULL;

	if (!path || by == REPORT_BY_FUNCTION)
		return (struct group_path){NULL, 0, 0};
	if (by == REPORT_BY_SITE || by == REPORT_BY_GAP)
		return (struct group_path){path->frame, path->frames ? 1 : 0, 0};
	return (struct group_path){path->frame, path->frames, path->flags};
}

struct group_path groups_path(const struct groups *g, const struct group_row *row)
{
	return path_of(g->profile, g->by, row->path);
}

/* By path: equal paths have one number. By site: the innermost frame. */
struct key {
	uint64_t place;
	uint32_t module, kind, function, outcome; /* kind: exact, heuristic */
	uint32_t program;
};

static uint32_t program_of(const struct groups *g, uint32_t entry)
{
	const struct profile *p = g->profile;
	uint32_t table = p->entry[entry].table;
	uint32_t process = table < p->tables ? p->table[table].process : PROF_NONE;

	return process < p->processes ? g->program_of[process] : REPORT_NO_PROGRAM;
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
	if (g->by == REPORT_BY_SITE || g->by == REPORT_BY_GAP) {
		struct group_path path = path_of(g->profile, g->by, e->path);

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

/* Numbers of paths come one after the other, and so do their slots, a sequence of them for each
 * function: the memory is not jumped about in. Frames are folded with all else. */
static uint32_t hash_of(const struct groups *g, const struct key *k)
{
	uint64_t function =
		((uint64_t)k->program << 36 | (uint64_t)k->outcome << 32 | k->function) + 1;

	if (g->by != REPORT_BY_SITE && g->by != REPORT_BY_GAP)
		return (uint32_t)k->place * 2 ^ fold(function, 0xd6e8feb86659fd93u);
	return fold(k->place, (((uint64_t)k->module << 32) | (uint32_t)function) ^
				      0xd6e8feb86659fd93u ^ ((uint64_t)k->outcome << 24) ^
				      ((uint64_t)k->program << 42) ^ ((uint64_t)k->kind << 40));
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

/* The row of an entry, which may be new. */
static uint32_t row_of(struct groups *g, uint32_t entry)
{
	struct key want = key_of(g, entry);
	uint32_t hash = hash_of(g, &want);
	struct number_slot *slot = number_table_find(&g->table, hash, same_key, g, &want);

	if (slot->number == NUMBER_TABLE_FREE) {
		*slot = (struct number_slot){g->rows, hash};
		new_row(g, entry);
	}
	return slot->number;
}

#define AHEAD 16 /* entries: until the memory has answered */

/* Have the slot of an entry fetched that comes soon. */
static void expect(const struct groups *g, uint32_t entry, uint32_t later)
{
	struct key key = key_of(g, entry);

	number_table_prefetch(&g->table, hash_of(g, &key));
	__builtin_prefetch(&g->profile->entry[later]);
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
		if (p->entries - i > 2 * AHEAD)
			expect(g, i + AHEAD, i + 2 * AHEAD);
		uint32_t row = row_of(g, i);

		g->next[i] = PROF_NONE;
		if (g->row[row].first != i)
			g->next[g->last[row]] = i;
		if (g->fold)
			keep_longest(g, &g->row[row], i);
		g->last[row] = i;
		g->row[row].units += p->entry[i].sums.units;
		g->row[row].calls += p->entry[i].sums.calls;
	}
}

static void add_overflows(struct groups *g)
{
	const struct profile *p = g->profile;

	for (uint32_t f = 0; f < p->functions; f++) {
		if (!p->function[f].overflow_calls)
			continue;
		g->row[g->rows] = (struct group_row){.units = p->function[f].overflow_units,
						     .calls = p->function[f].overflow_calls,
						     .function = f,
						     .path = PROF_NONE,
						     .first = GROUP_OVERFLOW};
		g->rows++;
	}
}

static int compare_functions(const void *left, const void *right, void *profile)
{
	const struct prof_function *f = ((const struct profile *)profile)->function;
	const struct prof_function *a = &f[*(const uint32_t *)left],
				   *b = &f[*(const uint32_t *)right];
	int c = strcmp(a->name, b->name);

	return c ? c : strcmp(a->library, b->library);
}

static int compare_modules(const void *left, const void *right, void *profile)
{
	const struct prof_module *m = ((const struct profile *)profile)->module;

	return strcmp(m[*(const uint32_t *)left].path, m[*(const uint32_t *)right].path);
}

/* Ranks from 1: no module, as a frame may have, comes before all. */
static uint32_t *rank_all(uint32_t count, const struct profile *p,
			  int (*compare)(const void *, const void *, void *))
{
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
	uint32_t *rank = malloc(((size_t)count + 1) * sizeof(*rank));

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order && rank) {
		qsort_r(order, count, sizeof(*order), compare, (void *)p);
		for (uint32_t i = 0; i < count; i++) {
			bool same = i && !compare(&order[i - 1], &order[i], (void *)p);

			rank[order[i]] = same ? rank[order[i - 1]] : i + 1;
		}
	}
	if (!order) {
		free(rank);
		rank = NULL;
	}
	free(order);
	return rank;
}

/* Two words a frame, the first of which is never 0. */
static bool frame_word(const struct groups *g, const struct group_row *row, uint32_t level,
		       uint64_t *word)
{
	struct group_path path = groups_path(g, row);
	const struct prof_frame *f = path.frame + level / 2;
	uint64_t rank;

	if (level / 2 >= path.frames)
		return false;
	rank = f->module < g->profile->modules ? g->module_rank[f->module] : 0;
	*word = level % 2 ? (f->offset & UINT32_MAX) << 2 | f->exact << 1 | f->heuristic
			  : rank << 32 | f->offset >> 32;
	return true;
}

/* Numbers that are not negative are in the order of their bytes. */
static uint64_t mean_word(const struct group_row *row)
{
	double mean = row->calls ? (double)row->units / (double)row->calls : 0;
	uint64_t word;

	memcpy(&word, &mean, sizeof(word));
	return word;
}

/* The longest call of a row, or its bytes. */
static uint64_t entries_word(const struct groups *g, const struct group_row *row)
{
	uint64_t bytes = 0, longest = 0;

	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e]) {
		const struct prof_sums *s = &g->profile->entry[e].sums;

		bytes += s->has_bytes ? s->bytes : 0;
		longest = s->max_units > longest ? s->max_units : longest;
	}
	return g->sort == REPORT_SORT_BYTES ? bytes : longest;
}

/* What is to be large comes first. */
static uint64_t large_word(const struct groups *g, const struct group_row *row)
{
	switch (g->sort) {
	case REPORT_SORT_CALLS:
		return row->calls;
	case REPORT_SORT_MEAN:
		return mean_word(row);
	case REPORT_SORT_MAX:
	case REPORT_SORT_BYTES:
		return entries_word(g, row);
	case REPORT_SORT_NAME:
		return INT64_MAX - g->function_rank[row->function];
	default:
		return row->units;
	}
}

/* What works before what waits, the largest first, in one word: only sums beyond 2^63 lose their
 * order, which no clock reaches. */
static uint64_t first_word(const struct groups *g, const struct group_row *row)
{
	uint64_t large = large_word(g, row);

	return (uint64_t)g->waits[row->function] << 63 |
	       (INT64_MAX - (large < INT64_MAX ? large : INT64_MAX));
}

/* As first_word has it, then those with most calls; what it is; the path from inside outwards. */
static bool row_word(uint32_t number, uint32_t level, uint64_t *word, const void *groups)
{
	const struct groups *g = groups;
	const struct group_row *row = &g->row[number];

	switch (level) {
	case 0:
		*word = first_word(g, row);
		return true;
	case 1:
		*word = ~row->calls;
		return true;
	case 2:
		*word = (uint64_t)g->function_rank[row->function] << 4 |
			(row->first == GROUP_OVERFLOW) << 3 | row->outcome;
		return true;
	case 3:
		*word = groups_program(g, row);
		return true;
	default:
		return frame_word(g, row, level - 4, word);
	}
}

#define WORDS_ALWAYS 2 /* units and calls: the rest is looked for all over the memory */

static bool is_noted(uint32_t number, const void *groups)
{
	return ((const struct groups *)groups)->row[number].noted;
}

/* By entry. Made last, after the sort's own memory has gone. */
static int find_sites(struct groups *g)
{
	g->site_of = array_alloc(((size_t)g->profile->entries + 1) * sizeof(*g->site_of));
	if (!g->site_of)
		return -1;
	for (uint32_t i = 0; i < g->rows; i++)
		for (uint32_t e = g->row[i].first; e != PROF_NONE; e = g->next[e])
			g->site_of[e] = g->place[i];
	return 0;
}

int groups_sort(struct groups *g, uint32_t first)
{
	const struct row_sort_keys order = {.word = row_word,
					    .context = g,
					    .matters = first < g->rows ? is_noted : NULL,
					    .always = WORDS_ALWAYS,
					    .first = first};

	g->place = array_alloc(((size_t)g->rows + 1) * sizeof(*g->place));
	return g->place && row_sort(g->place, g->rows, &order) == 0 ? find_sites(g) : -1;
}

int groups_make(struct groups *g, const struct profile *p, enum report_by by, const uint32_t *fold,
		const uint32_t *program_of)
{
	size_t entries = (size_t)p->entries + 1;

	*g = (struct groups){.profile = p, .by = by, .fold = fold, .program_of = program_of};
	g->next = array_alloc(entries * sizeof(*g->next));
	g->function_rank = rank_all(p->functions, p, compare_functions);
	g->module_rank = rank_all(p->modules, p, compare_modules);
	g->waits = calloc((size_t)p->functions + 1, sizeof(*g->waits));
	if (!g->next || !g->waits || !g->function_rank || !g->module_rank || make_rows(g) < 0 ||
	    number_table_reserve(&g->table, p->entries) < 0)
		return -1;
	for (uint32_t i = 0; i < p->functions; i++)
		g->waits[i] = waiting_function(&p->function[i]);
	group_entries(g);
	number_table_clear(&g->table);
	free(g->last);
	free(g->longest);
	g->last = NULL;
	g->longest = NULL;
	add_overflows(g);
	return 0;
}

int groups_build(struct groups *g, const struct profile *p, enum report_by by)
{
	return groups_make(g, p, by, NULL, NULL) < 0 ? -1 : groups_sort(g, UINT32_MAX);
}

static int compare_numbers(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
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
	qsort(path, entries, sizeof(*path), compare_numbers);
	for (uint32_t i = 0; i < entries; i++)
		paths += !i || path[i] != path[i - 1];
	free(path);
	return paths;
}

void groups_free(struct groups *g)
{
	free(g->row);
	free(g->place);
	free(g->next);
	free(g->site_of);
	free(g->waits);
	number_table_clear(&g->table);
	free(g->last);
	free(g->longest);
	free(g->function_rank);
	free(g->module_rank);
}

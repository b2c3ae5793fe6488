// SPDX-License-Identifier: GPL-3.0-or-later
/* A hash of numbers with open addressing, then one sort. What decides most comparisons
 * lies in the rows themselves: frames are looked at where those are equal. */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "order.h"

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
	uint32_t module, exact, function, outcome;
};

static struct key key_of(const struct groups *g, uint32_t entry)
{
	const struct prof_entry *e = &g->profile->entry[entry];
	struct group_path path = path_of(g->profile, g->by, e->path);
	struct key k = {UINT64_MAX, 0, 0, e->function, e->outcome};

	if (g->by == REPORT_BY_SITE || g->by == REPORT_BY_GAP) {
		if (path.frames) {
			k.place = path.frame->offset;
			k.module = path.frame->module;
			k.exact = path.frame->exact;
		}
	} else if (g->by != REPORT_BY_FUNCTION && e->path < g->profile->paths) {
		k.place = e->path;
	}
	return k;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->place == b->place && a->module == b->module && a->exact == b->exact &&
	       a->function == b->function && a->outcome == b->outcome;
}

/* Multiply and fold, as in wyhash: the high half of a product depends on all bits. */
static uint32_t hash_of(const struct key *k)
{
	unsigned __int128 product =
		(unsigned __int128)(k->place ^ 0x9e3779b97f4a7c15u) *
		(((uint64_t)k->module << 32 | k->function) ^ 0xd6e8feb86659fd93u ^
		 ((uint64_t)k->outcome << 24) ^ ((uint64_t)k->exact << 40));

	return (uint32_t)(product >> 64) ^ (uint32_t)product;
}

/* One slot in two stays free: no growing while entries come. */
static int make_slots(struct groups *g)
{
	g->slots = 64;
	while (g->slots / 2 < g->profile->entries && g->slots < UINT32_C(1) << 31)
		g->slots *= 2;
	g->slot = malloc((size_t)g->slots * sizeof(*g->slot));
	if (!g->slot)
		return -1;
	memset(g->slot, 0xff, (size_t)g->slots * sizeof(*g->slot)); /* PROF_NONE */
	return 0;
}

static int make_room(struct groups *g)
{
	uint32_t room = g->row_room ? g->row_room + g->row_room / 2 : 256;
	struct group_row *row;
	uint32_t *last;

	if (g->rows < g->row_room)
		return 0;
	row = realloc(g->row, room * sizeof(*row));
	if (row)
		g->row = row;
	last = realloc(g->last, room * sizeof(*last));
	if (last)
		g->last = last;
	if (!row || !last)
		return -1;
	g->row_room = room;
	return 0;
}

static void new_row(struct groups *g, uint32_t entry)
{
	const struct prof_entry *e = &g->profile->entry[entry];
	struct group_path path = path_of(g->profile, g->by, e->path);
	struct group_row *row = &g->row[g->rows];

	*row = (struct group_row){
		.function = e->function, .outcome = e->outcome, .path = e->path, .first = entry};
	if (path.frames) {
		row->place = path.frame->offset;
		row->module = path.frame->module < g->profile->modules
				      ? g->module_rank[path.frame->module]
				      : 0;
		row->exact = path.frame->exact;
	}
	g->rows++;
}

/* The row of an entry, which may be new. PROF_NONE: memory is out. */
static uint32_t row_of(struct groups *g, uint32_t entry)
{
	struct key want = key_of(g, entry);
	uint32_t at = hash_of(&want) & (g->slots - 1);

	for (; g->slot[at] != PROF_NONE; at = (at + 1) & (g->slots - 1)) {
		struct key here = key_of(g, g->row[g->slot[at]].first);

		if (same_key(&want, &here))
			return g->slot[at];
	}
	if (make_room(g) < 0)
		return PROF_NONE;
	g->slot[at] = g->rows;
	new_row(g, entry);
	return g->rows - 1;
}

static int group_entries(struct groups *g)
{
	const struct profile *p = g->profile;

	for (uint32_t i = 0; i < p->entries; i++) {
		uint32_t row = row_of(g, i);

		if (row == PROF_NONE)
			return -1;
		g->site_of[i] = row;
		g->next[i] = PROF_NONE;
		if (g->row[row].first != i)
			g->next[g->last[row]] = i;
		g->last[row] = i;
		g->row[row].units += p->entry[i].sums.units;
		g->row[row].calls += p->entry[i].sums.calls;
	}
	return 0;
}

static int add_overflows(struct groups *g)
{
	const struct profile *p = g->profile;

	for (uint32_t f = 0; f < p->functions; f++) {
		if (!p->function[f].overflow_calls)
			continue;
		if (make_room(g) < 0)
			return -1;
		g->row[g->rows] = (struct group_row){.units = p->function[f].overflow_units,
						     .calls = p->function[f].overflow_calls,
						     .function = f,
						     .path = PROF_NONE,
						     .first = GROUP_OVERFLOW};
		g->rows++;
	}
	return 0;
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

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint32_t module_rank(const struct groups *g, uint32_t module)
{
	return module < g->profile->modules ? g->module_rank[module] : 0;
}

static int compare_paths(const struct groups *g, const struct group_path *a,
			 const struct group_path *b)
{
	int c = 0;

	for (uint32_t i = 0; !c && i < a->frames && i < b->frames; i++) {
		const struct prof_frame *x = &a->frame[i], *y = &b->frame[i];

		c = compare_numbers(module_rank(g, x->module), module_rank(g, y->module));
		if (!c)
			c = compare_numbers(x->offset, y->offset);
		if (!c)
			c = (int)x->exact - (int)y->exact;
	}
	return c ? c : compare_numbers(a->frames, b->frames);
}

static int compare_rows(uint32_t left, uint32_t right, const void *groups)
{
	const struct groups *g = groups;
	const struct group_row *a = &g->row[left], *b = &g->row[right];
	bool overflow_a = a->first == GROUP_OVERFLOW, overflow_b = b->first == GROUP_OVERFLOW;
	struct group_path path_a, path_b;
	int c = compare_numbers(b->units, a->units);

	if (!c)
		c = compare_numbers(b->calls, a->calls);
	if (!c)
		c = compare_numbers(g->function_rank[a->function], g->function_rank[b->function]);
	if (!c)
		c = (int)overflow_a - (int)overflow_b;
	if (!c)
		c = compare_numbers(a->outcome, b->outcome);
	/* The innermost frame is here; a row without one has zeros, which come first. */
	if (!c)
		c = compare_numbers(a->module, b->module);
	if (!c)
		c = compare_numbers(a->place, b->place);
	if (!c)
		c = (int)a->exact - (int)b->exact;
	if (c)
		return c;
	path_a = groups_path(g, a);
	path_b = groups_path(g, b);
	return compare_paths(g, &path_a, &path_b);
}

static unsigned bits_of(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* As much of what compare_rows looks at next as goes into a word: field by field, the
 * upper bits of the last one. Nothing where the fields have no room. */
struct minor {
	unsigned modules, places; /* bits of each */
	unsigned left;		  /* for the place; 0: there is no room for any of them */
};

static struct minor minor_of(const struct groups *g)
{
	struct minor m = {.modules = bits_of(g->profile->modules)};
	unsigned used = bits_of(g->profile->functions) + 4 + m.modules;
	uint64_t most = 0;

	for (uint32_t i = 0; i < g->rows; i++)
		most |= g->row[i].place;
	m.places = bits_of(most);
	m.left = used < 64 ? 64 - used : 0;
	return m;
}

static uint64_t minor_code(const struct groups *g, const struct minor *m,
			   const struct group_row *row)
{
	bool overflow = row->first == GROUP_OVERFLOW;
	uint64_t code = g->function_rank[row->function];

	if (!m->left)
		return 0;
	code = (code << 1 | overflow) << 3 | row->outcome;
	code = code << m->modules | row->module;
	code = code << m->left |
	       (m->places > m->left ? row->place >> (m->places - m->left) : row->place);
	return code;
}

/* Longest first, then those with most calls: so much of the order is in one word. */
static struct order_item item_of(const struct groups *g, const struct minor *m, uint32_t row)
{
	uint64_t code =
		(uint64_t)order_code(g->row[row].units) << 32 | order_code(g->row[row].calls);

	return (struct order_item){~code, minor_code(g, m, &g->row[row]), row};
}

/* Their numbers alone, in the same memory. */
static uint32_t *keep_numbers(struct order_item *item, uint32_t count)
{
	char *to = (char *)item;
	void *kept;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = item[i].row;

		memcpy(to + i * sizeof(row), &row, sizeof(row));
	}
	kept = realloc(item, ((size_t)count + 1) * sizeof(uint32_t));
	return kept ? kept : (void *)item;
}

/* From numbers of rows as they came to their places. */
static int sort_rows(struct groups *g)
{
	struct order_item *item = malloc(((size_t)g->rows + 1) * sizeof(*item));
	struct minor minor = minor_of(g);
	uint32_t *place;

	if (!item)
		return -1;
	for (uint32_t i = 0; i < g->rows; i++)
		item[i] = item_of(g, &minor, i);
	order_sort(item, g->rows, compare_rows, g);
	g->order = keep_numbers(item, g->rows);
	place = malloc(((size_t)g->rows + 1) * sizeof(*place));
	if (!place)
		return -1;
	for (uint32_t i = 0; i < g->rows; i++)
		place[g->order[i]] = i;
	for (uint32_t i = 0; i < g->profile->entries; i++)
		g->site_of[i] = place[g->site_of[i]];
	free(place);
	return 0;
}

int groups_build(struct groups *g, const struct profile *p, enum report_by by)
{
	size_t entries = (size_t)p->entries + 1;
	int status;

	*g = (struct groups){.profile = p, .by = by};
	g->next = malloc(entries * sizeof(*g->next));
	g->site_of = malloc(entries * sizeof(*g->site_of));
	g->function_rank = rank_all(p->functions, p, compare_functions);
	g->module_rank = rank_all(p->modules, p, compare_modules);
	if (!g->next || !g->site_of || !g->function_rank || !g->module_rank || make_slots(g) < 0)
		return -1;
	status = group_entries(g);
	free(g->slot);
	free(g->last);
	g->slot = NULL;
	g->last = NULL;
	g->row_room = g->rows; /* of `last`: none is left */
	return status < 0 || add_overflows(g) < 0 ? -1 : sort_rows(g);
}

void groups_free(struct groups *g)
{
	free(g->row);
	free(g->order);
	free(g->next);
	free(g->site_of);
	free(g->slot);
	free(g->last);
	free(g->function_rank);
	free(g->module_rank);
}

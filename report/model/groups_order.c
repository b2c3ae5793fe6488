// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows are compared by one number each. Where that is equal, all else is looked at. */
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* Ranks stand for names: equal names have equal ranks. */
struct comparing {
	const struct groups *groups;
	uint32_t *function_rank, *module_rank; /* by index */
};

struct item {
	uint64_t key;
	uint32_t row;
};

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
	uint32_t *order = array_order(count, compare, (void *)p);
	uint32_t *rank = order ? malloc(((size_t)count + 1) * sizeof(*rank)) : NULL;

	for (uint32_t i = 0; rank && i < count; i++) {
		bool same = i && !compare(&order[i - 1], &order[i], (void *)p);

		rank[order[i]] = same ? rank[order[i - 1]] : i + 1;
	}
	free(order);
	return rank;
}

/* Numbers that are not negative are in the order of their bytes. */
static uint64_t mean_key(const struct group_row *row)
{
	double mean = row->calls ? (double)row->units / (double)row->calls : 0;
	uint64_t key;

	memcpy(&key, &mean, sizeof(key));
	return key;
}

/* The longest call of a row, or its bytes. */
static uint64_t entries_key(const struct groups *g, const struct group_row *row)
{
	uint64_t bytes = 0, longest = 0;

	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e]) {
		const struct prof_sums *s = &g->profile->entry[e].sums;

		bytes += s->has_bytes ? s->bytes : 0;
		longest = s->max_units > longest ? s->max_units : longest;
	}
	return g->sort == REPORT_SORT_BYTES ? bytes : longest;
}

/* Clock units on a CPU, as the segments that were read say. */
static uint64_t cpu_key(const struct groups *g, const struct group_row *row)
{
	double units = 0;

	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e]) {
		const struct prof_sums *s = &g->profile->entry[e].sums;
		const struct scp_off_cpu *o = s->states ? &s->states->off_cpu : NULL;
		double known = s->detector == SCP_SWITCH_SAMPLED ? (double)s->calls
			       : o				 ? (double)o->known
								 : 0;

		units += (double)s->units;
		if (o && o->weighted)
			units -= known / (double)o->weighted *
				 ((double)o->runnable_ns + (double)o->asleep_ns) /
				 g->profile->clock.ns_per_unit;
	}
	return units > 0 ? (uint64_t)fmin(units, 0x1p62) : 0;
}

/* What is to be large comes first. */
static uint64_t large_key(const struct comparing *c, const struct group_row *row)
{
	const struct groups *g = c->groups;

	switch (g->sort) {
	case REPORT_SORT_CALLS:
		return row->calls;
	case REPORT_SORT_MEAN:
		return mean_key(row);
	case REPORT_SORT_MAX:
	case REPORT_SORT_BYTES:
		return entries_key(g, row);
	case REPORT_SORT_CPU:
		return cpu_key(g, row);
	case REPORT_SORT_NAME:
		return INT64_MAX - c->function_rank[row->function];
	default:
		return row->units;
	}
}

/* What works before what waits, the largest first, in one word: only sums beyond 2^63 lose their
 * order, which no clock reaches. */
static uint64_t first_key(const struct comparing *c, const struct group_row *row)
{
	uint64_t large = large_key(c, row);

	return (uint64_t)c->groups->waits[row->function] << 63 |
	       (INT64_MAX - (large < INT64_MAX ? large : INT64_MAX));
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint32_t module_rank(const struct comparing *c, const struct prof_frame *f)
{
	return f->module < c->groups->profile->modules ? c->module_rank[f->module] : 0;
}

static int compare_frames(const struct comparing *c, const struct prof_frame *a,
			  const struct prof_frame *b)
{
	int order = by_number(module_rank(c, a), module_rank(c, b));

	order = order ? order : by_number(a->offset, b->offset);
	order = order ? order : by_number(a->exact, b->exact);
	return order ? order : by_number(a->heuristic, b->heuristic);
}

/* From inside outwards. */
static int compare_paths(const struct comparing *c, const struct group_row *a,
			 const struct group_row *b)
{
	struct group_path x = groups_path(c->groups, a), y = groups_path(c->groups, b);
	int order = 0;

	for (uint32_t i = 0; !order && i < x.frames && i < y.frames; i++)
		order = compare_frames(c, &x.frame[i], &y.frame[i]);
	return order ? order : by_number(x.frames, y.frames);
}

static uint64_t kind_of(const struct comparing *c, const struct group_row *row)
{
	return (uint64_t)c->function_rank[row->function] << 4 |
	       (row->first == GROUP_OVERFLOW) << 3 | row->outcome;
}

static int compare_items(const void *left, const void *right, void *comparing)
{
	const struct comparing *c = comparing;
	const struct item *x = left, *y = right;
	const struct group_row *a = &c->groups->row[x->row], *b = &c->groups->row[y->row];
	int order = by_number(x->key, y->key);

	order = order ? order : by_number(b->calls, a->calls);
	order = order ? order : by_number(kind_of(c, a), kind_of(c, b));
	order = order ? order
		      : by_number(groups_program(c->groups, a), groups_program(c->groups, b));
	order = order ? order : compare_paths(c, a, b);
	return order ? order : by_number(x->row, y->row);
}

/* By entry. Made last, after the sort's own memory has gone. */
static int find_sites(struct groups *g)
{
	g->site_of = array_alloc(((size_t)g->profile->entries + 1) * sizeof(*g->site_of));
	if (!g->site_of)
		return -1;
	memset(g->site_of, 0xff, (size_t)g->profile->entries * sizeof(*g->site_of)); /* PROF_NONE */
	for (uint32_t i = 0; i < g->rows; i++)
		for (uint32_t e = g->row[i].first; e != PROF_NONE; e = g->next[e])
			g->site_of[e] = g->place[i];
	return 0;
}

/* -1: out of memory. */
static int sort_rows(struct groups *g, struct comparing *c)
{
	struct item *item = array_alloc(((size_t)g->rows + 1) * sizeof(*item));

	if (!item)
		return -1;
	for (uint32_t i = 0; i < g->rows; i++)
		item[i] = (struct item){first_key(c, &g->row[i]), i};
	qsort_r(item, g->rows, sizeof(*item), compare_items, c);
	for (uint32_t i = 0; i < g->rows; i++)
		g->place[item[i].row] = i;
	free(item);
	return 0;
}

int groups_order_sort(struct groups *g)
{
	const struct profile *p = g->profile;
	struct comparing c = {g, rank_all(p->functions, p, compare_functions),
			      rank_all(p->modules, p, compare_modules)};
	int status = -1;

	g->place = array_alloc(((size_t)g->rows + 1) * sizeof(*g->place));
	if (g->place && c.function_rank && c.module_rank)
		status = sort_rows(g, &c);
	free(c.function_rank);
	free(c.module_rank);
	return status == 0 ? find_sites(g) : -1;
}

int groups_order_build(struct groups *g, const struct profile *p, enum report_by by)
{
	return groups_make(g, p, by, NULL, NULL) < 0 ? -1 : groups_order_sort(g);
}

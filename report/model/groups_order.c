// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows that wait come last. Rows are compared by one number each, the one that is printed; where
 * that is equal, all else is looked at. */
#include "report/model/model.h"
#include "report/model/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks stand for names: equal names have equal ranks. */
struct comparing {
	const struct groups *groups;
	uint32_t *function_rank; /* by index */
};

struct item {
	double large; /* what comes first */
	uint32_t row;
	bool waits;
};

ARRAY_COMPARE_AT(compare_functions, struct prof_function,
		 strcmp(a->name, b->name) ?: strcmp(a->library, b->library))

static uint32_t *rank_functions(const struct profile *p)
{
	uint32_t *order = array_order(p->functions, compare_functions, p->function);
	uint32_t *rank = order ? malloc(((size_t)p->functions + 1) * sizeof(*rank)) : NULL;

	for (uint32_t i = 0; rank && i < p->functions; i++) {
		bool same = i && !compare_functions(&order[i - 1], &order[i], p->function);

		rank[order[i]] = same ? rank[order[i - 1]] : i;
	}
	free(order);
	return rank;
}

static double bytes_of(const struct groups *g, const struct group_row *row)
{
	double bytes = 0;

	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e])
		if (g->profile->entry[e].sums.has_bytes)
			bytes += (double)g->profile->entry[e].sums.bytes;
	return bytes;
}

double groups_row_ns(const struct groups *g, const struct group_row *row)
{
	struct prof_sums sums = {.calls = row->calls, .units = row->units};

	for (uint32_t e = row->first; e != PROF_NONE; e = g->next[e]) {
		const struct prof_sums *s = &g->profile->entry[e].sums;

		sums.inner_calls += s->inner_calls;
		for (unsigned i = 0; i < SCP_WAYS; i++)
			sums.way_calls[i] += s->way_calls[i];
	}
	return g->overhead ? site_total_ns(&g->profile->clock, g->overhead, &sums)
			   : (double)row->units;
}

static double large_key(const struct comparing *c, uint32_t at)
{
	const struct groups *g = c->groups;
	const struct group_row *row = &g->row[at];

	if (g->key)
		return g->key[at];
	switch (g->sort) {
	case REPORT_SORT_CALLS:
		return (double)row->calls;
	case REPORT_SORT_BYTES:
		return bytes_of(g, row);
	case REPORT_SORT_NAME:
		return -(double)c->function_rank[row->function];
	default:
		return groups_row_ns(g, row);
	}
}

bool groups_order_needs_sites(enum report_sort sort)
{
	return sort == REPORT_SORT_MEAN || sort == REPORT_SORT_MAX || sort == REPORT_SORT_CPU;
}

double groups_order_key(enum report_sort sort, const struct report_site *s)
{
	double cpu_ns = site_cpu_ns(s);
	double key = sort == REPORT_SORT_MEAN  ? s->estimate.mean
		     : sort == REPORT_SORT_MAX ? s->max_ns
		     : isnan(cpu_ns)	       ? s->total_ns
					       : cpu_ns;

	return isnan(key) ? -INFINITY : key;
}

static const char *module_path(const struct profile *p, const struct prof_frame *f)
{
	return f->module < p->modules ? p->module[f->module].path : "";
}

static int compare_frames(const struct profile *p, const struct prof_frame *a,
			  const struct prof_frame *b)
{
	return (a->module == b->module ? 0 : strcmp(module_path(p, a), module_path(p, b)))
		       ?: PROF_ORDER(a, b, offset, exact, heuristic);
}

/* From inside outwards. */
static int compare_paths(const struct comparing *c, const struct group_row *a,
			 const struct group_row *b)
{
	struct group_path x = groups_path(c->groups, a), y = groups_path(c->groups, b);
	int order = 0;

	for (uint32_t i = 0; !order && i < x.frames && i < y.frames; i++)
		order = compare_frames(c->groups->profile, &x.frame[i], &y.frame[i]);
	return order ?: ARRAY_ORDER(x.frames, y.frames);
}

static uint64_t kind_of(const struct comparing *c, const struct group_row *row)
{
	return (uint64_t)c->function_rank[row->function] << 4 |
	       (row->first == GROUP_OVERFLOW) << 3 | row->outcome;
}

static int compare_items(const void *left, const void *right, void *comparing)
{
	const struct comparing *c = comparing;
	const struct groups *g = c->groups;
	const struct item *x = left, *y = right;
	const struct group_row *a = &g->row[x->row], *b = &g->row[y->row];

	return ARRAY_ORDER(x->waits, y->waits)
		       ?: ARRAY_ORDER(y->large, x->large)
		       ?: ARRAY_ORDER(b->calls, a->calls)
		       ?: ARRAY_ORDER(kind_of(c, a), kind_of(c, b))
		       ?: ARRAY_ORDER(groups_program(g, a), groups_program(g, b))
		       ?: compare_paths(c, a, b) ?: ARRAY_ORDER(x->row, y->row);
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

static int sort_rows(struct groups *g, struct comparing *c)
{
	struct item *item = array_alloc(((size_t)g->rows + 1) * sizeof(*item));

	if (!item)
		return -1;
	for (uint32_t i = 0; i < g->rows; i++)
		item[i] = (struct item){large_key(c, i), i, g->waits[g->row[i].function]};
	qsort_r(item, g->rows, sizeof(*item), compare_items, c);
	for (uint32_t i = 0; i < g->rows; i++) {
		g->order[i] = item[i].row;
		g->place[item[i].row] = i;
	}
	free(item);
	return 0;
}

int groups_order_sort(struct groups *g)
{
	struct comparing c = {g, rank_functions(g->profile)};
	int status = -1;

	g->order = array_alloc(((size_t)g->rows + 1) * sizeof(*g->order));
	g->place = array_alloc(((size_t)g->rows + 1) * sizeof(*g->place));
	if (g->order && g->place && c.function_rank)
		status = sort_rows(g, &c);
	free(c.function_rank);
	return status == 0 ? find_sites(g) : -1;
}

int groups_order_build(struct groups *g, const struct profile *p, enum report_by by)
{
	return groups_make(g, p, by, NULL, NULL) < 0 ? -1 : groups_order_sort(g);
}

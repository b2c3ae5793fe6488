// SPDX-License-Identifier: GPL-3.0-or-later
/* One sort, by words of a row's key: frames are looked at where all before is equal. */
#include "report/model/sites.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* How rows are compared: by numbers instead of names. */
struct comparing {
	const struct groups *groups;
	uint32_t *function_rank, *module_rank; /* by index; equal names have equal ranks */
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

/* Two words a frame, the first of which is never 0. */
static bool frame_word(const struct comparing *c, const struct group_row *row, uint32_t level,
		       uint64_t *word)
{
	struct group_path path = groups_path(c->groups, row);
	const struct prof_frame *f = path.frame + level / 2;
	uint64_t rank;

	if (level / 2 >= path.frames)
		return false;
	rank = f->module < c->groups->profile->modules ? c->module_rank[f->module] : 0;
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

/* Clock units on a CPU, as the segments that were read say. */
static uint64_t cpu_word(const struct groups *g, const struct group_row *row)
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
static uint64_t large_word(const struct comparing *c, const struct group_row *row)
{
	const struct groups *g = c->groups;

	switch (g->sort) {
	case REPORT_SORT_CALLS:
		return row->calls;
	case REPORT_SORT_MEAN:
		return mean_word(row);
	case REPORT_SORT_MAX:
	case REPORT_SORT_BYTES:
		return entries_word(g, row);
	case REPORT_SORT_CPU:
		return cpu_word(g, row);
	case REPORT_SORT_NAME:
		return INT64_MAX - c->function_rank[row->function];
	default:
		return row->units;
	}
}

/* What works before what waits, the largest first, in one word: only sums beyond 2^63 lose their
 * order, which no clock reaches. */
static uint64_t first_word(const struct comparing *c, const struct group_row *row)
{
	uint64_t large = large_word(c, row);

	return (uint64_t)c->groups->waits[row->function] << 63 |
	       (INT64_MAX - (large < INT64_MAX ? large : INT64_MAX));
}

/* As first_word has it, then those with most calls; what it is; the path from inside outwards. */
static bool row_word(uint32_t number, uint32_t level, uint64_t *word, const void *comparing)
{
	const struct comparing *c = comparing;
	const struct groups *g = c->groups;
	const struct group_row *row = &g->row[number];

	switch (level) {
	case 0:
		*word = first_word(c, row);
		return true;
	case 1:
		*word = ~row->calls;
		return true;
	case 2:
		*word = (uint64_t)c->function_rank[row->function] << 4 |
			(row->first == GROUP_OVERFLOW) << 3 | row->outcome;
		return true;
	case 3:
		*word = groups_program(g, row);
		return true;
	default:
		return frame_word(c, row, level - 4, word);
	}
}

#define WORDS_ALWAYS 2 /* units and calls: the rest is looked for all over the memory */

static bool is_noted(uint32_t number, const void *comparing)
{
	return ((const struct comparing *)comparing)->groups->row[number].noted;
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

int groups_order_sort(struct groups *g, uint32_t first)
{
	const struct profile *p = g->profile;
	struct comparing c = {g, rank_all(p->functions, p, compare_functions),
			      rank_all(p->modules, p, compare_modules)};
	const struct row_sort_keys order = {.word = row_word,
					    .context = &c,
					    .matters = first < g->rows ? is_noted : NULL,
					    .always = WORDS_ALWAYS,
					    .first = first};
	int status = -1;

	g->place = array_alloc(((size_t)g->rows + 1) * sizeof(*g->place));
	if (g->place && c.function_rank && c.module_rank)
		status = row_sort(g->place, g->rows, &order);
	free(c.function_rank);
	free(c.module_rank);
	return status == 0 ? find_sites(g) : -1;
}

int groups_order_build(struct groups *g, const struct profile *p, enum report_by by)
{
	return groups_make(g, p, by, NULL, NULL) < 0 ? -1 : groups_order_sort(g, UINT32_MAX);
}

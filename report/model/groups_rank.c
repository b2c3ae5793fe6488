// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/model/groups_rank.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

uint32_t *groups_rank_functions(const struct profile *p)
{
	return rank_all(p->functions, p, compare_functions);
}

uint32_t *groups_rank_modules(const struct profile *p)
{
	return rank_all(p->modules, p, compare_modules);
}

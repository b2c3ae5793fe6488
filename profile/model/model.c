// SPDX-License-Identifier: GPL-3.0-or-later
/* A model's memory: an empty model, back to an earlier size, and free. */
#include "profile/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* What displacement measured, in a model: costs, in the order of the entries that they belong to,
 * and accounts of the CPUs' time. */

/* Where the cost of `entry` is, or would be. */
static uint32_t place_of(const struct profile *p, uint32_t entry)
{
	size_t at;

	/* Mostly they come in order. */
	if (p->site_costs && p->site_cost[p->site_costs - 1].entry < entry)
		return p->site_costs;
	BISECT(at, p->site_costs, p->site_cost[at].entry < entry);
	return (uint32_t)at;
}

const struct prof_site_cost *site_cost_find(const struct profile *p, uint32_t entry)
{
	uint32_t at = p->site_costs ? place_of(p, entry) : 0;

	return at < p->site_costs && p->site_cost[at].entry == entry ? &p->site_cost[at] : NULL;
}

int site_cost_note(struct profile *p, const struct prof_site_cost *cost)
{
	uint32_t at = place_of(p, cost->entry);

	if (at == p->site_costs || p->site_cost[at].entry != cost->entry) {
		if (!model_add(p, MODEL_SITE_COST))
			return -1;
		memmove(p->site_cost + at + 1, p->site_cost + at,
			(p->site_costs - 1 - at) * sizeof *cost);
	}
	p->site_cost[at] = *cost;
	return 0;
}

#define TEXT_BYTES 1900 /* two fit in a chunk */

struct prof_account *account_add(struct profile *p)
{
	return model_add(p, MODEL_ACCOUNT);
}

int account_add_cpu(struct prof_account *a, const struct prof_account_cpu *cpu)
{
	return ARRAY_PUT(a->cpu, a->cpus, *cpu) ? 0 : -1;
}

int account_add_text(struct prof_account *a, const char *text)
{
	char *copy = strndup(text, TEXT_BYTES);

	if (copy && ARRAY_PUT(a->text, a->texts, copy))
		return 0;
	free(copy);
	return -1;
}

static void account_clear(struct prof_account *a)
{
	for (uint32_t i = 0; i < a->texts; i++)
		free(a->text[i]);
	PROF_FREE(a, text, cpu);
	*a = (struct prof_account){0};
}

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof *p);

	if (p && !(p->index = calloc(1, sizeof *p->index))) {
		free(p);
		return NULL;
	}
	if (p)
		p->clock.overhead = p->slow.overhead =
			overhead_mean(&p->index->overhead, &p->index->depth);
	return p;
}

struct profile_size profile_size(const struct profile *p)
{
	struct profile_size size;

	for (unsigned kind = 0; kind < MODEL_ARRAYS; kind++)
		size.count[kind] = *model_count(p, kind);
	return size;
}

void model_clear_process(void *process)
{
	struct prof_process *q = process;

	PROF_FREE(q, exe, program, argv, file);
}

void profile_shrink(struct profile *p, const struct profile_size *size)
{
	for (unsigned kind = 0; kind < MODEL_INTERNED; kind++)
		intern_forget(p, kind, size->count[kind]);
	intern_paths_forget(p, size->count[MODEL_PATH]);
	for (uint32_t i = size->count[MODEL_PROCESS]; i < p->processes; i++)
		model_clear_process(&p->process[i]);
	for (uint32_t i = size->count[MODEL_ENTRY]; i < p->entries; i++)
		sums_free(&p->entry[i].sums);
	for (uint32_t i = size->count[MODEL_PATH_DIFFERENCE]; i < p->path_differences; i++)
		free(p->path_difference[i].frame);
	for (uint32_t i = size->count[MODEL_ACCOUNT]; i < p->accounts; i++)
		account_clear(&p->account[i]);
	for (unsigned kind = MODEL_INTERNED; kind < MODEL_ARRAYS; kind++)
		*model_count(p, kind) = size->count[kind];
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	profile_shrink(p, &(struct profile_size){0});
	for (unsigned kind = 0; kind < MODEL_ARRAYS; kind++)
		free(model_element(p, kind, 0));
	intern_paths_free(p);
	free(p->index->interned);
	free(p->index);
	free(p);
}

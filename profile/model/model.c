// SPDX-License-Identifier: GPL-3.0-or-later
/* A model's memory: an empty model, back to an earlier size, and free. */
#include "profile/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/bisect.h"

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
		if (!INTERN_ROOM(p, site_cost, site_costs, MODEL_SITE_COST))
			return -1;
		memmove(p->site_cost + at + 1, p->site_cost + at,
			(p->site_costs - at) * sizeof *cost);
		p->site_costs++;
	}
	p->site_cost[at] = *cost;
	return 0;
}

#define TEXT_BYTES 1900 /* two fit in a chunk */

struct prof_account *account_add(struct profile *p)
{
	if (!INTERN_ROOM(p, account, accounts, MODEL_ACCOUNT))
		return NULL;
	return &p->account[p->accounts++];
}

int account_add_cpu(struct prof_account *a, const struct prof_account_cpu *cpu)
{
	struct prof_account_cpu *to = ARRAY_APPEND(a->cpu, a->cpus);

	if (to)
		*to = *cpu;
	return to ? 0 : -1;
}

int account_add_text(struct prof_account *a, const char *text)
{
	char *copy = strndup(text, TEXT_BYTES),
	     **to = copy ? ARRAY_APPEND(a->text, a->texts) : NULL;

	if (to)
		*to = copy;
	else
		free(copy);
	return to ? 0 : -1;
}

static void account_clear(struct prof_account *a)
{
	for (uint32_t i = 0; i < a->texts; i++)
		free(a->text[i]);
	free(a->text);
	free(a->cpu);
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
	struct profile_size size = {0};

	PROF_SET(&size, p, processes, tables, modules, paths, functions, entries, gaps, slowests,
		 site_costs, accounts, path_differences, looks, source_functions, source_lines,
		 generateds, samples);
	return size;
}

void model_clear_process(void *process)
{
	struct prof_process *q = process;

	free(q->exe);
	free(q->program);
	free(q->argv);
	free(q->file);
}

void profile_shrink(struct profile *p, const struct profile_size *size)
{
	intern_forget(p, INTERN_MODULE, size->modules);
	intern_forget(p, INTERN_FUNCTION, size->functions);
	intern_forget(p, INTERN_SOURCE_FUNCTION, size->source_functions);
	intern_forget(p, INTERN_SOURCE_LINE, size->source_lines);
	intern_forget(p, INTERN_GENERATED, size->generateds);
	intern_paths_forget(p, size->paths);
	while (p->processes > size->processes) {
		struct prof_process *q = &p->process[--p->processes];

		model_clear_process(q);
	}
	while (p->entries > size->entries)
		sums_free(&p->entry[--p->entries].sums);
	PROF_SET(p, size, tables, gaps, slowests, looks, site_costs, samples);
	while (p->path_differences > size->path_differences)
		free(p->path_difference[--p->path_differences].frame);
	while (p->accounts > size->accounts)
		account_clear(&p->account[--p->accounts]);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	profile_shrink(p, &(struct profile_size){0});
	void *const arrays[] = {
		p->process,	p->table,     p->module,	  p->function,
		p->entry,	p->gap,	      p->slowest,	  p->look,
		p->site_cost,	p->account,   p->path_difference, p->source_function,
		p->source_line, p->generated, p->sample};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	intern_paths_free(p);
	free(p->path);
	free(p->index->interned);
	free(p->index);
	free(p);
}

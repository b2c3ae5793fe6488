// SPDX-License-Identifier: GPL-3.0-or-later
/* A model's memory: an empty model, back to an earlier size, and free. */
#include <stdlib.h>

#include "profile/model/model.h"

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
	return (struct profile_size){p->processes,
				     p->tables,
				     p->modules,
				     p->paths,
				     p->functions,
				     p->entries,
				     p->gaps,
				     p->slowests,
				     p->site_costs,
				     p->accounts,
				     p->path_differences,
				     p->looks,
				     p->source_functions,
				     p->source_lines,
				     p->generateds};
}

void model_clear_process(struct prof_process *q)
{
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
	p->tables = size->tables;
	p->gaps = size->gaps;
	p->slowests = size->slowests;
	p->looks = size->looks;
	p->site_costs = size->site_costs;
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
	free(p->process);
	free(p->table);
	free(p->module);
	free(p->path);
	free(p->function);
	free(p->entry);
	free(p->gap);
	free(p->slowest);
	free(p->look);
	free(p->site_cost);
	free(p->account);
	free(p->path_difference);
	intern_paths_free(p);
	free(p->source_function);
	free(p->source_line);
	free(p->generated);
	free(p->index->interned);
	free(p->index);
	free(p);
}

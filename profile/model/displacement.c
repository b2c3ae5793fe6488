// SPDX-License-Identifier: GPL-3.0-or-later
/* What displacement measured, in a model: costs, in the order of the entries that they belong to,
 * and accounts of the CPUs' time. */
#include <stdlib.h>
#include <string.h>

#include "profile/model/model.h"

/* Where the cost of `entry` is, or would be. */
static uint32_t place_of(const struct profile *p, uint32_t entry)
{
	uint32_t low = 0, high = p->site_costs;

	/* Mostly they come in order. */
	if (high && p->site_cost[high - 1].entry < entry)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->site_cost[middle].entry < entry)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
	struct prof_account_cpu *grown = realloc(a->cpu, (a->cpus + 1) * sizeof *grown);

	if (!grown)
		return -1;
	a->cpu = grown;
	a->cpu[a->cpus++] = *cpu;
	return 0;
}

int account_add_text(struct prof_account *a, const char *text)
{
	char **grown = realloc(a->text, (a->texts + 1) * sizeof *grown);

	if (!grown)
		return -1;
	a->text = grown;
	a->text[a->texts] = strndup(text, TEXT_BYTES);
	if (!a->text[a->texts])
		return -1;
	a->texts++;
	return 0;
}

void account_clear(struct prof_account *a)
{
	for (uint32_t i = 0; i < a->texts; i++)
		free(a->text[i]);
	free(a->text);
	free(a->cpu);
	*a = (struct prof_account){0};
}

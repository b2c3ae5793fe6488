// SPDX-License-Identifier: GPL-3.0-or-later
/* Growing an account piece by piece: a run has one CPU or many, and a text of its own. */
#include "profile/model/account.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/intern.h"

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

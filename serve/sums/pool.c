// SPDX-License-Identifier: GPL-3.0-or-later
/* functions_add decides whether two clocks fit: it is tried with each model. */
#include "serve/sums/pool.h"

#include <stdlib.h>

struct pool *pool_new(void)
{
	return calloc(1, sizeof(struct pool));
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->models; i++)
		profile_free(p->model[i]);
	free(p);
}

static int add_model(struct pool *p, const struct profile *from, const bool *skip)
{
	struct profile *model = profile_new();
	struct profile_error err;

	if (!model || functions_add(model, from, skip, &err)) {
		profile_free(model);
		return -1;
	}
	p->model[p->models++] = model;
	return 0;
}

int pool_add(struct pool *p, const struct profile *from, const bool *skip)
{
	struct profile_error err;

	for (uint32_t i = 0; i < p->models; i++)
		if (p->model[i]->clock.kind == from->clock.kind &&
		    functions_add(p->model[i], from, skip, &err) == 0)
			return 0;
	if (p->models < POOL_MOST)
		return add_model(p, from, skip);
	p->left_out++;
	return 0;
}

int pool_join(struct pool *p, const struct pool *from)
{
	p->left_out += from->left_out;
	for (uint32_t i = 0; i < from->models; i++)
		if (pool_add(p, from->model[i], NULL))
			return -1;
	return 0;
}

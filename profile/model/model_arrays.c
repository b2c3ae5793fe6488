// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/model/model.h"

#include <string.h>

#include "profile/base/array.h"

/* Where each array is in struct profile, and its bytes of an element. */
static const struct {
	size_t array, count, bytes;
} arrays[MODEL_ARRAYS] = {
#define ARRAY(member, counted)                                                                     \
	{                                                                                          \
		offsetof(struct profile, member), offsetof(struct profile, counted),               \
			sizeof *((struct profile *)0)->member                                      \
	}
	[MODEL_MODULE] = ARRAY(module, modules),
	[MODEL_FUNCTION] = ARRAY(function, functions),
	[MODEL_SOURCE_FUNCTION] = ARRAY(source_function, source_functions),
	[MODEL_SOURCE_LINE] = ARRAY(source_line, source_lines),
	[MODEL_GENERATED] = ARRAY(generated, generateds),
	[MODEL_PROCESS] = ARRAY(process, processes),
	[MODEL_TABLE] = ARRAY(table, tables),
	[MODEL_ENTRY] = ARRAY(entry, entries),
	[MODEL_GAP] = ARRAY(gap, gaps),
	[MODEL_LOOK] = ARRAY(look, looks),
	[MODEL_SLOWEST] = ARRAY(slowest, slowests),
	[MODEL_SITE_COST] = ARRAY(site_cost, site_costs),
	[MODEL_SAMPLE] = ARRAY(sample, samples),
	[MODEL_PATH] = ARRAY(path, paths),
	[MODEL_ACCOUNT] = ARRAY(account, accounts),
	[MODEL_PATH_DIFFERENCE] = ARRAY(path_difference, path_differences),
#undef ARRAY
};

size_t model_bytes(enum model_array kind)
{
	return arrays[kind].bytes;
}

uint32_t *model_count(const struct profile *p, enum model_array kind)
{
	return (uint32_t *)(void *)((char *)(uintptr_t)p + arrays[kind].count);
}

void *model_element(const struct profile *p, enum model_array kind, uint32_t index)
{
	char *array;

	memcpy(&array, (const char *)p + arrays[kind].array, sizeof array);
	return array + index * arrays[kind].bytes;
}

static void put_array(struct profile *p, enum model_array kind, void *array)
{
	memcpy((char *)p + arrays[kind].array, &array, sizeof array);
}

void *model_add(struct profile *p, enum model_array kind)
{
	uint32_t *count = model_count(p, kind);
	void *grown = array_room(model_element(p, kind, 0), &p->index->room[kind], *count,
				 arrays[kind].bytes);

	if (!grown)
		return NULL;
	put_array(p, kind, grown);
	return model_element(p, kind, (*count)++);
}

void model_expect(struct profile *p, enum model_array kind, uint32_t more)
{
	put_array(p, kind,
		  array_expect(model_element(p, kind, 0), &p->index->room[kind],
			       *model_count(p, kind), more, arrays[kind].bytes));
}

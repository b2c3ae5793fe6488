// SPDX-License-Identifier: Apache-2.0
#include "preload/attach/slots_memory.h"
#include "preload/process/arena.h"

#define LEAST_BYTES 16384u

bool slots_memory_reserve(struct slots_list *list, uint64_t bytes, uint64_t wanted)
{
	uint64_t room = list->room ? list->room : LEAST_BYTES / bytes;
	if (wanted <= list->room)
		return true;
	while (room < wanted)
		room *= 2;
	void *p = room <= UINT32_MAX ? arena_map(room * bytes) : NULL;
	if (!p)
		return false;
	bytes_copy(p, list->at, list->count * bytes);
	if (list->at)
		arena_unmap(list->at, list->room * bytes);
	list->at = p;
	list->room = (uint32_t)room;
	return true;
}

void *slots_memory_add(struct slots_list *list, uint64_t bytes)
{
	if (!slots_memory_reserve(list, bytes, (uint64_t)list->count + 1))
		return NULL;
	uint8_t *p = (uint8_t *)list->at + list->count++ * bytes;
	for (uint64_t i = 0; i < bytes; i++)
		p[i] = 0;
	return p;
}

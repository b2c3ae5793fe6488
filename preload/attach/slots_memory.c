// SPDX-License-Identifier: Apache-2.0
#include "preload/attach/slots_private.h"
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
	void *before = list->at;
	uint64_t before_bytes = list->room * bytes;
	bytes_copy(p, before, list->count * bytes);
	__atomic_store_n(&list->at, p, __ATOMIC_RELEASE); /* first: a fork may come between */
	list->room = (uint32_t)room;
	if (before)
		arena_unmap(before, before_bytes);
	return true;
}

void *slots_memory_add(struct slots_list *list, uint64_t bytes)
{
	if (!slots_memory_reserve(list, bytes, (uint64_t)list->count + 1))
		return NULL;
	uint8_t *p = (uint8_t *)list->at + list->count * bytes;
	for (uint64_t i = 0; i < bytes; i++)
		p[i] = 0;
	__atomic_store_n(&list->count, list->count + 1, __ATOMIC_RELEASE);
	return p;
}

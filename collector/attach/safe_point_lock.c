// SPDX-License-Identifier: GPL-3.0-or-later
/* glibc has its locks in _rtld_global, at a place of each release: that of dlopen first, that of
 * the list of objects behind it. Both are recursive mutexes, which tell by their words what they
 * are: their kind, and an owner just where they are locked. */
#include "collector/attach/safe_point_lock.h"

#include <string.h>

#include "collector/attach/safe_point_memory.h"
#include "collector/attach/safe_point_symbols.h"

#define MOST_BYTES 16384u
#define RECURSIVE  1u /* PTHREAD_MUTEX_RECURSIVE_NP */

/* glibc's, of 64-bit machines. */
struct mutex {
	uint32_t lock, count, owner, users, kind, spins;
	uint64_t list[2];
};

static bool is_recursive_mutex(const uint8_t *at)
{
	struct mutex m;
	memcpy(&m, at, sizeof(m));
	return m.kind == RECURSIVE && m.spins == 0 && m.list[0] == 0 && m.list[1] == 0 &&
	       m.lock <= 2 && (m.owner == 0 || m.lock != 0) && (m.owner == 0) == (m.count == 0) &&
	       m.users <= 1;
}

uint64_t safe_point_lock_find(const struct safe_point_object *loader, pid_t pid)
{
	uint64_t at = safe_point_symbols_find(loader, pid, "_rtld_global");
	uint8_t data[MOST_BYTES];
	if (at == 0 || at % 8 != 0)
		return 0;
	size_t bytes = safe_point_memory_some(pid, at, data, sizeof(data));
	for (size_t i = 0; i + 2 * sizeof(struct mutex) <= bytes; i += 8)
		if (is_recursive_mutex(data + i) &&
		    is_recursive_mutex(data + i + sizeof(struct mutex)))
			return at + i;
	return 0;
}

bool safe_point_lock_held(uint64_t lock, pid_t pid)
{
	struct mutex m;
	return lock != 0 && safe_point_memory_read(pid, lock, &m, sizeof(m)) && m.lock != 0;
}

// SPDX-License-Identifier: Apache-2.0
/* The dynamic symbols of a loaded object, by the hash tables that the dynamic linker uses. */
#pragma once

#include <link.h>

#include "preload/system/util.h"

struct symbols {
	uint64_t base; /* load bias of the object */
	const Elf64_Sym *symbol;
	const char *string;
	const uint32_t *gnu_hash, *hash; /* NULL: it has none */
	const uint16_t *version;	 /* of each symbol; the same */
	const Elf64_Verdef *versions;	 /* by which it defines symbols; the same */
};

/* Take what this entry of the dynamic section says of symbols. */
HIDDEN void symbols_take(struct symbols *s, const Elf64_Dyn *d);

/* Its value as an address; the loader makes addresses of them in place, but for some objects. */
static inline uint64_t symbols_address(const struct symbols *s, uint64_t value)
{
	return value < s->base ? value + s->base : value;
}

/* The hash of DT_GNU_HASH. */
static inline uint32_t symbols_hash(const char *name)
{
	uint32_t h = 5381;
	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* The symbol that the object defines by this name, in its default version; NULL: none. `several`:
 * (or NULL) there are some with different addresses (versions). */
HIDDEN const Elf64_Sym *symbols_find(const struct symbols *s, const char *name, uint32_t hash,
				     bool *several);

/* The same in that version, as the dynamic linker binds it: where an object defines none, its
 * symbols are of any. */
HIDDEN const Elf64_Sym *symbols_find_version(const struct symbols *s, const char *name,
					     uint32_t hash, const char *version);

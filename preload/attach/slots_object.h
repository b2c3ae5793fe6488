// SPDX-License-Identifier: Apache-2.0
/* What the dynamic linker has of a loaded object: relocations and symbols. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_OBJECT_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/attach/slots_memory.h"
#include "preload/process/symbols.h"
#include "preload/system/util.h"

/* Of DT_RELA; of DT_JMPREL, whose words may wait for lazy binding. */
enum { SLOTS_DATA, SLOTS_CALLS, SLOTS_TABLES };

struct slots_object {
	uint64_t base;	  /* load bias */
	uint64_t dynamic; /* address of its dynamic section: with the base, which object it is */
	uint64_t relro, relro_end; /* whole pages that become read-only after relocation */
	const Elf64_Phdr *header;
	uint32_t headers;
	bool is_own; /* libscprof.so */
	bool has_rpath;
	bool is_libc;  /* or a former part of it */
	bool is_known; /* looked through before */
	bool is_kept;  /* nothing of it is written: ours, or the loader */
	const Elf64_Rela *rela[SLOTS_TABLES];
	uint64_t relocations[SLOTS_TABLES];
	struct symbols names;
};

/* How often objects were added to and removed from the loader's list. */
struct slots_loads {
	uint64_t added, removed;
};

/* All loaded objects of this namespace, as struct slots_object, in the loader's order. False: no
 * memory. Takes the lock of the loader's list. */
HIDDEN bool slots_object_collect(struct slots_list *objects, struct slots_loads *loads);

HIDDEN struct slots_loads slots_object_loads(void);

/* What the dynamic section says, of an object whose base is known. */
HIDDEN void slots_object_read(struct slots_object *o, const Elf64_Dyn *dynamic);

/* The address that the object defines the name with. 0: it does not. `several`: it does so with
 * different addresses (versions). */
HIDDEN uint64_t slots_object_find(const struct slots_object *o, const char *name, uint32_t hash,
				  bool *several);

/* Are these bytes in a segment with all of these flags (PF_*)? */
HIDDEN bool slots_object_has(const struct slots_object *o, uint64_t address, uint64_t bytes,
			     uint32_t flags);

#endif

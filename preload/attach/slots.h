// SPDX-License-Identifier: Apache-2.0
/* The words by which the dynamic linker binds: JUMP_SLOT and GLOB_DAT relocations, and pointers to
 * functions in data (R_*_64 with a symbol), of all loaded objects but ours. A slot is written only
 * where what it holds, or would be bound to, is the very function that our wrapper calls: so a
 * call means the same before and after. Stores are single words; protection (RELRO) is put back.
 * All of it happens inside dl_iterate_phdr, so that no object is unmapped meanwhile. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_attach.h"
#include "preload/system/util.h"

/* Lead the slots of all objects to us: those of the functions that this session records (wrapped,
 * selected, regions), and of what has to be followed. Adds to *n. The loader's lock is taken. */
HIDDEN void slots_write(struct scp_attach_slots *n);

/* The same of objects that were opened since. */
HIDDEN void slots_write_new(struct scp_attach_slots *n);

/* All as it was. What somebody else has changed since is left, and counted. */
HIDDEN void slots_put_back(struct scp_attach_slots *n);

#endif

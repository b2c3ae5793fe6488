// SPDX-License-Identifier: Apache-2.0
/* The words by which the dynamic linker binds: JUMP_SLOT and GLOB_DAT relocations, and pointers to
 * functions in data (R_*_64 with a symbol), of all loaded objects but ours. A slot is written only
 * where what it holds, or would be bound to, is the very function that our wrapper calls: so a
 * call means the same before and after. Stores are single words; protection (RELRO) is put back.
 * All of it happens under the loader's lock, so that no object is relocated or unmapped meanwhile.
 * dlerror() forgets what it had to say to this thread. One session at a time. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/scprof_attach.h"
#include "preload/system/util.h"

/* Lead the slots of all objects to us: those of the functions that this session records (wrapped,
 * selected, regions), and of what has to be followed. Adds to *n, and later too: for objects
 * opened since, until slots_put_back. The loader's lock is taken. */
HIDDEN void slots_write(struct scp_attach_slots *n);

/* The same of objects that were opened since. Called by dlsym as the program calls it, too. */
HIDDEN void slots_write_new(void);

/* All as it was, but for the slots of regions (n->kept): a thread may be between reading such a
 * word and calling what it leads to, and a scope that was entered reads it at its end. They lead to
 * functions that do nothing while nothing is recorded, and the next session finds them so.
 * What somebody else has changed since is left, and counted; that lazy binding did is as it was. */
HIDDEN void slots_put_back(struct scp_attach_slots *n);

/* This process was forked, perhaps while another thread was in here, or in the loader, whose locks
 * nobody here gives back then. From now on nothing is looked through, and slots are put back by the
 * record of what was written alone, without the loader. False: no slots are written. */
HIDDEN bool slots_forked(void);

#endif

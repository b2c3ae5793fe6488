// SPDX-License-Identifier: Apache-2.0
/* Single words, exchanged where they are, also on pages that are read-only now. One thread at a
 * time. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_STORE_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_STORE_H

#include "preload/attach/slots_object.h"

enum slots_stored { SLOTS_STORED, SLOTS_CHANGED, SLOTS_FAILED };

/* Write `to` where `from` is. SLOTS_CHANGED: something else is there. SLOTS_FAILED: the page could
 * not be made writable, or is executable. A page that had to be made writable stays so until
 * a word of another page is asked for, or slots_store_close is called. */
HIDDEN enum slots_stored slots_store_swap(const struct slots_object *o, uint64_t *word,
					  uint64_t from, uint64_t to);

/* All pages have their protection again. */
HIDDEN void slots_store_close(void);

#endif

// SPDX-License-Identifier: Apache-2.0
/* What dlsym, dlvsym and dlopen lead to while a process is attached: code without a frame, since
 * these functions look at who called them. Before the loader searches a name, objects that were
 * opened meanwhile are looked through; then the original goes on, with the caller's own arguments
 * and return address. Where the caller cannot matter, dlopen is called from here, and what it
 * opened is looked through at once. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_ENTRY_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/system/util.h"

#define SLOTS_ENTRIES 3u

struct slots_entry {
	const char *name;
	void *entry;
	void **real;
};
extern HIDDEN const struct slots_entry slots_entries[SLOTS_ENTRIES];

/* Find the originals. Takes the loader's lock. */
HIDDEN void slots_entry_resolve(void);

/* Assembly. */
HIDDEN void slots_entry_dlsym(void);
HIDDEN void slots_entry_dlvsym(void);
HIDDEN void slots_entry_dlopen(void);
extern HIDDEN void *slots_real_dlsym, *slots_real_dlvsym, *slots_real_dlopen;

/* They call these. Keep errno. */
HIDDEN void slots_entry_look(void);
HIDDEN bool slots_entry_depends(const char *file, int mode, uint64_t caller);
/* As dlopen. */
HIDDEN void *slots_entry_open(const char *file, int mode);

#endif

// SPDX-License-Identifier: Apache-2.0
/* What dlsym, dlvsym and dlopen lead to while a process is attached: code without a frame, since
 * these functions look at who called them. Before the loader searches a name, objects that were
 * opened meanwhile are looked through; then the original goes on, with the caller's own arguments
 * and return address. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_ENTRY_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_ENTRY_H

#include "preload/system/util.h"

#define SLOTS_ENTRIES 2u

struct slots_entry {
	const char *name;
	void *entry;
	void **real;
};
extern HIDDEN const struct slots_entry slots_entries[SLOTS_ENTRIES];

/* Assembly. */
HIDDEN void slots_entry_dlsym(void);
HIDDEN void slots_entry_dlvsym(void);
extern HIDDEN void *slots_real_dlsym, *slots_real_dlvsym;

/* They call this. Keeps errno. */
HIDDEN void slots_entry_look(void);

#endif

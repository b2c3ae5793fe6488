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

/* Where the code goes on. Assembly knows the order. */
struct slots_entry_to {
	void *dlsym, *dlvsym, *dlopen;
	void (*look)(void); /* keeps errno */
	bool (*depends)(const char *file, int mode, uint64_t caller);
	void *(*open)(const char *file, int mode);
};
extern HIDDEN struct slots_entry_to slots_entry_to;

/* Assembly. */
HIDDEN void slots_entry_dlsym(void);
HIDDEN void slots_entry_dlvsym(void);
HIDDEN void slots_entry_dlopen(void);

/* What to do about new objects; do they search along a DT_RPATH? Finds the originals: takes the
 * loader's lock. */
HIDDEN void slots_entry_prepare(void (*look)(void), bool (*some_have_rpath)(void));

#endif

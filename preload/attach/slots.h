// SPDX-License-Identifier: Apache-2.0
/* The words by which the dynamic linker binds: JUMP_SLOT and GLOB_DAT relocations, and pointers to
 * functions in data (R_*_64 with a symbol), of all loaded objects but ours. A slot is written only
 * where what it holds, or would be bound to, is the very function that our wrapper calls: so a
 * call means the same before and after. Stores are single words; protection (RELRO) is put back.
 * All of it happens under the loader's lock, so that no object is relocated or unmapped meanwhile.
 * dlerror() forgets what it had to say to this thread. One session at a time. All of it is for
 * x86-64, where alone the tool goes into a process that runs. */
#pragma once

#include <link.h>

#include "include/scprof_attach.h"
#include "preload/process/symbols.h"
#include "preload/system/util.h"

#ifndef __x86_64__
static inline void slots_write(struct scp_attach_slots *n)
{
	(void)n;
}

static inline void slots_put_back(struct scp_attach_slots *n)
{
	(void)n;
}

static inline bool slots_forked(void)
{
	return false;
}

static inline bool slots_stubs_use(const char *path)
{
	return !path;
}
#else

/* Lead the slots of all objects to us: those of the functions that this session records (wrapped,
 * selected, regions), and of what has to be followed. Adds to *n, and later too: for objects
 * opened since, until slots_put_back. The loader's lock is taken. */
HIDDEN void slots_write(struct scp_attach_slots *n);

/* All as it was, but for the slots of regions (n->kept): a thread may be between reading such a
 * word and calling what it leads to, and a scope that was entered reads it at its end. They lead to
 * functions that do nothing while nothing is recorded, and the next session finds them so.
 * What somebody else has changed since is left, and counted; that lazy binding did is as it was. */
HIDDEN void slots_put_back(struct scp_attach_slots *n);

/* This process was forked, perhaps while another thread was in here, or in the loader, whose locks
 * nobody here gives back then. From now on nothing is looked through, and slots are put back by the
 * record of what was written alone, without the loader. False: no slots are written. */
HIDDEN bool slots_forked(void);

/* Lists that grow, in anonymous memory. They are filled again from their beginning, session by
 * session, and keep the room that they once had. */

struct slots_list {
	void *at;
	uint32_t count, room; /* in elements */
};

/* Room for another element of so many bytes, zeroed; NULL: no memory. It moves the others. */
HIDDEN void *slots_memory_add(struct slots_list *list, uint64_t bytes);

/* Room for `wanted` elements in all. */
HIDDEN bool slots_memory_reserve(struct slots_list *list, uint64_t bytes, uint64_t wanted);

/* What the dynamic linker has of a loaded object: relocations and symbols. */

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

/* The address that the object defines the name with. 0: it does not. `several` as of
 * symbols_find. */
HIDDEN uint64_t slots_object_find(const struct slots_object *o, const char *name, uint32_t hash,
				  bool *several);

/* Are these bytes in a segment with all of these flags (PF_*)? */
HIDDEN bool slots_object_has(const struct slots_object *o, uint64_t address, uint64_t bytes,
			     uint32_t flags);

/* Single words, exchanged where they are, also on pages that are read-only now. One thread at a
 * time. */

enum slots_stored { SLOTS_STORED, SLOTS_CHANGED, SLOTS_FAILED };

/* Write `to` where `from` is. SLOTS_CHANGED: something else is there. SLOTS_FAILED: the page could
 * not be made writable, or is executable. A page that had to be made writable stays so until
 * a word of another page is asked for, or slots_store_close is called. */
HIDDEN enum slots_stored slots_store_swap(const struct slots_object *o, uint64_t *word,
					  uint64_t from, uint64_t to);

/* All pages have their protection again. */
HIDDEN void slots_store_close(void);

/* Which names lead to us in a session, and what they lead to otherwise. */

struct slots_name {
	const char *name;
	uint32_t hash;	/* symbols_hash */
	bool is_region; /* of scprof.h: 0 without us, and stays ours */
	uint64_t ours, real;
	uint64_t twin;	   /* the same function in another part of libc; 0: none */
	uint64_t definers; /* 0: not counted yet; else objects that define it, plus 1 */
};

/* Make the list for the settings of this session. False: no memory. */
HIDDEN bool slots_names_make(const struct slots_list *objects);

/* The next one of this name: NULL at the end. *at is 0 at first. Several selected functions may be
 * versions of one name. */
HIDDEN struct slots_name *slots_names_next(const char *name, uint32_t hash, uint32_t *at);

/* Is it worth while to look up the name of a word that holds this? */
HIDDEN bool slots_names_leads(uint64_t value);

/* Does only one object define it, so that whoever binds it finds the same? libc and what were parts
 * of it count as one. */
HIDDEN bool slots_names_is_unique(struct slots_name *n, const struct slots_list *objects);

/* What dlsym, dlvsym and dlopen lead to while a process is attached: code without a frame, since
 * these functions look at who called them. Before the loader searches a name, objects that were
 * opened meanwhile are looked through; then the original goes on, with the caller's own arguments
 * and return address. Where the caller cannot matter, dlopen is called from here, and what it
 * opened is looked through at once. */

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
HIDDEN void slots_entry_prepare(void (*look)(void), const bool *some_have_rpath);

/* The stub object of selected functions, opened in a process that runs. It is in nobody's scope:
 * slots lead to its stubs. It stays loaded, since a thread may be in a stub, and so does all that
 * it points to: who selects the same functions again gets the same object. */

/* Functions of the object at this path are the selected ones from now on (preload/function/
 * selected.h), and their originals are found; NULL: there are none. Between sessions only; takes
 * the loader's lock. False: the loader does not take it, or it is no stub object; then there are
 * none. */
HIDDEN bool slots_stubs_use(const char *path);
#endif

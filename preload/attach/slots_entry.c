// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "preload/attach/slots.h"
#include "preload/function/selected.h"
#include "preload/process/libc.h"

/* As dlsym, but finds stubs. Assembly. */
extern void scprof_chosen_dlsym(void);

static void *original[SLOTS_ENTRIES];
static const bool *some_have_rpath;

const struct slots_entry slots_entries[SLOTS_ENTRIES] = {
	{"dlsym", (void *)slots_entry_dlsym, &original[0]},
	{"dlvsym", (void *)slots_entry_dlvsym, &original[1]},
	{"dlopen", (void *)slots_entry_dlopen, &original[2]},
};

/* A path is the same for everybody; a name is searched for along the caller's RUNPATH, and the
 * RPATH of those that had it loaded. */
static COLD bool depends(const char *file, int mode, uint64_t caller)
{
	struct link_map *map = NULL;
	Dl_info info;
	bool has_slash = false;
	(void)mode;
	if (!file || !*file)
		return true;
	for (const char *c = file; *c; c++) {
		if (*c == '$')
			return true;
		has_slash |= *c == '/';
	}
	if (has_slash)
		return false;
	int saved = errno;
	bool known = dladdr1 &&
		     dladdr1((void *)(caller - 1), &info, (void **)&map, RTLD_DL_LINKMAP) && map;
	errno = saved;
	for (const ElfW(Dyn) *d = known ? map->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
		known &= d->d_tag != DT_RUNPATH;
	return !known || *some_have_rpath;
}

/* One that fails leaves a text for dlerror. */
static COLD void *open_and_look(const char *file, int mode)
{
	void *handle = ((void *(*)(const char *, int))slots_entry_to.dlopen)(file, mode);
	if (handle)
		slots_entry_to.look();
	return handle;
}

void slots_entry_prepare(void (*look)(void), const bool *rpath)
{
	/* The first object that defines one has it: before glibc 2.34 that is libdl, which a
	 * library that was opened later does not find. */
	for (unsigned i = 0; i < SLOTS_ENTRIES; i++)
		original[i] = libc_find_next(slots_entries[i].name, NULL);
	some_have_rpath = rpath;
	slots_entry_to = (struct slots_entry_to){
		.dlsym = selected_count() ? (void *)scprof_chosen_dlsym : original[0],
		.dlvsym = original[1],
		.dlopen = original[2],
		.look = look,
		.depends = depends,
		.open = open_and_look,
	};
}

// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include "preload/attach/slots.h"
#include "preload/attach/slots_entry.h"
#include "preload/function/selected.h"

/* As dlsym: finds stubs. Assembly. */
extern void scprof_chosen_dlsym(void);

void *slots_real_dlsym, *slots_real_dlvsym, *slots_real_dlopen;

static void *original_dlsym; /* whereas slots_real_dlsym may look for selected functions */

const struct slots_entry slots_entries[SLOTS_ENTRIES] = {
	{"dlsym", (void *)slots_entry_dlsym, &original_dlsym},
	{"dlvsym", (void *)slots_entry_dlvsym, &slots_real_dlvsym},
	{"dlopen", (void *)slots_entry_dlopen, &slots_real_dlopen},
};

/* libc's own: these functions are nobody else's. */
void slots_entry_resolve(void)
{
	for (unsigned i = 0; i < SLOTS_ENTRIES; i++)
		*slots_entries[i].real = dlsym(RTLD_NEXT, slots_entries[i].name);
	slots_real_dlsym = selected_count() ? (void *)scprof_chosen_dlsym : original_dlsym;
}

void slots_entry_look(void)
{
	slots_write_new();
}

/* A path is the same for everybody; a name is searched for along the caller's RUNPATH, and the
 * RPATH of those that had it loaded. */
COLD bool slots_entry_depends(const char *file, int mode, uint64_t caller)
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
	bool known = dladdr1((void *)(caller - 1), &info, (void **)&map, RTLD_DL_LINKMAP) && map;
	errno = saved;
	for (const ElfW(Dyn) *d = known ? map->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
		known &= d->d_tag != DT_RUNPATH;
	return !known || slots_some_have_rpath();
}

/* A failed dlopen leaves a text for dlerror. */
COLD void *slots_entry_open(const char *file, int mode)
{
	void *handle = ((void *(*)(const char *, int))slots_real_dlopen)(file, mode);
	if (handle)
		slots_write_new();
	return handle;
}

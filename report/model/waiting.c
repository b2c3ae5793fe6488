// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/model/sites.h"

#include <string.h>

#include "include/scprof_names.h"

/* The group `wait` is in wrappers.def; these are what other groups have, and -s. */
static const char *const names[] = {SCP_WAITING_NAMES};

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Older C libraries have threads and semaphores in a file of their own. */
static bool is_libc(const char *library)
{
	return !strncmp(library, "libc.", 5) || !strncmp(library, "libpthread.", 11);
}

bool waiting_function(const struct prof_function *f)
{
	if (f->group & SCP_GROUP_WAIT)
		return true;
	if (f->group & SCP_GROUP_ALL)
		return is_listed(f->name);
	return f->group & SCP_GROUP_SELECTED && is_libc(f->library) && is_listed(f->name);
}

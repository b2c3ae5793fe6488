// SPDX-License-Identifier: GPL-3.0-or-later
/* libiberty knows every mangling there is. Its time can grow exponentially
 * with the length of a contrived name, so absurdly long ones stay as they are. */
#include "demangle.h"

#include <string.h>
#include <libiberty/demangle.h>

#define LONGEST_NAME 2048

/* A Rust v0 or Itanium name; anything else may only look mangled in one of the
 * old styles that libiberty would guess. */
static int is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "___Z", 4);
}

static char *demangle(const char *name, int options)
{
	char *plain = NULL;

	if (is_mangled(name) && strlen(name) <= LONGEST_NAME)
		plain = cplus_demangle(name, DMGL_ANSI | DMGL_AUTO | options);
	return plain ? plain : strdup(name);
}

char *demangle_full(const char *name)
{
	return demangle(name, DMGL_PARAMS);
}

char *demangle_brief(const char *name)
{
	return demangle(name, 0);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* One rule for all who name programs: a file of before falls back on its executable here, and
 * nowhere else. A damaged file may say anything: a slash would make a path of the name. */
#include "profile/model/program_name.h"

#include <string.h>

#define DELETED " (deleted)"

static const char *last_part(const char *path, size_t length)
{
	const char *slash = memrchr(path, '/', length);

	return slash ? slash + 1 : path;
}

char *program_name_of(const char *stored, const char *exe)
{
	const size_t mark = sizeof DELETED - 1;
	size_t length = strlen(stored);
	const char *name = last_part(stored, length);

	if (*name)
		return strdup(name);
	length = strlen(exe);
	if (length > mark && !strcmp(exe + length - mark, DELETED))
		length -= mark;
	name = last_part(exe, length);
	return strndup(name, length - (size_t)(name - exe));
}

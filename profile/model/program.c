// SPDX-License-Identifier: GPL-3.0-or-later
/* One rule for all that name programs: an older profile falls back on the executable here, and
 * nowhere else. A damaged file may say anything: a slash would make a path of the name. */
#include "profile/model/model.h"

#include <stdlib.h>
#include <string.h>

#define DELETED " (deleted)"

static const char *last_part(const char *path, size_t length)
{
	const char *slash = memrchr(path, '/', length);

	return slash ? slash + 1 : path;
}

char *program_name(const char *stored, const char *exe)
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

char **program_arguments(const char *bytes, uint32_t count, uint32_t *argc)
{
	uint32_t found = 0, most = *argc;
	char **argv, *text;

	for (uint32_t i = 0; i < count; i++)
		found += bytes[i] == 0;
	found += count && bytes[count - 1] != 0;
	if (found > most)
		found = most;
	argv = malloc(((size_t)found + 1) * sizeof *argv + count + 1);
	if (!argv)
		return NULL;
	text = (char *)(argv + found + 1);
	if (count)
		memcpy(text, bytes, count);
	text[count] = 0;
	for (uint32_t i = 0; i < found; i++) {
		argv[i] = text;
		text += strlen(text) + 1;
	}
	argv[found] = NULL;
	*argc = found;
	return argv;
}

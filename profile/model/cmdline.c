// SPDX-License-Identifier: GPL-3.0-or-later
/* Command lines as NUL-separated bytes, perhaps cut inside the last string. */
#include "profile/model/cmdline.h"

#include <stdlib.h>
#include <string.h>

char **cmdline_split(const char *bytes, uint32_t count, uint32_t *argc)
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

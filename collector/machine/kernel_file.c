// SPDX-License-Identifier: GPL-3.0-or-later
/* Such files have no size that could be asked for: they are read until a buffer is full. */
#include "collector/machine/kernel_file.h"

#include <stdio.h>
#include <string.h>

int kernel_file_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	int failed = !file || !fgets(line, (int)size, file) ? -1 : 0;

	if (file)
		fclose(file);
	line[failed ? 0 : strcspn(line, "\n")] = '\0';
	return failed;
}

int kernel_file_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
	return length ? 0 : -1;
}

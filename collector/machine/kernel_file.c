// SPDX-License-Identifier: GPL-3.0-or-later
/* Such files have no size that could be asked for: they are read until a buffer is full. */
#include "collector/machine/kernel_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

static int parse_numbers(char *at, int base, uint64_t *number, int most)
{
	int count = 0;

	while (count < most) {
		char *end;

		number[count] = strtoull(at, &end, base);
		if (end == at)
			break;
		at = end;
		count++;
	}
	return count;
}

int proc_status_numbers(pid_t pid, const char *name, int base, uint64_t *number, int most)
{
	char path[32] = "/proc/self/status", *line = NULL;
	size_t room = 0, length = strlen(name);
	int count = -1;
	FILE *status;

	if (pid != PROC_STATUS_SELF)
		snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	if (!status)
		return -1;
	while (count <= 0 && getline(&line, &room, status) > 0) {
		bool found = !strncmp(line, name, length) && line[length] == ':';

		count = found ? parse_numbers(line + length + 1, base, number, most) : 0;
	}
	free(line);
	fclose(status);
	return count;
}

uint64_t proc_status_number(pid_t pid, const char *name, int base, uint64_t otherwise)
{
	uint64_t number;

	return proc_status_numbers(pid, name, base, &number, 1) > 0 ? number : otherwise;
}

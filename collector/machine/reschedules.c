// SPDX-License-Identifier: GPL-3.0-or-later
/* The line is "RES:" on x86 and "IPI0:" on ARM: its text is the same. Columns are those of CPUs
 * that are online, so their names count. */
#include "collector/machine/reschedules.h"

#include <stdlib.h>
#include <string.h>

#define LINE "Rescheduling interrupts"

/* Goes through both lines, column by column. */
static void take(const char *names, const char *numbers, uint64_t *count, size_t cpus)
{
	char *end;

	memset(count, 0, cpus * sizeof(*count));
	for (const char *name = strstr(names, "CPU"); name; name = strstr(name + 3, "CPU")) {
		size_t cpu = strtoul(name + 3, NULL, 10);
		uint64_t value = strtoull(numbers, &end, 10);

		if (end == numbers)
			return;
		numbers = end;
		if (cpu < cpus)
			count[cpu] = value;
	}
}

int reschedules_parse(FILE *file, uint64_t *count, size_t cpus)
{
	char *names = NULL, *line = NULL, *numbers = NULL;
	size_t room = 0, width = 0;

	if (getline(&names, &width, file) > 0)
		while (!numbers && getline(&line, &room, file) > 0)
			if (strstr(line, LINE))
				numbers = strchr(line, ':');
	if (numbers)
		take(names, numbers + 1, count, cpus);
	free(names);
	free(line);
	return numbers ? 0 : -1;
}

int reschedules_read(uint64_t *count, size_t cpus)
{
	FILE *file = fopen("/proc/interrupts", "re");
	int result;

	if (!file)
		return -1;
	result = reschedules_parse(file, count, cpus);
	fclose(file);
	return result;
}

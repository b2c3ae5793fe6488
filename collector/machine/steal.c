// SPDX-License-Identifier: GPL-3.0-or-later
/* The first line of /proc/stat: cpu user nice system idle iowait irq softirq
 * steal. The two fields after these, guests' time, are in user and nice already. */
#include "collector/machine/steal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELDS	     8
#define STOLEN_FIELD 7

struct steal steal_parse(const char *line)
{
	struct steal s = {0};
	uint64_t field = 0;
	int length = 0;

	if (strncmp(line, "cpu ", 4))
		return s;
	line += 4;
	for (int i = 0; i < FIELDS; i++, line += length) {
		if (sscanf(line, "%" SCNu64 "%n", &field, &length) != 1)
			return (struct steal){0};
		s.all += field;
		if (i == STOLEN_FIELD)
			s.stolen = field;
	}
	return s;
}

struct steal steal_read(void)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256] = "";

	if (file) {
		if (!fgets(line, sizeof(line), file))
			*line = '\0';
		fclose(file);
	}
	return steal_parse(line);
}

double steal_share(const struct steal *from, const struct steal *to)
{
	if (to->all <= from->all)
		return NAN;
	return (double)(to->stolen - from->stolen) / (double)(to->all - from->all);
}

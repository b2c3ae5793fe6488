// SPDX-License-Identifier: GPL-3.0-or-later
/* One line of numbers, a CPU each. */
#include "collector/machine/cpu_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 24 /* digits and a space */

int cpu_usage_parse(const char *text, uint64_t *usage_ns, size_t count)
{
	size_t at = 0;
	int length;

	memset(usage_ns, 0, count * sizeof(*usage_ns));
	while (at < count && sscanf(text, "%" SCNu64 "%n", &usage_ns[at], &length) == 1) {
		text += length;
		at++;
	}
	return at ? 0 : -1;
}

int cpu_usage_read(uint64_t *usage_ns, size_t count)
{
	static const char *const places[] = {"/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu",
					     "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage_percpu"};
	char text[1024 * LONGEST];
	FILE *file = NULL;
	size_t length;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !file; i++)
		file = fopen(places[i], "re");
	if (!file)
		return -1;
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return cpu_usage_parse(text, usage_ns, count);
}

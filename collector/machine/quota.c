// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/self/cgroup has a line "N:controllers:/path" a hierarchy; N is 0 and the list
 * empty for v2. In a container the path may lie outside what is mounted: then the
 * mounted root is its cgroup, and is looked at last in any case. */
#include "collector/machine/quota.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "collector/machine/kernel_file.h"

#define CGROUP "/proc/self/cgroup"
#define MOUNT  "/sys/fs/cgroup"
#define FOLDER 512

struct place {
	bool v2;
	char mount[FOLDER], path[PATH_MAX];
};

/* Mounted where systemd and Docker do: v1 in a folder of the controllers' names, v2 as the
 * whole or as "unified". */
static bool parse_line(char *line, const char *mount, struct place *p)
{
	char *controllers = strchr(line, ':'), *path, probe[FOLDER];

	line[strcspn(line, "\n")] = '\0';
	if (!controllers || !(path = strchr(controllers + 1, ':')))
		return false;
	*path++ = '\0';
	p->v2 = !*++controllers;
	if (!p->v2 && !strstr(controllers, "cpu"))
		return false;
	snprintf(probe, sizeof(probe), "%.200s/unified", mount);
	if (p->v2 && access(probe, F_OK))
		snprintf(probe, sizeof(probe), "%.200s", mount);
	else if (!p->v2)
		snprintf(probe, sizeof(probe), "%.200s/%.250s", mount, controllers);
	memcpy(p->mount, probe, sizeof(p->mount));
	return strlen(path) < sizeof(p->path) && strcpy(p->path, path);
}

static double quota_of(const struct place *p, const char *directory)
{
	double quota = -1, period = 0;
	char text[64];

	if (p->v2) {
		kernel_file_text(text, sizeof(text), "%s/cpu.max", directory);
		sscanf(text, "%lf %lf", &quota, &period);
	} else {
		kernel_file_text(text, sizeof(text), "%s/cpu.cfs_quota_us", directory);
		sscanf(text, "%lf", &quota);
		kernel_file_text(text, sizeof(text), "%s/cpu.cfs_period_us", directory);
		sscanf(text, "%lf", &period);
	}
	return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double smallest(const struct place *p, char *where, size_t size)
{
	char directory[PATH_MAX + FOLDER], path[PATH_MAX];
	double least = INFINITY;

	memcpy(path, p->path, sizeof(path));
	for (;;) {
		char *slash = strrchr(path, '/');

		snprintf(directory, sizeof(directory), "%s%s", p->mount, path);
		double quota = quota_of(p, directory);
		if (quota < least) {
			least = quota;
			snprintf(where, size, "%s/%s", directory,
				 p->v2 ? "cpu.max" : "cpu.cfs_quota_us");
		}
		if (!slash || !*path)
			return least;
		*slash = '\0';
	}
}

/* The cgroups of this process: the file's lines one after the other. */
struct places {
	FILE *file;
	const char *mount;
};

static bool next_place(struct places *at, struct place *p)
{
	char line[PATH_MAX + 256];

	while (at->file && fgets(line, sizeof(line), at->file))
		if (parse_line(line, at->mount, p))
			return true;
	if (at->file)
		fclose(at->file);
	return false;
}

static struct place p; /* paths: too large for the stack; one thread asks */

double quota_cpus_at(const char *cgroup_file, const char *mount, char *where, size_t size)
{
	struct places all = {fopen(cgroup_file, "re"), mount};
	char found[PATH_MAX + FOLDER + 32];
	double least = INFINITY;

	*where = '\0';
	while (next_place(&all, &p)) {
		double quota = smallest(&p, found, sizeof(found));

		if (quota < least)
			snprintf(where, size, "%s", found);
		least = fmin(least, quota);
	}
	return least;
}

double quota_cpus(char *where, size_t size)
{
	return quota_cpus_at(CGROUP, MOUNT, where, size);
}

uint64_t quota_throttled(void)
{
	struct places all = {fopen(CGROUP, "re"), MOUNT};
	uint64_t sum = 0, count;
	char text[2048];

	while (next_place(&all, &p)) {
		kernel_file_text(text, sizeof(text), "%s%s/cpu.stat", p.mount, p.path);
		const char *at = strstr(text, "nr_throttled ");
		if (at && sscanf(at, "nr_throttled %" SCNu64, &count) == 1)
			sum += count;
	}
	return sum;
}

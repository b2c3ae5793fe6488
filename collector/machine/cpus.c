// SPDX-License-Identifier: GPL-3.0-or-later
/* The kernel's own files say what is online, what is a sibling and where received packets are
 * steered to; none of them is needed to measure, so a file that cannot be read counts as empty. */
#include "collector/machine/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"
#include "profile/base/error.h"

#define SYSTEM "/sys/devices/system/cpu/"

static int parse_number(const char **at, long *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return -1;
	errno = 0;
	*number = strtol(*at, &end, 10);
	*at = end;
	return errno || *number >= CPU_SETSIZE ? -1 : 0;
}

int cpus_parse(const char *list, cpu_set_t *set)
{
	long first, last;

	CPU_ZERO(set);
	for (const char *at = list;; at++) {
		if (parse_number(&at, &first))
			return -1;
		last = first;
		if (*at == '-' && (at++, parse_number(&at, &last) || last < first))
			return -1;
		for (long cpu = first; cpu <= last; cpu++)
			CPU_SET((int)cpu, set);
		if (*at != ',')
			return *at && strcmp(at, "\n") != 0 ? -1 : 0;
	}
}

void cpus_print(const cpu_set_t *set, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (int cpu = 0; cpu < CPU_SETSIZE && used < size; cpu++) {
		int last = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", cpu);
		if (last > cpu && used < size)
			used += (size_t)snprintf(text + used, size - used, "%c%d",
						 last > cpu + 1 ? '-' : ',', last);
		cpu = last;
	}
}

static int read_list(const char *path, cpu_set_t *set)
{
	char line[4096];

	return kernel_file_line(line, sizeof(line), "%s", path) ? -1 : cpus_parse(line, set);
}

static int refuse(struct profile_error *err, const cpu_set_t *bad, const char *what,
		  const cpu_set_t *good)
{
	char bad_text[128], good_text[128];

	cpus_print(bad, bad_text, sizeof(bad_text));
	cpus_print(good, good_text, sizeof(good_text));
	return error_set(err, "--cpus: CPU %s %s; choose from %s", bad_text, what, good_text);
}

/* bad = a without b */
static bool beyond(cpu_set_t *bad, const cpu_set_t *a, const cpu_set_t *b)
{
	cpu_set_t both;

	CPU_AND(&both, a, b);
	CPU_XOR(bad, a, &both);
	return CPU_COUNT(bad) > 0;
}

int cpus_choose(const char *list, cpu_set_t *set, struct profile_error *err)
{
	cpu_set_t allowed, online, bad;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return error_set(err, "cannot ask which CPUs this process may use: %s",
				 strerror(errno));
	if (!list) {
		*set = allowed;
		return 0;
	}
	if (cpus_parse(list, set))
		return error_set(err, "--cpus '%.80s' is not a list of CPUs; write it like 0-3,8",
				 list);
	if (!read_list(SYSTEM "online", &online) && beyond(&bad, set, &online))
		return refuse(err, &bad, "is offline or does not exist", &online);
	if (beyond(&bad, set, &allowed))
		return refuse(err, &bad, "is not allowed to this process (taskset, cpuset)",
			      &allowed);
	return 0;
}

void cpus_siblings(const cpu_set_t *set, bool *together, bool *split)
{
	cpu_set_t core, inside, outside;
	char path[128];

	*together = *split = false;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		snprintf(path, sizeof(path), SYSTEM "cpu%d/topology/thread_siblings_list", cpu);
		if (read_list(path, &core))
			continue;
		CPU_AND(&inside, &core, set);
		*together |= CPU_COUNT(&inside) > 1;
		*split |= beyond(&outside, &core, set);
	}
}

/* A mask as the kernel writes it: hexadecimal words of 32 bits, the highest first. */
static void parse_mask(const char *text, cpu_set_t *set)
{
	int base = 0;

	CPU_ZERO(set);
	for (size_t at = strcspn(text, "\n"); at > 0; at--) {
		char c = text[at - 1];
		int digit = isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10;

		if (c == ',')
			continue;
		for (int bit = 0; bit < 4 && base + bit < CPU_SETSIZE; bit++)
			if (digit >> bit & 1)
				CPU_SET(base + bit, set);
		base += 4;
	}
}

bool cpus_steered_away(const cpu_set_t *set)
{
	cpu_set_t to, outside;
	char line[1024];
	glob_t files = {0};
	bool away = false;

	if (glob("/sys/class/net/*/queues/rx-*/rps_cpus", 0, NULL, &files))
		return false;
	for (size_t i = 0; i < files.gl_pathc && !away; i++) {
		if (kernel_file_line(line, sizeof(line), "%s", files.gl_pathv[i]))
			continue;
		parse_mask(line, &to);
		away = beyond(&outside, &to, set);
	}
	globfree(&files);
	return away;
}

int cpus_pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

/* /proc/self/cgroup has a line "N:controllers:/path" a hierarchy; N is 0 and the list
 * empty for v2. In a container the path may lie outside what is mounted: then the
 * mounted root is its cgroup, and is looked at last in any case. */

#define FOLDER 512

struct place {
	bool v2;
	char mount[FOLDER], path[PATH_MAX];
};

/* Mounted where systemd and Docker do: v1 in a folder of the controllers' names, v2 as the
 * whole or as "unified". */
static bool parse_line(char *line, const char *mount, struct place *p)
{
	char *controllers = strchr(line, ':'), *path;

	if (!controllers || !(path = strchr(controllers + 1, ':')))
		return false;
	*path++ = '\0';
	p->v2 = !*++controllers;
	if (!p->v2 && !strstr(controllers, "cpu"))
		return false;
	snprintf(p->mount, sizeof(p->mount), "%.200s/unified", mount);
	if (p->v2 && access(p->mount, F_OK))
		snprintf(p->mount, sizeof(p->mount), "%.200s", mount);
	else if (!p->v2)
		snprintf(p->mount, sizeof(p->mount), "%.200s/%.250s", mount, controllers);
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

static struct place p; /* paths: too large for the stack; one thread asks */

double quota_cpus(const char *cgroup_file, const char *mount, char *where, size_t size)
{
	char found[PATH_MAX + FOLDER + 32], text[PATH_MAX + 4096], *rest;
	double least = INFINITY;

	*where = '\0';
	kernel_file_text(text, sizeof(text), "%s", cgroup_file);
	for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
		if (!parse_line(l, mount, &p))
			continue;
		double quota = smallest(&p, found, sizeof(found));

		if (quota < least)
			snprintf(where, size, "%s", found);
		least = fmin(least, quota);
	}
	return least;
}

uint64_t quota_throttled(void)
{
	char lines[PATH_MAX + 4096], text[2048], *rest;
	uint64_t sum = 0, count;

	kernel_file_text(lines, sizeof(lines), CGROUP_FILE);
	for (char *l = strtok_r(lines, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest)) {
		if (!parse_line(l, CGROUP_MOUNT, &p))
			continue;
		kernel_file_text(text, sizeof(text), "%s%s/cpu.stat", p.mount, p.path);
		const char *at = strstr(text, "nr_throttled ");
		if (at && sscanf(at, "nr_throttled %" SCNu64, &count) == 1)
			sum += count;
	}
	return sum;
}

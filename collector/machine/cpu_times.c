// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/stat: "cpu3 user nice system idle iowait irq softirq steal ...", first a line "cpu" with
 * the sums. Guests' time, which follows, is in user and nice already. */
#include "collector/machine/cpu_times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"
#include "profile/profile.h"

void cpu_times_parse(const char *text, double hz, struct cpu_times *times, size_t count)
{
	double v[8];
	size_t cpu;

	memset(times, 0, count * sizeof(*times));
	for (const char *line = text; line && !strncmp(line, "cpu", 3);) {
		if (line[3] != ' ' &&
		    sscanf(line, "cpu%zu %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &v[0], &v[1],
			   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 9 &&
		    cpu < count)
			times[cpu] = (struct cpu_times){true,	   v[0] / hz, v[1] / hz,
							v[2] / hz, v[3] / hz, v[4] / hz,
							v[5] / hz, v[6] / hz, v[7] / hz};
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

int cpu_times_read(struct cpu_times *times, size_t count)
{
	size_t room = 4096 + 160 * (count + 1);
	char *text = malloc(room);
	int failed = !text || kernel_file_text(text, room, "/proc/stat") ? -1 : 0;

	if (!failed)
		cpu_times_parse(text, (double)sysconf(_SC_CLK_TCK), times, count);
	free(text);
	return failed;
}

struct cpu_times cpu_times_since(const struct cpu_times *from, const struct cpu_times *to)
{
	struct cpu_times since = *to;

	since.known = from->known && to->known;
	PROF_SUBTRACT(&since, from, user, nice, system, idle, iowait, irq, softirq, steal);
	return since;
}

double cpu_times_all(const struct cpu_times *t)
{
	return t->user + t->nice + t->system + t->idle + t->iowait + t->irq + t->softirq + t->steal;
}

/* A tick never finds the CPU in a hard interrupt of another kind on most machines, so a
 * sampling kernel leaves this column at (nearly) zero. */
bool cpu_times_irq_measured(void)
{
	struct cpu_times times[64];
	double irq = 0, all = 0;

	if (!access("/proc/pressure/irq", F_OK))
		return true;
	if (cpu_times_read(times, 64))
		return false;
	for (size_t i = 0; i < 64; i++)
		if (times[i].known) {
			irq += times[i].irq;
			all += cpu_times_all(&times[i]);
		}
	return irq > 1e-5 * all;
}

struct cpu_times_steal cpu_times_steal_parse(const char *line)
{
	struct cpu_times_steal s = {0};
	uint64_t field = 0;
	int length = 0;

	if (strncmp(line, "cpu ", 4))
		return s;
	line += 4;
	for (int i = 0; i < 8; i++, line += length) {
		if (sscanf(line, "%" SCNu64 "%n", &field, &length) != 1)
			return (struct cpu_times_steal){0};
		s.all += field;
	}
	s.stolen = field;
	return s;
}

struct cpu_times_steal cpu_times_steal_read(void)
{
	char line[256];

	kernel_file_line(line, sizeof(line), "/proc/stat");
	return cpu_times_steal_parse(line);
}

double cpu_times_steal_share(const struct cpu_times_steal *from, const struct cpu_times_steal *to)
{
	if (to->all <= from->all)
		return NAN;
	return (double)(to->stolen - from->stolen) / (double)(to->all - from->all);
}

/* The line is "RES:" on x86 and "IPI0:" on ARM: its text is the same. Columns are those of CPUs
 * that are online, so their names count. */

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

int cpu_times_parse_reschedules(FILE *file, uint64_t *count, size_t cpus)
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

int cpu_times_reschedules(uint64_t *count, size_t cpus)
{
	FILE *file = fopen("/proc/interrupts", "re");
	int result = file ? cpu_times_parse_reschedules(file, count, cpus) : -1;

	if (file)
		fclose(file);
	return result;
}

double cpu_times_of_usage(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Makes one clock_gettime for each process and reading. */
#include "collector/displacement/sites/site_samples.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "collector/machine/kernel_file.h"
#include "profile/base/array.h"

static void add(struct site_clocks *c, pid_t pid, bool softirqd)
{
	if (array_reach((void **)&c->clock, &c->room, c->count, sizeof(*c->clock), 0))
		c->clock[c->count++] = (struct site_clock){.pid = pid, .softirqd = softirqd};
}

static bool is_softirqd(const char *pid, const cpu_set_t *cpus)
{
	char path[64], name[32];
	int cpu;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	return !kernel_file_line(path, name, sizeof(name)) &&
	       sscanf(name, "ksoftirqd/%d", &cpu) == 1 && cpu >= 0 && cpu < CPU_SETSIZE &&
	       CPU_ISSET(cpu, cpus);
}

void site_clocks_open(struct site_clocks *c, const cpu_set_t *cpus)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	*c = (struct site_clocks){0};
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) && is_softirqd(entry->d_name, cpus))
			add(c, (pid_t)atoi(entry->d_name), true);
	if (proc)
		closedir(proc);
}

void site_clocks_close(struct site_clocks *c)
{
	free(c->clock);
	*c = (struct site_clocks){0};
}

void site_clocks_add(struct site_clocks *c, pid_t pid)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->clock[i].pid == pid)
			return;
	add(c, pid, false);
}

static void read_one(struct site_clock *k, struct site_cpu_time *t)
{
	struct timespec now;
	clockid_t clock;
	uint64_t ns;

	if (clock_getcpuclockid(k->pid, &clock) || clock_gettime(clock, &now)) {
		k->gone = true;
		t->incomplete |= !k->softirqd;
		return;
	}
	ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (!k->begun)
		t->incomplete |= !k->softirqd;
	else
		*(k->softirqd ? &t->softirqd : &t->program) +=
			(double)(int64_t)(ns - k->last_ns) / 1e9;
	k->begun = true;
	k->last_ns = ns;
}

struct site_cpu_time site_clocks_read(struct site_clocks *c)
{
	struct site_cpu_time t = {0, 0, false};

	for (size_t i = 0; i < c->count; i++)
		if (!c->clock[i].gone)
			read_one(&c->clock[i], &t);
	return t;
}

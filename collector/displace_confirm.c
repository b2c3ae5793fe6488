// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/stat counts in hundredths of a second, so runs should last a second or more. */
#include "displace_confirm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "displace.h"

int displace_confirm_begin(struct displace_confirm *c, const cpu_set_t *cpus, size_t runs)
{
	*c = (struct displace_confirm){
		.cpus = *cpus,
		.elapsed = calloc(runs, sizeof(double)),
		.available = calloc(runs, sizeof(double)),
		.before = calloc(CPU_SETSIZE, sizeof(*c->before)),
		.after = calloc(CPU_SETSIZE, sizeof(*c->after)),
	};
	if (c->elapsed && c->available && c->before && c->after && !tasks_begin(&c->tasks))
		return 0;
	displace_confirm_free(c);
	return -1;
}

void displace_confirm_run(struct displace_confirm *c)
{
	tasks_look(&c->tasks);
	tasks_mark(&c->tasks);
	cpu_times_read(c->before, CPU_SETSIZE);
	c->began = displace_now();
}

void displace_confirm_born(void *confirm, pid_t pid)
{
	struct displace_confirm *c = confirm;

	tasks_set_command(&c->tasks, pid);
	sched_setaffinity(pid, sizeof(c->cpus), &c->cpus);
}

static double others(const struct displace_confirm *c)
{
	double sum = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &c->cpus))
			sum += (double)c->tasks.on_ns[cpu] / 1e9;
	return sum;
}

void displace_confirm_ended(void *confirm, pid_t pid)
{
	struct displace_confirm *c = confirm;
	double elapsed = displace_now() - c->began, stolen = 0, wall = 0;

	(void)pid;
	cpu_times_read(c->after, CPU_SETSIZE);
	tasks_look(&c->tasks);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct cpu_times t = cpu_times_since(&c->before[cpu], &c->after[cpu]);

		if (!CPU_ISSET(cpu, &c->cpus) || !t.known)
			continue;
		wall += elapsed;
		stolen += t.steal;
		c->idle_s += t.idle + t.iowait;
	}
	c->wall_s += wall;
	c->elapsed[c->runs] = elapsed;
	c->available[c->runs++] = wall - stolen - others(c);
	c->idle = c->wall_s > 0 ? c->idle_s / c->wall_s : NAN;
	tasks_set_command(&c->tasks, 0);
}

void displace_confirm_free(struct displace_confirm *c)
{
	tasks_free(&c->tasks);
	free(c->elapsed);
	free(c->available);
	free(c->before);
	free(c->after);
	c->elapsed = c->available = NULL;
}

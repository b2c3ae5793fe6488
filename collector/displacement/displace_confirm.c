// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc/stat counts in hundredths of a second, so runs should last a second or more. */
#include "collector/displacement/displace_confirm.h"

#include <math.h>
#include <stdlib.h>

#include "collector/displacement/displace.h"

int displace_confirm_begin(struct displace_confirm *c, const cpu_set_t *cpus, size_t runs,
			   bool clocked)
{
	*c = (struct displace_confirm){
		.cpus = *cpus,
		.on_cpu = NAN,
		.clocked = clocked,
		.clock = {.why = "closed"},
		.elapsed = calloc(runs, sizeof(double)),
		.taken = calloc(runs, sizeof(double)),
		.rusage = calloc(runs, sizeof(double)),
		.before = calloc(CPU_SETSIZE, sizeof(*c->before)),
		.after = calloc(CPU_SETSIZE, sizeof(*c->after)),
	};
	if (c->elapsed && c->taken && c->rusage && c->before && c->after)
		return 0;
	displace_confirm_free(c);
	return -1;
}

void displace_confirm_run(struct displace_confirm *c)
{
	cpu_times_read(c->before, CPU_SETSIZE);
	c->began = displace_now();
}

void displace_confirm_born(void *confirm, pid_t pid)
{
	struct displace_confirm *c = confirm;

	sched_setaffinity(pid, sizeof(c->cpus), &c->cpus);
	if (c->clocked && !c->runs)
		task_clock_open(&c->clock, pid, &c->cpus);
}

static void read_clock(struct displace_confirm *c)
{
	uint64_t ns = task_clock_all(&c->clock);

	if (ns != UINT64_MAX)
		c->on_cpu = (double)ns / 1e9;
	task_clock_close(&c->clock);
}

void displace_confirm_ended(void *confirm, pid_t pid)
{
	struct displace_confirm *c = confirm;

	(void)pid;
	c->elapsed[c->runs] = displace_now() - c->began;
	read_clock(c);
	cpu_times_read(c->after, CPU_SETSIZE);
	c->idle_now = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct cpu_times t = cpu_times_since(&c->before[cpu], &c->after[cpu]);

		if (!CPU_ISSET(cpu, &c->cpus) || !t.known)
			continue;
		c->wall_s += c->elapsed[c->runs];
		c->idle_now += t.idle + t.iowait;
	}
}

void displace_confirm_add(struct displace_confirm *c, const struct rusage *usage)
{
	double used = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
		      (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;

	c->idle_s += c->idle_now;
	c->used_s += used;
	c->rusage[c->runs] = used;
	c->taken[c->runs++] = used + c->idle_now;
	c->idle = c->wall_s > 0 ? c->idle_s / c->wall_s : NAN;
	c->had = c->wall_s > 0 ? c->used_s / c->wall_s : NAN;
}

bool displace_confirm_holds(const struct displace_confirm *c)
{
	return c->idle < DISPLACE_SATURATED && c->had >= DISPLACE_HAD;
}

struct displace_mean displace_confirm_effect(const struct displace_confirm *c,
					     const struct displace_summary *s)
{
	struct replications_mean alone = replications_mean(c->rusage, c->runs, s->confidence), m;
	struct displace_mean effect = {s->accounting.rusage / alone.mean, -INFINITY, INFINITY};
	size_t runs = c->runs < s->runs ? c->runs : s->runs;
	double *ratio = calloc(runs + 1, sizeof(*ratio));

	if (!ratio || runs < 2) {
		free(ratio);
		return effect;
	}
	for (size_t i = 0; i < runs; i++)
		ratio[i] = s->run[i].accounting.rusage / c->rusage[i];
	m = replications_mean(ratio, runs, s->confidence);
	effect.low = effect.mean + m.low - m.mean;
	effect.high = effect.mean + m.high - m.mean;
	free(ratio);
	return effect;
}

double displace_confirm_on_cpu(const struct displace_confirm *c, const struct displace_summary *s)
{
	return s->runs && c->runs ? s->run[0].accounting.task_clock / c->on_cpu : NAN;
}

void displace_confirm_free(struct displace_confirm *c)
{
	task_clock_close(&c->clock);
	free(c->elapsed);
	free(c->taken);
	free(c->rusage);
	free(c->before);
	free(c->after);
	c->elapsed = c->taken = c->rusage = NULL;
	c->before = c->after = NULL;
}

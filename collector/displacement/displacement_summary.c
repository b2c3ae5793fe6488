// SPDX-License-Identifier: GPL-3.0-or-later
/* Means over runs. The account, which needs no windows, includes runs that were too disturbed; the
 * estimate excludes them. */
#include "collector/displacement/displacement_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct displacement_interval displacement_summary_mean(struct displacement_value v,
						       double confidence, double hidden)
{
	struct displacement_interval m = {.mean = v.value};

	displacement_limits(v, confidence, &m.low, &m.high);
	m.high += hidden;
	if (!isfinite(m.low))
		m.mean = NAN;
	return m;
}

bool displacement_summary_is_possible(struct displacement_value uncharged, double confidence)
{
	double low, high;

	displacement_limits(uncharged, confidence, &low, &high);
	return !(high < 0);
}

/* Shares per run would give a mean of ratios; for equal runs both are the same. */
static int estimate(struct displacement_summary *s)
{
	struct displacement_value seen, *all, *uncharged = calloc(2 * s->runs, sizeof(*uncharged));
	size_t n = 0;

	if (!uncharged)
		return -1;
	all = uncharged + s->runs;
	for (size_t i = 0; i < s->runs; i++) {
		bool seen_none = !s->run[i].seen.kept && !isfinite(s->run[i].uncharged.error);

		s->hidden += s->run[i].hidden / (double)s->runs;
		s->bound |= s->run[i].bound;
		if (seen_none || s->run[i].warnings & DISPLACEMENT_DISTURBED)
			continue;
		uncharged[n] = s->run[i].uncharged;
		all[n++] = s->run[i].displacement;
	}
	s->disturbed = s->runs - n;
	seen = displacement_mean(uncharged, n);
	s->uncharged = displacement_summary_mean(seen, s->confidence, s->hidden);
	s->displacement =
		displacement_summary_mean(displacement_mean(all, n), s->confidence, s->hidden);
	if (s->disturbed < s->runs)
		s->warnings &= ~(unsigned)DISPLACEMENT_DISTURBED;
	/* else the machine differed between the idle phases and the run, so nothing is known */
	if (!displacement_summary_is_possible(seen, s->confidence)) {
		s->uncharged = s->displacement =
			(struct displacement_interval){NAN, -INFINITY, INFINITY};
		s->warnings |= DISPLACEMENT_DISTURBED;
	}
	s->share = s->uncharged.mean / s->accounting.rusage;
	s->share_low = s->uncharged.low / s->accounting.rusage;
	s->share_high = s->uncharged.high / s->accounting.rusage;
	if (isfinite(s->uncharged.low) && isfinite(s->uncharged.high))
		s->verdict =
			s->uncharged.low > 0 ? DISPLACEMENT_UNCHARGED : DISPLACEMENT_ALL_CHARGED;
	free(uncharged);
	return 0;
}

static int add_run(struct displacement_summary *s, const struct displacement_run *r)
{
	const struct displacement_accounting *a = &r->accounting;
	struct displacement_accounting *to = &s->accounting;
	double n = (double)s->runs;

	s->elapsed += r->elapsed / n;
	s->program += r->program / n;
	s->softirqd += r->softirqd / n;
	s->windows += r->seen.windows;
	s->kept += r->seen.kept;
	s->warnings |= r->warnings;
	to->rusage += a->rusage / n;
	to->rusage_user += a->rusage_user / n;
	to->rusage_system += a->rusage_system / n;
	to->taskstats += a->taskstats / n;
	to->schedstat += a->schedstat / n;
	to->schedstat_partial |= a->schedstat_partial;
	if (*a->taskstats_why)
		memcpy(to->taskstats_why, a->taskstats_why, sizeof(to->taskstats_why));
	if (*a->schedstat_why)
		memcpy(to->schedstat_why, a->schedstat_why, sizeof(to->schedstat_why));
	for (size_t i = 0; i < s->cpus; i++) {
		displacement_account_add(&s->cpu[i], &r->cpu[i], n);
		s->cpu[i].cpu = r->cpu[i].cpu;
		s->cpu[i].rest.value += r->cpu[i].rest.value / n;
		s->cpu[i].rest.error += r->cpu[i].rest.error / n;
	}
	displacement_account_add(&s->all, &r->all, n);
	s->all.cpu = r->all.cpu;
	for (const struct displacement_task *t = r->others.task;
	     t < r->others.task + r->others.count; t++) {
		if (displacement_tasks_add(&s->others, t->name, t->seconds / n, t->cpu, t->tasks))
			return -1;
	}
	return 0;
}

int displacement_summary_make(struct displacement_summary *s, const struct displacement_run *run,
			      size_t runs, double confidence)
{
	int failed = 0;

	*s = (struct displacement_summary){.run = run,
					   .runs = runs,
					   .confidence = confidence,
					   .switching = run[runs - 1].switching,
					   .cpus = run->cpus,
					   .cpu = calloc(run->cpus, sizeof(*s->cpu))};
	if (!s->cpu)
		return -1;
	for (size_t i = 0; i < runs && !failed; i++)
		failed = add_run(s, &run[i]);
	/* perf's task-clock is beside the first run alone: displacement_run_begin */
	s->accounting.task_clock = run->accounting.task_clock;
	s->accounting.task_clock_outside = run->accounting.task_clock_outside;
	memcpy(s->accounting.task_clock_why, run->accounting.task_clock_why,
	       sizeof(s->accounting.task_clock_why));
	failed = failed || estimate(s);
	displacement_tasks_sort(&s->others);
	if (isfinite(s->uncharged.low) || s->warnings & DISPLACEMENT_DISTURBED)
		s->warnings &= ~(unsigned)DISPLACEMENT_SHORT;
	if (failed)
		displacement_summary_free(s);
	return failed;
}

void displacement_summary_free(struct displacement_summary *s)
{
	PROF_FREE(s, cpu, others.task);
}

/* /proc/stat counts in hundredths of a second, so runs should last a second or more. */

int displacement_confirm_begin(struct displacement_confirm *c, const cpu_set_t *cpus, size_t runs)
{
	double *numbers = calloc(3 * runs, sizeof(*numbers));

	if (!numbers)
		return -1;
	*c = (struct displacement_confirm){.cpus = *cpus,
					   .elapsed = numbers,
					   .taken = numbers + runs,
					   .rusage = numbers + 2 * runs};
	return 0;
}

void displacement_confirm_run(struct displacement_confirm *c)
{
	cpu_times_read(c->before, CPU_SETSIZE);
	c->began = displacement_now();
}

void displacement_confirm_born(void *confirm, pid_t pid)
{
	struct displacement_confirm *c = confirm;

	sched_setaffinity(pid, sizeof(c->cpus), &c->cpus);
}

void displacement_confirm_ended(void *confirm, pid_t pid)
{
	struct displacement_confirm *c = confirm;

	(void)pid;
	c->elapsed[c->runs] = displacement_now() - c->began;
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

void displacement_confirm_add(struct displacement_confirm *c, const struct rusage *usage)
{
	double used = cpu_times_of_usage(usage);

	c->idle_s += c->idle_now;
	c->used_s += used;
	c->rusage[c->runs] = used;
	c->taken[c->runs++] = used + c->idle_now;
	c->idle = c->wall_s > 0 ? c->idle_s / c->wall_s : NAN;
	c->had = c->wall_s > 0 ? c->used_s / c->wall_s : NAN;
}

bool displacement_confirm_holds(const struct displacement_confirm *c)
{
	return c->idle < DISPLACEMENT_SATURATED && c->had >= DISPLACEMENT_HAD;
}

struct displacement_interval displacement_confirm_effect(const struct displacement_confirm *c,
							 const struct displacement_summary *s)
{
	struct replications_mean alone = replications_mean(c->rusage, c->runs, s->confidence), m;
	struct displacement_interval effect = {s->accounting.rusage / alone.mean, -INFINITY,
					       INFINITY};
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

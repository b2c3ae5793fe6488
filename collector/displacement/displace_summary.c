// SPDX-License-Identifier: GPL-3.0-or-later
/* Means over runs. The account, which needs no windows, includes runs that were too disturbed; the
 * estimate excludes them. */
#include "collector/displacement/displace_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/displacement/displace.h"

static void add_cpu(struct displace_cpu *to, const struct displace_cpu *c, double n)
{
	displace_account_add(to, c, n);
	to->cpu = c->cpu;
	to->rest.value += c->rest.value / n;
	to->rest.error += c->rest.error / n;
}

static void copy_why(char *to, const char *from, size_t size)
{
	if (*from)
		memcpy(to, from, size);
}

static void add_accounting(struct displace_accounting *to, const struct displace_accounting *a,
			   double n)
{
	to->rusage += a->rusage / n;
	to->rusage_user += a->rusage_user / n;
	to->rusage_system += a->rusage_system / n;
	to->taskstats += a->taskstats / n;
	to->schedstat += a->schedstat / n;
	to->schedstat_partial |= a->schedstat_partial;
	copy_why(to->taskstats_why, a->taskstats_why, sizeof(to->taskstats_why));
	copy_why(to->schedstat_why, a->schedstat_why, sizeof(to->schedstat_why));
}

/* Mean over the runs with perf's task-clock. */
static void set_task_clock(struct displace_summary *s)
{
	struct displace_accounting *to = &s->accounting;
	double n = 0, sum = 0, outside = 0;

	for (size_t i = 0; i < s->runs; i++) {
		const struct displace_accounting *a = &s->run[i].accounting;

		if (isfinite(a->task_clock)) {
			sum += a->task_clock;
			outside += a->task_clock_outside;
			n++;
		} else {
			copy_why(to->task_clock_why, a->task_clock_why, sizeof(to->task_clock_why));
		}
	}
	s->clocked = (size_t)n;
	to->task_clock = n ? sum / n : NAN;
	to->task_clock_outside = n ? outside / n : NAN;
	if (n)
		*to->task_clock_why = '\0';
}

static int add_task(struct displace_summary *s, const struct displace_task *t)
{
	struct displace_task *more, add = *t;

	add.seconds /= (double)s->runs;
	for (size_t i = 0; i < s->tasks; i++) {
		struct displace_task *old = &s->task[i];

		if (strcmp(old->name, t->name) != 0)
			continue;
		old->seconds += add.seconds;
		old->exact &= t->exact;
		old->cpu = old->cpu == t->cpu ? t->cpu : -1;
		old->tasks = old->tasks > t->tasks ? old->tasks : t->tasks;
		return 0;
	}
	more = realloc(s->task, (s->tasks + 1) * sizeof(*more));
	if (!more)
		return -1;
	s->task = more;
	s->task[s->tasks++] = add;
	return 0;
}

struct displace_mean displace_summary_mean(struct displacement_value v, double confidence,
					   double hidden)
{
	struct displace_mean m = {.mean = v.value};

	displacement_limits(v, confidence, &m.low, &m.high);
	m.high += hidden;
	if (!isfinite(m.low))
		m.mean = NAN;
	return m;
}

static enum displace_verdict judge(const struct displace_mean *lost)
{
	if (!isfinite(lost->low) || !isfinite(lost->high))
		return DISPLACE_NOTHING_SAID;
	return lost->low > 0 ? DISPLACE_LOST : DISPLACE_ALL_CHARGED;
}

bool displace_summary_is_possible(struct displacement_value lost, double confidence)
{
	double low, high;

	displacement_limits(lost, confidence, &low, &high);
	return !(high < 0);
}

/* An impossible result: the machine differed between the idle phases and the run, so nothing is
 * known. */
static void refuse_impossible(struct displace_summary *s, struct displacement_value seen)
{
	if (displace_summary_is_possible(seen, s->confidence))
		return;
	s->lost = s->displaced = (struct displace_mean){NAN, -INFINITY, INFINITY};
	s->warnings |= DISPLACE_DISTURBED;
}

/* Shares per run would give a mean of ratios; for equal runs both are the same. */
static int estimate(struct displace_summary *s)
{
	struct displacement_value *lost = calloc(s->runs, sizeof(*lost)),
				  *all = calloc(s->runs, sizeof(*all));
	struct displacement_value seen;
	double hidden = 0;
	size_t n = 0;

	if (!lost || !all) {
		free(lost);
		free(all);
		return -1;
	}
	for (size_t i = 0; i < s->runs; i++) {
		if (s->run[i].warnings & DISPLACE_DISTURBED)
			continue;
		hidden += s->run[i].hidden;
		s->bound |= s->run[i].bound;
		lost[n] = s->run[i].lost;
		all[n++] = s->run[i].displaced;
	}
	s->disturbed = s->runs - n;
	s->hidden = n ? hidden / (double)n : 0;
	seen = displacement_mean(lost, n);
	s->lost = displace_summary_mean(seen, s->confidence, s->hidden);
	s->displaced = displace_summary_mean(displacement_mean(all, n), s->confidence, s->hidden);
	if (s->disturbed < s->runs)
		s->warnings &= ~(unsigned)DISPLACE_DISTURBED;
	refuse_impossible(s, seen);
	s->share = s->lost.mean / s->accounting.rusage;
	s->share_low = s->lost.low / s->accounting.rusage;
	s->share_high = s->lost.high / s->accounting.rusage;
	s->verdict = judge(&s->lost);
	free(lost);
	free(all);
	return 0;
}

static int add_run(struct displace_summary *s, const struct displace_run *r)
{
	double n = (double)s->runs;

	s->elapsed += r->elapsed / n;
	s->program += r->program / n;
	s->softirqd += r->softirqd / n;
	s->windows += r->excess.windows;
	s->kept += r->excess.kept;
	s->warnings |= r->warnings;
	add_accounting(&s->accounting, &r->accounting, n);
	for (size_t i = 0; i < s->cpus; i++)
		add_cpu(&s->cpu[i], &r->cpu[i], n);
	add_cpu(&s->all, &r->all, n);
	for (size_t i = 0; i < r->tasks; i++)
		if (add_task(s, &r->task[i]))
			return -1;
	return 0;
}

int displace_summary_make(struct displace_summary *s, const struct displace_run *run, size_t runs,
			  double confidence, struct displacement_value switching)
{
	int failed = 0;

	*s = (struct displace_summary){.run = run,
				       .runs = runs,
				       .confidence = confidence,
				       .switching = switching,
				       .cpus = run->cpus,
				       .cpu = calloc(run->cpus, sizeof(*s->cpu))};
	if (!s->cpu)
		return -1;
	for (size_t i = 0; i < runs && !failed; i++)
		failed = add_run(s, &run[i]);
	set_task_clock(s);
	failed = failed || estimate(s);
	displace_others_sort(s->task, s->tasks);
	if (isfinite(s->lost.low) || s->warnings & DISPLACE_DISTURBED)
		s->warnings &= ~(unsigned)DISPLACE_SHORT;
	if (failed)
		displace_summary_free(s);
	return failed;
}

void displace_summary_free(struct displace_summary *s)
{
	free(s->cpu);
	free(s->task);
	s->cpu = NULL;
	s->task = NULL;
}

/* /proc/stat counts in hundredths of a second, so runs should last a second or more. */

int displace_confirm_begin(struct displace_confirm *c, const cpu_set_t *cpus, size_t runs)
{
	*c = (struct displace_confirm){
		.cpus = *cpus,
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
}

void displace_confirm_ended(void *confirm, pid_t pid)
{
	struct displace_confirm *c = confirm;

	(void)pid;
	c->elapsed[c->runs] = displace_now() - c->began;
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
	double used = cpu_times_of_usage(usage);

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

void displace_confirm_free(struct displace_confirm *c)
{
	free(c->elapsed);
	free(c->taken);
	free(c->rusage);
	free(c->before);
	free(c->after);
	c->elapsed = c->taken = c->rusage = NULL;
	c->before = c->after = NULL;
}

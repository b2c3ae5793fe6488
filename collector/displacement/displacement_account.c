// SPDX-License-Identifier: GPL-3.0-or-later
/* From windows, clocks and counters to the account of a run. */

#include <math.h>
#include <stdlib.h>

#include "collector/displacement/displacement_private.h"

#include "profile/base/error.h"

#define SHARE_KEPT 0.5	/* minimum share of the fluid's time that is in used windows */
#define REMAINDER  0.02 /* maximum share of the set's CPU time */
/* Busy tasks of others bring interrupts with them, which differ between a run and its idle phases,
 * by this share of those in idle phases (root mean square 0.21 in 15 runs of `sleep` beside
 * compilers and tests). */
#define OTHERS_REST 0.25
#define UNWAITED    0.01 /* of the program's time; and a hundredth of a second */
#define BOUNDED	    0.05 /* of the program's time: so little serves as an estimate */
#define OURS	    0.25 /* of the CPUs' time: the program's */
#define FEW	    12	 /* windows a CPU */

static void set_fluid(const struct displacement *d, size_t i, struct displacement_cpu *c)
{
	struct fluid_sums s = displacement_windows_fluid_sums(d, i);

	c->series = d->series[i];
	c->first = displacement_windows_first_window(d, i, d->from);
	c->windows = c->series.count;
	for (size_t k = 0; k < c->windows; k++)
		c->kept += !c->series.window[k].aside;
	c->wall = (double)(d->to - d->from) / d->rate / 1e9;
	c->idle = s.progress;
	c->switches = (uint64_t)(s.switches + 0.5);
	c->interrupts = s.charged - s.progress + (d->irq_measured ? s.stolen : 0);
	c->stolen_fluid = d->irq_measured ? 0 : s.stolen;
	c->resting = c->rest.value * s.charged;
	c->switching = d->cost[i].value * (double)c->switches;
	c->uncharged = c->interrupts - c->resting - c->switching;
}

/* Without perf's counters: the time that the fluids waited for tasks not known by name. */
static double unclocked(const struct displacement *d, size_t i, double program)
{
	double all = 0, here = 0;

	for (size_t k = 0; k < d->cpus; k++) {
		double waited = displacement_windows_fluid_sums(d, k).waited;
		double unknown = fmax(0, waited - d->other_on[k] - d->own[k]);

		all += unknown;
		here = k == i ? unknown : here;
	}
	return all > 0 ? program * here / all : program / (double)d->cpus;
}

static void set_cpu(const struct displacement *d, size_t i, struct displacement_cpu *c,
		    double program)
{
	double in_set = 0;

	c->cpu = fluid_cpu(d->fluid, i);
	set_fluid(d, i, c);
	struct cpu_times t = cpu_times_since(&d->before[c->cpu], &d->after[c->cpu]);
	c->irq = t.known ? t.irq : NAN;
	c->softirq = t.known ? t.softirq : NAN;
	c->stolen = fmax(t.known ? t.steal : 0, c->stolen_fluid);
	for (size_t k = 0; k < d->cpus; k++)
		in_set += d->clock_on[k];
	c->others = d->other_on[i];
	c->scprof = d->own[i];
	c->program = in_set > 0 ? program * d->clock_on[i] / in_set : unclocked(d, i, program);
	c->remainder =
		c->wall - c->program - c->others - c->scprof - c->interrupts - c->stolen - c->idle;
}

/* The CPU of short-lived tasks and of scprof's other threads is not known: their time is put where
 * time is missing. */
static void spread(struct displacement_run *run, double seconds, bool own)
{
	double missing = 0;

	for (size_t i = 0; i < run->cpus; i++)
		missing += fmax(0, run->cpu[i].remainder);
	for (struct displacement_cpu *c = run->cpu; c < run->cpu + run->cpus; c++) {
		double part = missing > 0 ? seconds * fmax(0, c->remainder) / missing
					  : seconds / (double)run->cpus;

		c->remainder -= part;
		if (own)
			c->scprof += part;
		else
			c->others += part;
	}
}

void displacement_account_add(struct displacement_cpu *to, const struct displacement_cpu *c,
			      double n)
{
	for (size_t i = 0; i < sizeof(to->time) / sizeof(*to->time); i++)
		to->time[i] += c->time[i] / n;
	PROF_ADD(to, c, windows, kept, switches);
}

static int set_estimate(struct displacement *d, struct displacement_run *run)
{
	struct displacement_value rest[CPU_SETSIZE];

	displacement_switch_set(d);
	int failed = displacement_idle_set(d, run);
	for (size_t i = 0; i < d->cpus && !failed; i++) {
		free(d->series[i].window);
		failed = displacement_windows_span(d, i, d->from, d->to, false, &d->series[i]);
		rest[i] = run->cpu[i].rest;
	}
	if (!failed)
		run->seen =
			displacement_uncharged(d->series, rest, d->cpus, d->cost, d->rest_switches);
	return failed;
}

/* Time of ksoftirqd beyond its rate in idle phases. Busy tasks of others may have caused it all. */
static struct displacement_value softirqd_beyond(const struct displacement *d,
						 const struct displacement_run *run)
{
	struct displacement_value v = {d->softirqd, 0, 30};
	double rate[2];

	displacement_idle_softirqd(d, rate);
	v.value -= (rate[0] + rate[1]) / 2 * run->elapsed;
	v.error = fabs(rate[0] - rate[1]) / 2 * run->elapsed;
	if (run->bound)
		v.error = fmax(v.error, fabs(v.value));
	return v;
}

/* If the program left the fluid hardly any time, interrupts took at most the time charged to the
 * fluid. (If other tasks left it none, interrupts struck those.) */
static bool is_bounded(const struct displacement_run *run)
{
	return (!isfinite(run->seen.within) || run->seen.share_kept < SHARE_KEPT) &&
	       run->seen.charged <= BOUNDED * run->program && run->program >= OURS * run->all.wall;
}

static unsigned judge(const struct displacement *d, const struct displacement_run *run)
{
	const struct displacement_accounting *a = &run->accounting;
	bool bounded = is_bounded(run), few = run->seen.windows < FEW * d->cpus;
	unsigned w = d->warnings;

	if (!bounded && !few && run->seen.share_kept < SHARE_KEPT)
		w |= DISPLACEMENT_DISTURBED;
	else if (!bounded && (few || !isfinite(run->seen.within)))
		w |= DISPLACEMENT_SHORT;
	if (run->program > a->rusage + 0.01 + UNWAITED * a->rusage)
		w |= DISPLACEMENT_UNWAITED;
	if (fabs(run->all.remainder) > 0.02 + REMAINDER * run->all.wall)
		w |= DISPLACEMENT_REMAINDER;
	if (run->bound)
		w |= DISPLACEMENT_OTHERS;
	if (d->tasks.hidden)
		w |= DISPLACEMENT_HIDDEN;
	if (d->irq_measured)
		w |= DISPLACEMENT_IRQ_MEASURED;
	if (!d->switching_known)
		w |= DISPLACEMENT_NO_SWITCH_COST;
	for (size_t i = 0; i < d->cpus; i++) {
		size_t last = fluid_windows(d->fluid, i);

		for (size_t k = displacement_windows_first_window(d, i, d->from); k < last; k++)
			if (fluid_window(d->fluid, i, k).moved)
				w |= DISPLACEMENT_CPU_LOST;
	}
	return w;
}

/* Time of other tasks, also of unseen ones: it is in no other part of the account. */
static double unseen(const struct displacement_cpu *c)
{
	return c->others + fmax(0, c->remainder);
}

static void set_hidden(struct displacement_run *run)
{
	double others = 0;

	for (size_t i = 0; i < run->cpus; i++)
		others += unseen(&run->cpu[i]);
	run->bound = displacement_is_bound(others, run->all.wall);
	for (const struct displacement_cpu *c = run->cpu; c < run->cpu + run->cpus; c++)
		run->hidden += displacement_hidden(c->uncharged, c->idle + c->interrupts, unseen(c),
						   run->bound);
}

static void set_results(const struct displacement *d, struct displacement_run *run)
{
	struct displacement_value softirqd, *uncharged = &run->uncharged;

	set_hidden(run);
	softirqd = softirqd_beyond(d, run);
	run->softirqd = softirqd.value;
	*uncharged = run->seen.total;
	if (is_bounded(run))
		*uncharged = (struct displacement_value){fmin(uncharged->value, run->seen.charged),
							 run->seen.charged / 2, 30};
	else if (run->seen.share_kept < SHARE_KEPT)
		uncharged->error = INFINITY;
	uncharged->value += softirqd.value;
	uncharged->error = hypot(uncharged->error, softirqd.error);
	if (run->bound)
		uncharged->error = hypot(uncharged->error, OTHERS_REST * fabs(run->all.resting));
	/* what switching shifts between the fluid and the program is in the program's time */
	run->displacement = *uncharged;
	run->displacement.value += run->program + run->seen.switched;
}

int displacement_account_finish(struct displacement *d, struct displacement_run *run,
				struct profile_error *err)
{
	double by_cpu = 0;

	*run = (struct displacement_run){.cpus = d->cpus, .accounting = d->accounting};
	run->cpu = calloc(d->cpus, sizeof(*run->cpu));
	d->rate = fluid_rate(d->fluid);
	if (!run->cpu || set_estimate(d, run)) {
		displacement_account_free(run);
		return error_set(err, "out of memory for the account of the run");
	}
	run->others = d->others;
	d->others = (struct displacement_tasks){0};
	run->elapsed = (double)(d->to - d->from) / d->rate / 1e9;
	run->rest = displacement_idle_length(d);
	run->switching = d->switching;
	run->program = fmax(fmax(d->accounting.rusage, d->living), d->accounting.taskstats);
	for (size_t i = 0; i < d->cpus; i++) {
		set_cpu(d, i, &run->cpu[i], run->program);
		by_cpu += run->cpu[i].scprof;
	}
	spread(run, d->other_ended, false);
	spread(run, fmax(0, d->own_all - by_cpu), true);
	run->all = (struct displacement_cpu){.cpu = -1};
	for (size_t i = 0; i < run->cpus; i++)
		displacement_account_add(&run->all, &run->cpu[i], 1);
	set_results(d, run);
	run->warnings = judge(d, run);
	return 0;
}

void displacement_account_free(struct displacement_run *run)
{
	PROF_FREE(run, cpu, others.task);
}

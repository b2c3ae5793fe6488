// SPDX-License-Identifier: GPL-3.0-or-later
/* Opening and closing a measurement. */
#include "collector/displacement/displace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_measure.h"
#include "collector/machine/cpus.h"
#include "collector/displacement/displace_private.h"
#include "collector/machine/quota.h"

static int check_quota(const struct displace_options *o, struct profile_error *err)
{
	char where[256];
	double quota = quota_cpus(where, sizeof(where));
	int cpus = CPU_COUNT(&o->cpus);

	if (o->any_quota || quota >= cpus)
		return 0;
	snprintf(err->text, sizeof(err->text),
		 "this control group may use %.3g CPUs (%.200s), and the fluid would use it up on "
		 "%d: the program would be stopped with it. Measure on fewer CPUs (--cpus), or "
		 "lift the quota",
		 quota, where, cpus);
	return -1;
}

static int make_room(struct displace *d)
{
	d->cpus = (size_t)CPU_COUNT(&d->options.cpus);
	d->own = calloc(d->cpus, sizeof(*d->own));
	d->from_ns = calloc(d->cpus, sizeof(*d->from_ns));
	d->to_ns = calloc(d->cpus, sizeof(*d->to_ns));
	d->other_on = calloc(d->cpus, sizeof(*d->other_on));
	d->clock_on = calloc(d->cpus, sizeof(*d->clock_on));
	d->series = calloc(d->cpus, sizeof(*d->series));
	d->never_idle = calloc(d->cpus, sizeof(*d->never_idle));
	d->window = calloc(d->cpus, sizeof(*d->window));
	d->child = calloc(1, MOST_PIDS / 8);
	d->usage_from = calloc(CPU_SETSIZE, sizeof(*d->usage_from));
	d->usage_to = calloc(CPU_SETSIZE, sizeof(*d->usage_to));
	d->woken = calloc(d->cpus, sizeof(*d->woken));
	d->rest_switches = calloc(d->cpus, sizeof(*d->rest_switches));
	d->cost = calloc(d->cpus, sizeof(*d->cost));
	d->woken_from = calloc(CPU_SETSIZE, sizeof(*d->woken_from));
	d->woken_to = calloc(CPU_SETSIZE, sizeof(*d->woken_to));
	d->before = calloc(CPU_SETSIZE, sizeof(*d->before));
	d->after = calloc(CPU_SETSIZE, sizeof(*d->after));
	return d->child && d->usage_from && d->usage_to && d->from_ns && d->to_ns && d->own &&
			       d->other_on && d->clock_on && d->series && d->never_idle &&
			       d->window && d->before && d->after && d->cost && d->rest_switches &&
			       d->woken && d->woken_from && d->woken_to
		       ? 0
		       : -1;
}

static double quick_rate(void)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	struct clock_pair a = clocks_measure_pair(fluid_thread_now), b;
	double error;

	nanosleep(&pause, NULL);
	b = clocks_measure_pair(fluid_thread_now);
	return clocks_measure_rate(&a, &b, &error);
}

/* What is known before anything runs. */
static unsigned standing_warnings(const cpu_set_t *set)
{
	cpu_set_t together, split, away;
	char interface[64];
	unsigned w = 0;

	cpus_siblings(set, &together, &split);
	w |= CPU_COUNT(&together) ? DISPLACE_SIBLINGS : 0;
	w |= CPU_COUNT(&split) ? DISPLACE_SPLIT : 0;
	w |= cpus_steered_away(set, &away, interface, sizeof(interface)) ? DISPLACE_STEERED : 0;
	return w;
}

static int start(struct displace *d, struct profile_error *err)
{
	struct fluid_options f = {
		.cpus = d->options.cpus,
		.window_ns = d->options.window_ns ? d->options.window_ns : FLUID_WINDOW_NS,
		.scheduling = FLUID_IDLE,
		.no_group = d->options.no_group,
		.edge = d->options.edge,
		.context = d->options.context,
	};

	if (make_room(d) || tasks_begin(&d->tasks)) {
		snprintf(err->text, sizeof(err->text), "out of memory, or /proc cannot be read");
		return -1;
	}
	taskstats_open(&d->ask);
	if (!taskstats_open(&d->ends))
		taskstats_listen(&d->ends, &d->options.cpus);
	d->standing = standing_warnings(&d->options.cpus);
	d->irq_measured = cpu_times_irq_measured();
	displace_kinds_measure(d, quick_rate());
	d->fluid = fluid_start(&f, err);
	return d->fluid ? 0 : -1;
}

struct displace *displace_open(const struct displace_options *o, struct profile_error *err)
{
	struct displace *d;

	if (check_quota(o, err))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return NULL;
	}
	d->options = *o;
	d->ask.fd = d->ends.fd = -1;
	if (!start(d, err))
		return d;
	displace_close(d);
	return NULL;
}

void displace_close(struct displace *d)
{
	if (d->fluid)
		fluid_stop(d->fluid);
	task_clock_close(&d->clock);
	taskstats_close(&d->ask);
	taskstats_close(&d->ends);
	tasks_free(&d->tasks);
	for (size_t i = 0; d->window && i < d->cpus; i++)
		free(d->window[i]);
	for (size_t i = 0; i < d->idle_phases; i++)
		free(d->idle_phase[i].woken);
	free(d->idle_phase);
	free(d->cost);
	free(d->rest_switches);
	free(d->woken);
	free(d->woken_from);
	free(d->woken_to);
	free(d->ended);
	free(d->child);
	free(d->progress);
	free(d->clock_on);
	free(d->usage_from);
	free(d->usage_to);
	free(d->from_ns);
	free(d->to_ns);
	free(d->other_on);
	free(d->other);
	free(d->before);
	free(d->after);
	free(d->own);
	free(d->series);
	free(d->never_idle);
	free(d->window);
	free(d);
}

void displace_task_clock(struct displace *d, bool wanted)
{
	d->options.no_task_clock = !wanted;
}

const struct displacement_series *displace_run_windows(const struct displace *d)
{
	return d->series;
}

size_t displace_run_first(const struct displace *d, size_t i)
{
	return displace_windows_first_window(d, i, d->from);
}

uint64_t displace_run_program_ns(const struct displace *d, size_t i)
{
	return task_clock_on(&d->clock, i);
}

struct displacement_value displace_switching(const struct displace *d)
{
	return d->switching;
}

double displace_now(void)
{
	return (double)clocks_read_raw_ns() / 1e9;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Opening and closing a measurement. */
#include "collector/displacement/displace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/displace_private.h"
#include "collector/machine/cpus.h"
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

struct array {
	void **at;
	size_t count, size;
};

#define ARRAY(member, elements)                                                                    \
	{                                                                                          \
		(void **)&d->member, elements, sizeof(*d->member)                                  \
	}
#define ARRAYS 15

/* Lists all arrays that have a fixed number of elements. */
static void list_arrays(struct displace *d, struct array list[ARRAYS])
{
	const struct array all[] = {
		ARRAY(own, d->cpus),	       ARRAY(from_ns, d->cpus),
		ARRAY(to_ns, d->cpus),	       ARRAY(other_on, d->cpus),
		ARRAY(clock_on, d->cpus),      ARRAY(series, d->cpus),
		ARRAY(window, d->cpus),	       ARRAY(woken, d->cpus),
		ARRAY(rest_switches, d->cpus), ARRAY(cost, d->cpus),
		ARRAY(child, MOST_PIDS / 8),   ARRAY(woken_from, CPU_SETSIZE),
		ARRAY(woken_to, CPU_SETSIZE),  ARRAY(before, CPU_SETSIZE),
		ARRAY(after, CPU_SETSIZE),
	};

	_Static_assert(sizeof(all) == ARRAYS * sizeof(*all), "one place each");
	memcpy(list, all, sizeof(all));
}

static int make_room(struct displace *d)
{
	struct array list[ARRAYS];

	d->cpus = (size_t)CPU_COUNT(&d->options.cpus);
	list_arrays(d, list);
	for (size_t i = 0; i < ARRAYS; i++) {
		*list[i].at = calloc(list[i].count, list[i].size);
		if (!*list[i].at)
			return -1;
	}
	return 0;
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

/* Warnings that are known before anything runs. */
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
		.edge = d->options.edge,
		.context = d->options.context,
	};

	if (make_room(d) || tasks_begin(&d->tasks)) {
		snprintf(err->text, sizeof(err->text), "out of memory, or /proc cannot be read");
		return -1;
	}
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
	d->ends.fd = -1;
	if (!start(d, err))
		return d;
	displace_close(d);
	return NULL;
}

void displace_close(struct displace *d)
{
	struct array list[ARRAYS];

	if (d->fluid)
		fluid_stop(d->fluid);
	task_clock_close(&d->clock);
	taskstats_close(&d->ends);
	tasks_free(&d->tasks);
	for (size_t i = 0; d->window && i < d->cpus; i++)
		free(d->window[i]);
	for (size_t i = 0; i < d->idle_phases; i++)
		free(d->idle_phase[i].woken);
	free(d->idle_phase);
	free(d->ended);
	free(d->progress);
	free(d->other);
	list_arrays(d, list);
	for (size_t i = 0; i < ARRAYS; i++)
		free(*list[i].at);
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

/* Codes are for scripts, sentences for people. */

static const struct {
	enum displace_warning warning;
	const char *code, *text;
} texts[] = {
	{DISPLACE_DISTURBED, "too-disturbed",
	 "over half of the fluid's time was in windows with stolen time, or interrupts seem to "
	 "have taken less during the run than in the idle phases, which is impossible: the machine "
	 "was not the same, and nothing can be said about unaccounted time"},
	{DISPLACE_SHORT, "too-short",
	 "the fluid had fewer than a dozen good windows a CPU: no interval can be given; let the "
	 "command do more (a second or longer), on CPUs that other tasks leave alone"},
	{DISPLACE_MOVED, "affinity-changed",
	 "the program left the CPUs of the set: what it did elsewhere displaced no fluid and is "
	 "missing from the account"},
	{DISPLACE_UNWAITED, "children-not-waited-for",
	 "processes of the program used CPU time and were not waited for: getrusage lacks them"},
	{DISPLACE_REMAINDER, "account-does-not-add-up",
	 "over 2 % of the CPUs' time is in no part of the account (short-lived other tasks, or "
	 "stolen time that is counted late)"},
	{DISPLACE_THROTTLED, "quota-throttled",
	 "the control group used up its quota and was stopped meanwhile"},
	{DISPLACE_HIDDEN, "processes-hidden",
	 "other users' processes are hidden (hidepid): their time is in the remainder"},
	{DISPLACE_CPU_LOST, "cpu-lost", "a CPU of the set was taken away during the run"},
	{DISPLACE_IRQ_MEASURED, "irq-time-measured",
	 "this kernel measures interrupt time and charges it to no task; stolen time cannot be "
	 "distinguished from it window by window"},
	{DISPLACE_NO_SWITCH_COST, "switch-cost-unknown",
	 "the CPUs were too busy to measure what a switch does to the fluid's balance: 4 us a "
	 "switch are in the error instead"},
	{DISPLACE_REST_UNKNOWN, "rest-unknown",
	 "other tasks left the fluid hardly any time before and after the run: interrupts that are "
	 "there without the program were not subtracted"},
	{DISPLACE_OTHERS, "others-busy",
	 "other tasks took over 5 % of the CPUs' time: interrupts that struck them are charged to "
	 "them, so the result is a lower bound, and what they themselves cause cannot be "
	 "distinguished "
	 "from the program's"},
	{DISPLACE_STEERED, "steered-away",
	 "received packets of an interface are steered to CPUs outside the set (rps_cpus): what "
	 "they cost there is not seen; add those CPUs to the set"},
	{DISPLACE_SIBLINGS, "siblings",
	 "hyper-threads of one core are in the set: beside the fluid, the program's own CPU time "
	 "is longer than alone (the fluid's length of a chunk follows what it gets)"},
	{DISPLACE_SPLIT, "core-split",
	 "a hyper-thread of a core in the set is outside it: what runs there changes how fast the "
	 "program runs, unseen"},
	{DISPLACE_GROUP, "other-group",
	 "the program is in another scheduling group than the fluid (a session of its own with "
	 "kernel.sched_autogroup_enabled, or a control group): there the fluid does not give way "
	 "to it but shares the CPU; start it without setsid"},
};

#define COUNT (sizeof(texts) / sizeof(*texts))

const char *displace_warning_code(enum displace_warning one)
{
	for (size_t i = 0; i < COUNT; i++)
		if (texts[i].warning == one)
			return texts[i].code;
	return "unknown";
}

const char *displace_warning_text(enum displace_warning one)
{
	for (size_t i = 0; i < COUNT; i++)
		if (texts[i].warning == one)
			return texts[i].text;
	return "";
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* Opening and closing a measurement. */

#include <stdlib.h>

#include "collector/clocks/clocks_read.h"
#include "collector/displacement/displacement_private.h"
#include "collector/machine/cpus.h"
#include "profile/base/error.h"

#define CALIBRATION_US 10000

static int check_quota(const struct displacement_options *o, struct profile_error *err)
{
	char where[256];
	double quota = quota_cpus(CGROUP_FILE, CGROUP_MOUNT, where, sizeof(where));
	int cpus = CPU_COUNT(&o->cpus);

	if (o->any_quota || quota >= cpus)
		return 0;
	return error_set(err,
			 "this control group may use %.3g CPUs (%.200s), and the fluid would use "
			 "it up on %d: the program would be stopped with it. Measure on fewer CPUs "
			 "(--cpus), or lift the quota",
			 quota, where, cpus);
}

static int start(struct displacement *d, struct profile_error *err)
{
	const struct fluid_options f = {d->options.cpus, FLUID_WINDOW_NS, d->options.edge,
					d->options.context};
	const cpu_set_t *set = &d->options.cpus;
	struct scp_anchor origin;
	bool together, split;

	if (tasks_begin(&d->tasks))
		return error_set(err, "out of memory, or /proc cannot be read");
	taskstats_open(&d->ends, set);
	cpus_siblings(set, &together, &split);
	d->standing = (together ? DISPLACEMENT_SIBLINGS : 0) | (split ? DISPLACEMENT_SPLIT : 0) |
		      (cpus_steered_away(set) ? DISPLACEMENT_STEERED : 0);
	d->irq_measured = cpu_times_irq_measured();
	displacement_switch_measure(
		d, clocks_measure_rate_for(counter_read_ordered, CALIBRATION_US, &origin));
	d->fluid = fluid_start(&f, err);
	return d->fluid ? 0 : -1;
}

struct displacement *displacement_open(const struct displacement_options *o,
				       struct profile_error *err)
{
	struct displacement *d;

	if (check_quota(o, err))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d) {
		error_set(err, "out of memory");
		return NULL;
	}
	d->options = *o;
	d->cpus = (size_t)CPU_COUNT(&o->cpus);
	d->ends.fd = -1;
	if (!start(d, err))
		return d;
	displacement_close(d);
	return NULL;
}

void displacement_close(struct displacement *d)
{
	if (d->fluid)
		fluid_stop(d->fluid);
	task_clock_close(&d->clock);
	taskstats_close(&d->ends);
	tasks_free(&d->tasks);
	for (size_t i = 0; i < d->cpus; i++)
		free(d->series[i].window);
	PROF_FREE(d, ended.task, others.task, progress);
	free(d);
}

uint64_t displacement_run_program_ns(const struct displacement *d, size_t i)
{
	return task_clock_on(&d->clock, i);
}

double displacement_now(void)
{
	return (double)counter_raw_ns() / 1e9;
}

/* Codes are for scripts, sentences for people. */

/* By the warnings' bits, from the lowest. */
static const struct displacement_words words[] = {
	{"too-disturbed",
	 "over half of the fluid's time was in windows with stolen time, or interrupts seem to "
	 "have taken less during the run than in the idle phases, which is impossible: the machine "
	 "was not the same, and nothing can be said about uncharged time"},
	{"too-short",
	 "the fluid had fewer than a dozen good windows a CPU: no interval can be given; let the "
	 "command do more (a second or longer), on CPUs that other tasks leave alone"},
	{"affinity-changed", "the program left the CPUs of the set: what it did elsewhere "
			     "displaced no fluid and is missing from the account"},
	{"children-not-waited-for",
	 "processes of the program used CPU time and were not waited for: getrusage lacks them"},
	{"account-does-not-add-up",
	 "over 2 % of the CPUs' time is in no part of the account (short-lived other tasks, or "
	 "stolen time that is counted late)"},
	{"quota-throttled", "the control group used up its quota and was stopped meanwhile"},
	{"processes-hidden",
	 "processes of other users (hidepid) or outside of this container are not seen: their time "
	 "is in the remainder"},
	{"cpu-lost", "a CPU of the set was taken away during the run"},
	{"irq-time-measured", "this kernel measures interrupt time and charges it to no task; "
			      "stolen time cannot be distinguished from it window by window"},
	{"switch-cost-unknown", "the CPUs were too busy to measure what a switch does to the "
				"fluid's balance: 4 us a switch are in the error instead"},
	{"rest-unknown", "other tasks left the fluid hardly any time before and after the run: "
			 "interrupts that are there without the program were not subtracted"},
	{"others-busy", "other tasks, or what this account does not explain, took over 5 % of the "
			"CPUs' time: interrupts that struck them "
			"are charged to them, so the result is a lower bound, and what they "
			"themselves cause cannot be distinguished from the program's"},
	{"steered-away", "received packets of an interface are steered to CPUs outside the set "
			 "(rps_cpus): what they cost there is not seen; add those CPUs to the set"},
	{"siblings",
	 "hyper-threads of one core are in the set: beside the fluid, the program's own CPU time "
	 "is longer than alone (the fluid's length of a chunk follows what it gets)"},
	{"core-split", "a hyper-thread of a core in the set is outside it: what runs there changes "
		       "how fast the program runs, unseen"},
	{"other-group",
	 "the program is in another scheduling group than the fluid (a session of its own with "
	 "kernel.sched_autogroup_enabled, or a control group): there the fluid does not give way "
	 "to it but shares the CPU; start it without setsid"},
};

const struct displacement_words *displacement_warning_words(enum displacement_warning one)
{
	return &words[__builtin_ctz(one)];
}

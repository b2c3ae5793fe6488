// SPDX-License-Identifier: GPL-3.0-or-later
/* Off-CPU time of entries and gaps, table by table. What is left of a thread's time was on a CPU.
 */
#include "report/model/threads_time.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "profile/base/array.h"
#include "report/model/states.h"
#include "report/model/warning_list.h"
#include "report/wording/numbers.h"

/* Relative difference between what was charged and what is explained that is worth a warning. */
#define CHECK_LIMIT 0.01
/* The least time that the check is made of, and the share that may lack a detector: little is known
 * of the first moments. */
#define CHECK_LEAST_S	0.01
#define UNKNOWN_AT_MOST 0.001
/* Standard errors of the share stolen that a difference is allowed. */
#define CHECK_STOLEN_ERRORS 2

/* ns */
struct off {
	double runnable, asleep;
};

/* Of one table. */
struct part {
	struct off calls, gaps;
	double nested; /* share of the calls' time that is counted twice */
};

/* Off-CPU time of all segments, by those that were read: in the entry itself, or where none of it
 * was, in all. */
static struct off estimate(const struct report *r, const struct scp_off_cpu *o,
			   const struct scp_off_cpu *all)
{
	const struct scp_off_cpu *by = o->weighted ? o : all;
	double factor = by->weighted ? (double)o->known / (double)by->weighted : 0;

	double stolen = states_asleep_stolen(r->threads_time.stolen_share, by);

	return (struct off){factor * (double)by->runnable_ns,
			    factor * (double)by->asleep_ns * (1 - stolen)};
}

static void add_off_cpu(struct scp_off_cpu *to, const struct scp_off_cpu *from)
{
	to->weighted += from->weighted;
	to->runnable_ns += from->runnable_ns;
	to->asleep_ns += from->asleep_ns;
	to->ran_ns += from->ran_ns;
}

static struct scp_off_cpu all_calls(const struct profile *p)
{
	struct scp_off_cpu all = {0};

	for (uint32_t i = 0; i < p->entries; i++)
		if (p->entry[i].sums.states)
			add_off_cpu(&all, &p->entry[i].sums.states->off_cpu);
	return all;
}

static void add_entries(const struct report *r, struct part *part)
{
	const struct profile *p = r->profile;
	struct scp_off_cpu all = all_calls(p);

	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_entry *e = &p->entry[i];
		struct off off;

		if (!e->sums.states || e->table >= p->tables)
			continue;
		off = estimate(r, &e->sums.states->off_cpu, &all);
		part[e->table].calls.runnable += off.runnable;
		part[e->table].calls.asleep += off.asleep;
	}
}

/* Time off the CPU in a call inside another is in both. How much that is was not kept; the kernel's
 * account of the thread says how much there is in all. */
static void count_once(const struct prof_table *t, struct part *part, double time_ns, double stolen)
{
	double covered = (double)t->states.covered_ns, cpu = (double)t->states.cpu_ns;
	double in_calls = part->calls.runnable + part->calls.asleep, all, factor;

	if (!t->nested_calls || !(covered > 0) || !(in_calls > 0) || !(stolen < 1))
		return;
	all = (1 - cpu / (1 - stolen) / covered) * time_ns;
	factor = (all - part->gaps.runnable - part->gaps.asleep) / in_calls;
	factor = fmin(fmax(factor, 0), 1);
	part->calls.runnable *= factor;
	part->calls.asleep *= factor;
}

static void add_table(struct report *r, const struct prof_table *t, struct part *part)
{
	struct report_threads_time *to = &r->threads_time;
	double unit = r->profile->clock.ns_per_unit, time = (double)t->time_units * unit;
	double calls = ((double)t->call_units - (double)t->nested_units) * unit, off, covered;
	double gaps = (double)t->gap_units * unit;
	double stolen = to->stolen_share > 0 ? to->stolen_share : 0;

	part->gaps = estimate(r, &t->states.gap_off_cpu, &t->states.gap_off_cpu);
	count_once(t, part, time, stolen);
	off = part->calls.runnable + part->calls.asleep;
	to->cpu_in_calls_s += (calls - off) / 1e9;
	to->cpu_outside_s += (gaps - part->gaps.runnable - part->gaps.asleep) / 1e9;
	to->runnable_s += (part->calls.runnable + part->gaps.runnable) / 1e9;
	to->asleep_in_calls_s += part->calls.asleep / 1e9;
	to->not_recorded_s += part->gaps.asleep / 1e9;
	off += part->gaps.runnable + part->gaps.asleep;
	covered = (double)t->states.covered_ns / 1e9;
	to->charged_s += (double)t->states.cpu_ns / 1e9;
	if (time > 0)
		to->explained_s += covered * (1 - fmin(off / time, 1)) * (1 - stolen);
}

/* Which calls were switched is known of all threads, all of their time. */
static bool is_known(const struct report *r)
{
	const struct profile *p = r->profile;
	double unknown = (double)p->losses.overflow_time_units, all = unknown;

	if (p->switches.flags & (SCP_SWITCH_MISSED | SCP_SWITCH_MIXED | SCP_SWITCH_CPU_CLOCK))
		return false;
	for (uint32_t i = 0; i < p->tables; i++) {
		uint32_t detector = p->table[i].states.detector;
		double time = (double)p->table[i].time_units;

		all += time;
		if (detector != SCP_SWITCH_RSEQ && detector != SCP_SWITCH_PERF)
			unknown += time;
	}
	return all > 0 && unknown <= UNKNOWN_AT_MOST * all;
}

int threads_time_fill(struct report *r)
{
	const struct profile *p = r->profile;
	struct part *part = array_alloc(((size_t)p->tables + 1) * sizeof(*part));

	if (!part)
		return -1;
	for (uint32_t i = 0; i < p->tables; i++)
		part[i] = (struct part){0};
	r->threads_time.known = is_known(r);
	if (r->threads_time.known) {
		add_entries(r, part);
		for (uint32_t i = 0; i < p->tables; i++)
			add_table(r, &p->table[i], &part[i]);
	}
	free(part);
	return 0;
}

const char *threads_time_mostly(const struct report_threads_time *t)
{
	double cpu = t->cpu_in_calls_s + t->cpu_outside_s;
	double asleep = t->asleep_in_calls_s + t->not_recorded_s;

	if (!t->known || !(cpu + asleep + t->runnable_s > 0))
		return NULL;
	if (asleep > cpu && asleep > t->runnable_s)
		return "waits";
	return t->runnable_s > cpu ? "kept from its CPUs" : "computes";
}

/* One line for each reason why less is known than could be. */
static void warn_detector(struct report *r)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} why[] = {
		{SCP_SWITCH_NO_LIBC,
		 "the C library registers no rseq area (glibc 2.35 and later do)"},
		{SCP_SWITCH_DISABLED,
		 "rseq is switched off, by a tunable (glibc.pthread.rseq) or by "
		 "the kernel"},
		{SCP_SWITCH_NO_PERF, "perf events may not be opened (kernel.perf_event_paranoid)"},
	};
	const struct scp_switches *s = &r->profile->switches;

	if (s->detector != SCP_SWITCH_SAMPLED || s->flags & SCP_SWITCH_MISSED)
		return;
	for (size_t i = 0; i < sizeof(why) / sizeof(*why); i++)
		if (s->flags & why[i].flag)
			warning_list_note(
				r, "no-switch-detector",
				"Which calls lost their CPU is known of a random sample only: "
				"%s. Means on a CPU and asleep have wider intervals.",
				why[i].text);
}

static void warn_flags(struct report *r)
{
	const struct scp_switches *s = &r->profile->switches;

	if (s->flags & SCP_SWITCH_MISSED)
		warning_list_note(r, "switches-missed",
				  "The detector of switches missed %" PRIu64 " of %" PRIu64
				  " that were checked, and was given up: what it saw before is "
				  "left out. From "
				  "then on calls chosen at random were asked.",
				  s->missed, s->verified);
	if (s->flags & SCP_SWITCH_NO_DELAY)
		warning_list_note(
			r, "run-delay-unknown",
			"How long threads waited for a CPU after a wake-up could not be read "
			"(/proc/thread-self/schedstat): that time counts as asleep.");
	if (s->flags & SCP_SWITCH_SANDBOX)
		warning_list_note(
			r, "states-sandboxed",
			"The program forbade system calls: from then on no call was asked "
			"where its time went.");
	if (s->flags & SCP_SWITCH_MIXED)
		warning_list_note(
			r, "detectors-mixed",
			"The profiles were not all recorded with the same detector of switches: "
			"where time went is known of rows that one detector saw. Report them "
			"apart.");
}

static void warn_check(struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double off = t->explained_s - t->charged_s, allowed = CHECK_LIMIT * t->charged_s;
	char share[32];

	if (!t->known || t->charged_s < CHECK_LEAST_S)
		return;
	if (t->stolen_share_error > 0)
		allowed += CHECK_STOLEN_ERRORS * t->stolen_share_error * t->explained_s;
	if (fabs(off) <= allowed)
		return;
	numbers_share(share, sizeof(share), fabs(off) / t->charged_s);
	warning_list_note(r, "states-check",
			  "The kernel charged the threads %s %s CPU time than calls and the time "
			  "between them explain: on the CPU, runnable and asleep may be off by as "
			  "much.",
			  share, off > 0 ? "less" : "more");
}

void threads_time_warn(struct report *r)
{
	warn_detector(r);
	warn_flags(r);
	warn_check(r);
}

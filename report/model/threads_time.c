// SPDX-License-Identifier: GPL-3.0-or-later
/* Off-CPU time of top-level calls and gaps, table by table. What is left of a thread's time was on
 * a CPU. */
#include "report/model/model.h"

#include <inttypes.h>
#include <math.h>

#include "report/model/sites.h"
#include "report/wording/warning_list.h"
#include "report/wording/numbers.h"

/* Relative difference between what was charged and what is explained that is worth a warning. */
#define CHECK_LIMIT 0.01
/* The least time that the check is made of, and the share that may lack a detector: little is known
 * of the first moments. */
#define CHECK_LEAST_S	0.01
#define UNKNOWN_AT_MOST 0.001
/* Standard errors of the share stolen that a difference is allowed. */
#define CHECK_STOLEN_ERRORS 2
/* Standard errors of a sum of segments of which only some were read, each off by its length. */
#define READING_ERRORS 2
/* The share of a time for which the kernel was asked, at least, to say it of the rest, too. */
#define COVERED_LEAST 0.5
/* Of the CPU time, so much was looked at for what the host stole: one theft is not said of all. */
#define RAN_LEAST 0.1

/* A larger part of the time without a CPU that was wanted: the machine has too few. */
#define OVERLOADED 0.2

bool threads_time_overloaded(const struct profile *p)
{
	double runnable = 0, time = 0;

	for (uint32_t i = 0; i < p->tables; i++) {
		runnable += (double)p->table[i].states.delay_ns;
		time += (double)p->table[i].states.delay_covered_ns;
	}
	return runnable > OVERLOADED * time;
}

/* Of the wall time, CPU time of threads without a recorded call that changes what a report says. */
#define UNRECORDED_LEAST 0.2

struct off {
	double runnable, asleep;
};

/* Of all tables: of threads that live for a moment few are read. */
static struct scp_off_cpu sum_off_cpu(const struct profile *p)
{
	struct scp_off_cpu all = {0};

	for (uint32_t i = 0; i < p->tables; i++) {
		const struct prof_table_states *s = &p->table[i].states;

		PROF_ADD(&all, &s->call_off_cpu, weighted, runnable_ns, asleep_ns, ran_ns);
		PROF_ADD(&all, &s->gap_off_cpu, weighted, runnable_ns, asleep_ns, ran_ns);
	}
	return all;
}

/* Off-CPU time of all segments, by those that were read; where none of them was, by `other`, or
 * else by all tables. */
static struct off estimate(double stolen_share, const struct scp_off_cpu *o,
			   const struct scp_off_cpu *other, const struct scp_off_cpu *all)
{
	const struct scp_off_cpu *by = o->weighted ? o : other->weighted ? other : all;
	double factor = by->weighted ? (double)o->known / (double)by->weighted : 0;

	double stolen = states_asleep_stolen(stolen_share, by);

	return (struct off){factor * (double)by->runnable_ns,
			    factor * (double)by->asleep_ns * (1 - stolen)};
}

/* ns, of a table's threads: all of it, and what estimates say. */
struct whole {
	double time, gaps, recording, stolen;
	struct off calls_off, gaps_off;
};

/* What share `of` is of both. */
static double part(double of, double other)
{
	return of + other > 0 ? of / (of + other) : 0;
}

/* How long they were runnable, of `off`, in which they had no CPU: the kernel's account, or where
 * it was asked for too little of the time, as much as in the segments that were read. */
static double find_runnable(const struct prof_table_states *s, const struct whole *w, double off)
{
	double delayed = (double)s->delay_covered_ns;

	if (delayed < COVERED_LEAST * w->time)
		return off * part(w->calls_off.runnable + w->gaps_off.runnable,
				  w->calls_off.asleep + w->gaps_off.asleep);
	return fmin((double)s->delay_ns / delayed * w->time, off);
}

static double within(double x, double low, double high)
{
	return fmin(fmax(x, low), high);
}

/* How `runnable` and `asleep` divide by what was read: gaps, and calls, had no more than they
 * lasted. Returns the gaps' part. */
static struct off find_in_gaps(const struct whole *w, double runnable, double asleep)
{
	double calls = fmax(w->time - w->gaps - w->recording, 0), share;
	struct off gaps;

	gaps.runnable = within(runnable * part(w->gaps_off.runnable, w->calls_off.runnable),
			       runnable - calls, w->gaps);
	share = w->calls_off.asleep + w->gaps_off.asleep > 0
			? part(w->gaps_off.asleep, w->calls_off.asleep)
			: w->gaps >= w->time / 2;
	gaps.asleep = within(asleep * share, asleep - calls + runnable - gaps.runnable,
			     w->gaps - gaps.runnable);
	gaps.asleep = within(gaps.asleep, 0, asleep);
	return gaps;
}

/* The kernel knows how long the threads had a CPU, and mostly how long they waited for one; how
 * both divide between calls and gaps is estimated. False: it was asked too rarely. */
static bool add_known(struct report_threads_time *to, const struct prof_table_states *s,
		      const struct whole *w)
{
	double covered = (double)s->covered_ns;
	double stolen = (double)s->ran_ns >= RAN_LEAST * (double)s->cpu_ns ? w->stolen : 0;
	double cpu, runnable, asleep, on_gaps;
	struct off gaps;

	if (!(w->time > 0) || covered < COVERED_LEAST * w->time)
		return false;
	cpu = (double)s->cpu_ns / (1 - stolen) / covered * w->time;
	cpu = within(cpu, w->recording, w->time);
	runnable = find_runnable(s, w, w->time - cpu);
	asleep = w->time - cpu - runnable;
	gaps = find_in_gaps(w, runnable, asleep);
	on_gaps = within(w->gaps - gaps.runnable - gaps.asleep, 0, cpu - w->recording);
	to->cpu_outside_s += on_gaps / 1e9;
	to->cpu_in_calls_s += (cpu - w->recording - on_gaps) / 1e9;
	to->runnable_s += runnable / 1e9;
	to->asleep_in_calls_s += (asleep - gaps.asleep) / 1e9;
	to->not_recorded_s += gaps.asleep / 1e9;
	return true;
}

double threads_time_charged_s(const struct prof_table *t, double ns_per_unit)
{
	double time = (double)t->time_units * ns_per_unit, covered = (double)t->states.covered_ns;

	return (double)t->states.cpu_ns / 1e9 * (covered > time ? time / covered : 1);
}

static void add_table(const struct report *r, struct report_threads_time *to,
		      const struct prof_table *t, const struct scp_off_cpu *all)
{
	const struct scp_off_cpu *in_calls = &t->states.call_off_cpu,
				 *in_gaps = &t->states.gap_off_cpu;
	struct off calls = estimate(to->stolen_share, in_calls, in_gaps, all),
		   gaps = estimate(to->stolen_share, in_gaps, in_calls, all);
	double unit = r->profile->clock.ns_per_unit, time = (double)t->time_units * unit;
	double calls_ns = ((double)t->call_units - (double)t->nested_units) * unit;
	double recording_ns = (double)t->recording_units * unit;
	/* What found no room is in the losses, not in a table; nearly all of it is between. */
	double gaps_ns = fmax((double)t->gap_units * unit, time - calls_ns - recording_ns);
	double stolen = to->stolen_share > 0 ? to->stolen_share : 0, covered;
	double on_calls = calls_ns - calls.runnable - calls.asleep;
	double on_gaps = gaps_ns - gaps.runnable - gaps.asleep;

	to->recording_s += recording_ns / 1e9;
	if (!add_known(to, &t->states,
		       &(struct whole){time, gaps_ns, recording_ns, stolen, calls, gaps})) {
		to->cpu_in_calls_s += on_calls / 1e9;
		to->cpu_outside_s += on_gaps / 1e9;
		to->runnable_s += (calls.runnable + gaps.runnable) / 1e9;
		to->asleep_in_calls_s += calls.asleep / 1e9;
		to->not_recorded_s += gaps.asleep / 1e9;
		to->estimated_s += time / 1e9;
	}
	to->charged_s += threads_time_charged_s(t, unit);
	if (!(time > 0))
		return;
	/* What it slept after its last call that ended is among what the gaps lost. */
	if ((double)t->states.covered_ns > 1.1 * time)
		on_gaps = fmax(on_gaps, 0);
	/* A wait in the midst of recording is among what the gaps lost, too. */
	double lost = fmin(fmax(-on_gaps, 0), recording_ns);
	on_gaps += lost;
	recording_ns -= lost;
	covered = fmin((double)t->states.covered_ns / time, 1) / 1e9 * (1 - stolen);
	to->explained_in_calls_s += covered * on_calls;
	to->explained_recording_s += covered * recording_ns;
	to->explained_s += covered * (on_calls + on_gaps + recording_ns);
}

/* Which calls were switched is known of all threads, all of their time. */
static bool is_known(const struct report *r)
{
	const struct profile *p = r->profile;
	double unknown = (double)p->losses.overflow_time_units, all = unknown;

	if (p->switches.flags & (SCP_SWITCH_MISSED | SCP_SWITCH_MIXED | SCP_SWITCH_CPU_CLOCK))
		return false;
	for (uint32_t i = 0; i < p->tables; i++) {
		double time = (double)p->table[i].time_units;

		all += time;
		if (!states_sees_all(p->table[i].states.detector))
			unknown += time;
	}
	return all > 0 && unknown <= UNKNOWN_AT_MOST * all;
}

/* A process's start and end are in no thread's time, either. */
static double much(double unrecorded_s, double wall_s, uint64_t processes)
{
	return unrecorded_s <= UNRECORDED_LEAST * wall_s ||
			       unrecorded_s <= CHECK_LEAST_S * (double)processes
		       ? 0
		       : unrecorded_s;
}

void threads_time_fill(struct report *r)
{
	const struct profile *p = r->profile;
	const struct scp_off_cpu all = sum_off_cpu(p);
	/* what was sampled beyond the processes that have a profile */
	bool whole = p->sampling.cpu_ns && !(p->flags & SCP_FILE_WINDOWS);
	double children_s = whole ? computing_charged_ns(p) / 1e9 : 0;
	uint64_t processes = 0;

	for (uint32_t i = 0; i < r->programs; i++)
		children_s = fmax(children_s - r->program[i].cpu_s, 0); /* NAN, too, is 0 */
	double unrecorded_s = children_s;

	r->threads_time.known = is_known(r);
	for (uint32_t i = 0; i < r->programs; i++) {
		r->program[i].threads_time = r->threads_time;
		r->program[i].threads_time.unrecorded_s =
			much(r->program[i].unrecorded_s + (r->programs == 1 ? children_s : 0),
			     r->program[i].wall_s, r->program[i].processes);
		unrecorded_s += r->program[i].unrecorded_s;
		processes += r->program[i].processes;
	}
	r->threads_time.unrecorded_s = much(unrecorded_s, r->wall_s, processes);
	for (uint32_t i = 0; r->threads_time.known && i < p->tables; i++) {
		const struct prof_table *t = &p->table[i];

		add_table(r, &r->threads_time, t, &all);
		add_table(r, &r->program[r->program_of[t->process]].threads_time, t, &all);
	}
}

/* Of the time that its process is known to have lived, a thread that was there all the while. */
#define THERE_LEAST 0.5

static bool was_there(const struct report *r, const struct prof_table *t)
{
	const struct prof_process *p = &r->profile->process[t->process];
	double time = (double)t->time_units * r->profile->clock.ns_per_unit;
	double lived = p->end_mono_ns > p->start_mono_ns
			       ? (double)(p->end_mono_ns - p->start_mono_ns)
			       : 1e9 * r->wall_s;

	return t->threads == 1 && p->count == 1 && time > THERE_LEAST * lived;
}

bool threads_time_busiest(const struct report *r, uint32_t program,
			  struct report_threads_time *busiest)
{
	const struct profile *p = r->profile;
	const struct scp_off_cpu all = sum_off_cpu(p);
	double most = 0;

	for (uint32_t i = 0; r->threads_time.known && i < p->tables; i++) {
		const struct prof_table *t = &p->table[i];
		struct report_threads_time of = {.known = true,
						 .stolen_share = r->threads_time.stolen_share};

		if ((program < r->programs && r->program_of[t->process] != program) ||
		    !was_there(r, t))
			continue;
		add_table(r, &of, t, &all);
		double cpu = of.cpu_in_calls_s + of.cpu_outside_s + of.recording_s;
		if (cpu > most) {
			most = cpu;
			*busiest = of;
		}
	}
	return most > 0;
}

/* A line for each reason why less is known than could be. */
static void warn_flags(struct report *r)
{
	static const struct {
		uint32_t flag;
		const char *code, *text;
	} why[] = {
		{SCP_SWITCH_NO_LIBC, NULL,
		 "the C library registers no rseq area (glibc 2.35 and later do)"},
		{SCP_SWITCH_DISABLED, NULL,
		 "rseq is switched off, by a tunable (glibc.pthread.rseq) or by the kernel"},
		{SCP_SWITCH_NO_PERF, NULL,
		 "perf events may not be opened (kernel.perf_event_paranoid)"},
		{SCP_SWITCH_NO_DELAY, "no-switch-detector",
		 "How long threads waited for a CPU after a wake-up could not be read"},
		{SCP_SWITCH_SANDBOX, "sandboxed", "The program forbade system calls"},
		{SCP_SWITCH_MIXED, "profiles-differ",
		 "The profiles were not all recorded with the same detector of switches"},
	};
	const struct scp_switches *s = &r->profile->switches;
	bool sampled = s->detector == SCP_SWITCH_SAMPLED && !(s->flags & SCP_SWITCH_MISSED);

	for (size_t i = 0; i < sizeof(why) / sizeof(*why); i++)
		if (s->flags & why[i].flag && why[i].code)
			warning_list_note(r, why[i].code, "%s", why[i].text);
		else if (s->flags & why[i].flag && sampled)
			warning_list_note(
				r, "no-switch-detector",
				"Which calls lost their CPU is known of a sample only: %s",
				why[i].text);
	if (s->flags & SCP_SWITCH_MISSED)
		warning_list_note(r, "no-switch-detector",
				  "The detector of switches missed %" PRIu64 " of %" PRIu64
				  " that were checked, and was given up: from then on %s",
				  s->missed, s->verified,
				  s->detector == SCP_SWITCH_PERF
					  ? "a perf event of each thread told"
					  : "calls chosen at random were asked");
}

double threads_time_not_recorded_s(const struct report *r)
{
	return r->ledger.cpu_s - r->threads_time.charged_s;
}

double threads_time_difference(const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double all = isnan(r->ledger.cpu_s) ? t->charged_s : r->ledger.cpu_s;

	return t->known && t->charged_s > 0 && all > 0 ? (t->explained_s - t->charged_s) / all
						       : NAN;
}

bool threads_time_agrees(const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double allowed = CHECK_LIMIT * t->charged_s;
	double readings = (double)r->profile->switches.readings;

	if (t->stolen_share_error > 0)
		allowed += CHECK_STOLEN_ERRORS * t->stolen_share_error * t->explained_s;
	if (!(r->profile->switches.flags & SCP_SWITCH_EXACT) && readings > 0)
		allowed += READING_ERRORS *
			   (t->runnable_s + t->asleep_in_calls_s + t->not_recorded_s) /
			   sqrt(readings);
	return fabs(t->explained_s - t->charged_s) <= allowed;
}

void threads_time_warn(struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double off = threads_time_difference(r);

	warn_flags(r);
	if (t->known && t->charged_s >= CHECK_LEAST_S && !threads_time_agrees(r))
		warning_list_note(r, "states-check",
				  "The parts add up to %s %s CPU time than the kernel charged",
				  numbered_share(fabs(off)).text, off > 0 ? "more" : "less");
}

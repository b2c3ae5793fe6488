// SPDX-License-Identifier: GPL-3.0-or-later
/* One sentence says what most of the time went on. Where the threads had to wait for CPUs, elapsed
 * time says more of the machine than of the program: that comes first. */
#include "report/findings/findings.h"

#include <math.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"

#define OVERLOADED 0.2 /* as in threads_time.c; of one program of several */

/* Of the time until a process was killed, what all its threads' time is at least. */
#define KNOWN_LEAST 0.5

static struct verdict most_is(const char *code, const char *begin, double share, const char *where)
{
	struct verdict v = {.code = code};

	snprintf(v.text, sizeof(v.text), "%s: %s of the threads' time is %s", begin,
		 numbered_share(fmax(share, 0)).text, where);
	return v;
}

/* Several processes are attached to one after another: how long each was recorded, in s. */
static double attached_s(const struct report *r)
{
	const struct profile *p = r->profile;
	uint64_t attached;

	attach_summary_of(p, &attached);
	return attached > 1 && attached == r->all_processes && r->runs <= 1 && p->windows <= 1
		       ? (double)p->recorded_ns / 1e9 / (double)attached
		       : INFINITY;
}

/* How many threads wanted a CPU, and how many had one, as means over the time. */
static struct verdict overloaded(const struct report *r, const struct report_threads_time *t,
				 double cpu_s, double all_s)
{
	bool whole = t == &r->threads_time;
	double threads = fmax((double)(whole ? r->all_threads : r->program[0].threads), 1);
	/* Of one thread it may be longer than what was seen of it, or shorter: a thread may lose
	 * its CPU behind the end that its process noted. */
	double wall_s = fmin(whole ? r->wall_s : r->program[0].wall_s, attached_s(r));
	struct verdict v = {.code = "overloaded"};
	const char *look = r->sort == REPORT_SORT_CPU ? "rows are by CPU time"
						      : "look at CPU time (--sort cpu)";

	wall_s = fmax(fmin(wall_s, all_s), all_s / threads);
	if (wall_s > 0)
		snprintf(v.text, sizeof(v.text),
			 "the machine is overloaded, or a CPU quota used up: %.2f threads wanted a "
			 "CPU and %.2f had one; %s",
			 fmin((cpu_s + t->runnable_s) / wall_s, 1e9), fmin(cpu_s / wall_s, 1e9),
			 look);
	else
		snprintf(v.text, sizeof(v.text),
			 "the machine is overloaded, or a CPU quota used up: threads waited %s of "
			 "their time for a CPU; %s",
			 numbered_share(fmax(t->runnable_s, 0) / (r->time_ns / 1e9)).text, look);
	return v;
}

/* Whose time is not known, but what they were charged. */
static struct verdict in_other_threads(const struct report_threads_time *t)
{
	double cpu_s = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;
	struct verdict v = {.code = "computes"};

	snprintf(v.text, sizeof(v.text),
		 "it computes: %s of its %s of CPU time are in threads and children without a "
		 "recorded call, or in starts, which this time omits",
		 numbered_duration(t->unrecorded_s * 1e9, false).text,
		 numbered_duration((t->unrecorded_s + cpu_s) * 1e9, false).text);
	return v;
}

static const struct {
	const char *code, *begin, *where;
} parts[TIME_PARTS] = {
	[TIME_IN_CALLS] = {"calls", "it works in calls", "on a CPU in recorded calls"},
	[TIME_OUTSIDE] = {"computes", "it computes", "on a CPU outside of calls"},
	[TIME_RECORDING] = {"recording", "it is recorded", "recording by scprof"},
	[TIME_ASLEEP_IN_CALLS] = {"waits", "it waits", "asleep in recorded calls"},
	[TIME_NOT_RECORDED] = {"waits-elsewhere", "it waits", "asleep outside of recorded calls"},
};

static enum time_part most_among(const double part[TIME_PARTS], enum time_part from,
				 enum time_part to)
{
	enum time_part most = from;

	for (enum time_part i = from; i < to; i++)
		most = part[i] > part[most] ? i : most;
	return most;
}

/* Where all threads together mostly sleep, one may have a CPU for most of its time: idle threads
 * beside it are no reason to look at what they wait for. */
static bool one_works(const struct report *r, const struct report_threads_time *t,
		      struct verdict *v)
{
	bool whole = t == &r->threads_time;
	struct report_threads_time b;

	if (!threads_time_busiest(r, whole ? REPORT_NO_PROGRAM : 0, &b))
		return false;
	const double part[TIME_PARTS] = {b.cpu_in_calls_s, b.cpu_outside_s, b.recording_s};
	double cpu = b.cpu_in_calls_s + b.cpu_outside_s + b.recording_s;
	double asleep = b.asleep_in_calls_s + b.not_recorded_s;
	enum time_part most = most_among(part, TIME_IN_CALLS, TIME_RUNNABLE);

	if (asleep > cpu)
		return false;
	v->code = parts[most].code;
	snprintf(v->text, sizeof(v->text),
		 "its busiest thread %s: %s of that thread's time is %s; all together mostly wait",
		 strchr(parts[most].begin, ' ') + 1,
		 numbered_share(part[most] / (cpu + asleep + b.runnable_s)).text,
		 parts[most].where);
	return true;
}

static struct verdict most_of(const struct report *r, const struct report_threads_time *t)
{
	double part[TIME_PARTS];
	double cpu = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s,
	       asleep = t->asleep_in_calls_s + t->not_recorded_s,
	       all = cpu + asleep + t->runnable_s;
	enum time_part most;
	struct verdict v;

	if (r->overloaded && t->runnable_s > OVERLOADED * all)
		return overloaded(r, t, cpu, all);
	if (asleep > cpu && r->all_threads > 1 && one_works(r, t, &v))
		return v;
	threads_time_parts(r, t, part);
	most = most_among(part, asleep > cpu ? TIME_ASLEEP_IN_CALLS : TIME_IN_CALLS,
			  asleep > cpu ? TIME_PARTS : TIME_RUNNABLE);
	return most_is(parts[most].code, parts[most].begin, threads_time_share(r, t, most),
		       parts[most].where);
}

/* By the calls alone. */
static struct verdict most_of_calls(const struct report *r)
{
	const struct threads_cpu of = threads_time_by_calls(r);
	double waits = fmin(r->waiting_ns, r->calls_ns - r->nested_ns);
	double work = 1e9 * of.in_calls_s;
	double rest = r->time_ns - waits - work - 1e9 * of.recording_s;

	if (waits >= fmax(work, rest) && waits >= of.recording_s * 1e9)
		return most_is("waits", "it waits", waits / r->time_ns, "in calls that wait");
	if (of.recording_s * 1e9 > fmax(work, rest))
		return most_is("recording", "it is recorded", of.recording_s * 1e9 / r->time_ns,
			       "recording by scprof");
	if (work >= rest)
		return most_is("calls", "it works in calls", work / r->time_ns,
			       "in calls that work");
	return most_is("elsewhere", "it does something else", rest / r->time_ns,
		       "outside of recorded calls");
}

/* What the verdict is of, where that is one program; else NULL. */
static const struct report_program *only_program(const struct report *r)
{
	if (r->apart && programs_shown(r) == 1)
		return &r->program[0];
	return r->programs == 1 && r->first
		       ? &r->program[r->program_of[r->first - r->profile->process]]
		       : NULL;
}

/* A thread's time is up to the end of its last call: a process that hung, and was killed, has
 * little of it. How long that lived, in s; 0: it is none. */
static double hung_s(const struct report *r)
{
	const struct report_program *p = only_program(r);

	return p && p->processes == 1 && p->first->count == 1 &&
			       p->first->end_state == SCP_END_RUNNING &&
			       p->first->end.seen == SCP_END_SIGNAL &&
			       !(r->profile->flags & SCP_FILE_WINDOWS) &&
			       p->time_ns < 1e9 * KNOWN_LEAST * p->wall_s
		       ? p->wall_s
		       : 0;
}

bool verdict_hung(const struct report *r)
{
	return hung_s(r) > 0;
}

static struct verdict hung(double wall_s)
{
	struct verdict v = {.code = "killed"};

	snprintf(v.text, sizeof(v.text),
		 "it was killed after %s; what its threads did after their last calls is not "
		 "known. While it hangs, `scprof dump PID` tells it",
		 numbered_duration(wall_s * 1e9, false).text);
	return v;
}

/* How long threads lived that were there all the while, in s: those that were attached to, where
 * none came later, or the main one, where that is all. 0: not known. */
static double there_s(const struct report *r)
{
	const struct report_program *p = only_program(r);
	const struct profile *f = r->profile;
	uint64_t attached, threads = 0;

	if (!p || r->programs != 1 || r->runs > 1 || f->windows > 1)
		return 0;
	struct prof_attached a = attach_summary_of(f, &attached);
	for (uint32_t i = 0; i < f->tables; i++)
		threads += f->table[i].threads;
	if (attached)
		return attached == p->processes && threads == f->tables && threads <= a.threads
			       ? (double)f->recorded_ns / 1e9 * (double)threads / (double)attached
			       : 0;
	return threads == 1 && f->table[0].tid == p->first->pid && p->processes == 1 &&
			       !(f->flags & SCP_FILE_WINDOWS) &&
			       p->first->end_state != SCP_END_RUNNING
		       ? p->wall_s
		       : 0;
}

/* A thread's time is from its first call to the end of its last one: of one that waits in a call
 * all the while but for a moment, the moment alone. How long all lived, in s; 0: it is not so. */
static double outside_s(const struct report *r)
{
	double all = there_s(r), time = r->time_ns / 1e9;
	double cpu_s = r->ledger.cpu_s;

	if (!(time > 0 && time < KNOWN_LEAST * all))
		return 0;
	if (computing_charged_ns(r->profile) > 1e9 * cpu_s) /* that of its start, too */
		cpu_s = computing_charged_ns(r->profile) / 1e9;
	return cpu_s - r->threads_time.charged_s < (all - time) / 2 ? all : 0;
}

static struct verdict outside(const struct report *r, double all_s)
{
	struct verdict v = {.code = "waits-elsewhere"};

	snprintf(v.text, sizeof(v.text),
		 "%s of the %s that its thread%s lived are before the first recorded call or after "
		 "the last, hardly on a CPU. The bar is of the rest",
		 numbered_duration(all_s * 1e9 - r->time_ns, false).text,
		 numbered_duration(all_s * 1e9, false).text, r->all_threads == 1 ? "" : "s");
	return v;
}

struct verdict verdict_of(const struct report *r)
{
	const struct report_threads_time *t = programs_time(r);
	double lived_s = outside_s(r);

	if (threads_time_is_elsewhere(t))
		return in_other_threads(t);
	if (verdict_hung(r))
		return hung(hung_s(r));
	if (lived_s > 0)
		return outside(r, lived_s);
	if (threads_time_mostly(t))
		return most_of(r, t);
	if (r->time_ns > 0)
		return most_of_calls(r);
	return (struct verdict){"unknown", "no time of a thread was recorded"};
}

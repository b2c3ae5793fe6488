// SPDX-License-Identifier: GPL-3.0-or-later
/* By which clock calls were timed, at what overhead, and what they are of all time, for renderers
 * that print it and for those that draw it. What ran is in head_run.c. */
#include "report/findings/findings.h"
#include "report/model/sites.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"

/* Differences of CPU time that are not worth a word, and that are not worth a number. */
#define NEAR   0.01
#define LITTLE 0.0005

static struct numbered duration(const struct head *f, double ns)
{
	return numbered_duration(ns, f->utf8);
}

/* Of the threads' time. */
static struct numbered share_of_time(const struct head *f, double ns)
{
	return numbered_share(f->report->time_ns > 0 ? ns / f->report->time_ns : NAN);
}

static void put_clock(const struct head *f, const char *name, const struct prof_clock *c)
{
	head_put(f, name, "%s%s, one tick %s; a reading costs %s", report_names_clock(c->kind),
		 c->flags & SCP_CLOCK_RANDOMIZED ? " (randomised)" : "",
		 duration(f, c->tick_ns).text, duration(f, c->read_ns).text);
}

/* Measured where it happened, so that no interval needs to be corrected for it. */
static void put_recording(const struct head *f)
{
	const struct report *r = f->report;

	if (r->recordings && !(r->recording_ns > 0))
		head_put(f, "recording", "new paths: %s times; no tick fell into any of them",
			 numbered_count(r->recordings).text);
	else if (r->recordings)
		head_put(f, "recording",
			 "new paths: %s, %s of the threads' time (%s times %s); in no call's time",
			 duration(f, r->recording_ns).text, share_of_time(f, r->recording_ns).text,
			 numbered_count(r->recordings).text,
			 duration(f, r->recording_ns / (double)r->recordings).text);
}

/* Its ticks take the CPU from whoever has it, the program or others. */
static void put_ticker(const struct head *f)
{
	const struct profile *p = f->report->profile;
	const struct scp_ticker_cost *c = &p->ticker_cost;

	if (!p->ticker_ticks || !c->most_ns)
		return;
	head_put(f, "ticker",
		 "%s tick%s, each %s of the CPU where it falls; %s of them the program's",
		 numbered_count(p->ticker_ticks).text, p->ticker_ticks == 1 ? "" : "s",
		 duration(f, (double)c->most_ns / (double)p->ticker_ticks).text,
		 c->taken_ns ? duration(f, (double)c->taken_ns).text : "none");
}

/* What was subtracted, and what recording cost the program in all. */
static void put_overhead(const struct head *f)
{
	const struct report *r = f->report;
	const struct report_overhead *o = &r->overhead;

	put_recording(f);
	put_ticker(f);
	if (!o->measured) {
		head_put(f, "overhead", "not measured in this run: means include it");
		return;
	}
	head_put(f, "overhead",
		 "%s a call subtracted from its time (standard error %s), %s between calls; in all "
		 "%s (%s to %s), %s of the threads' time",
		 duration(f, o->inside_ns).text, duration(f, o->inside_error_ns).text,
		 duration(f, o->outside_ns).text, duration(f, r->perturbation_ns).text,
		 duration(f, r->perturbation_low_ns).text,
		 duration(f, r->perturbation_high_ns).text,
		 share_of_time(f, r->perturbation_ns).text);
	if (r->nested_ns > 0 && o->inner_ns > 0)
		head_put(f, "inside",
			 "%s (%s) for each nested call, subtracted from the call around it",
			 duration(f, o->inner_ns).text, duration(f, o->inner_error_ns).text);
}

/* What share of the processes' own totals the calls are, and what would record the rest. */
static void put_texts(const struct head *f, bool ledger)
{
	const struct report *r = f->report;
	/* Without any calls a warning says the others. */
	char *texts[] = {ledger ? ledger_describe(r, f->utf8) : NULL,
			 r->calls ? elsewhere_describe(r) : NULL,
			 r->calls ? elsewhere_not_called(r) : NULL};
	static const char *const names[][2] = {
		{"ledger", "recorded calls are "}, {"elsewhere", ""}, {"not called", ""}};

	for (int i = 0; i < 3; i++) {
		if (texts[i])
			head_put(f, names[i][0], "%s%s", names[i][1], texts[i]);
		free(texts[i]);
	}
}

/* One run says little of the next: what runs differ by is seen in several only. */
static void describe_intervals(const struct report *r, char *out, size_t room)
{
	*out = '\0';
	if (r->runs >= RUN_TO_RUN_LEAST)
		snprintf(out, room, " between %" PRIu32 " runs", r->runs);
	else if (r->calls)
		snprintf(out, room, " about %s: 3 runs tell about the next",
			 r->runs == 2 ? "these 2 runs" : "this run");
}

static void put_totals(const struct head *f)
{
	const struct report *r = f->report;
	char waiting[112] = "", about[64];
	/* A call inside another one is part of that one's time already. */
	double outer_ns = r->calls_ns - r->nested_ns;

	if (r->waiting_ns > 0)
		snprintf(waiting, sizeof(waiting), ": %s of work, %s in functions that wait",
			 duration(f, fmax(outer_ns - r->waiting_ns, 0)).text,
			 duration(f, r->waiting_ns).text);
	if (r->calls && r->calls_ns == 0)
		head_put(f, "calls", "%s; no tick fell into any of them, in the threads' %s",
			 numbered_count(r->calls).text, duration(f, r->time_ns).text);
	else
		head_put(f, "calls", "%s in %s, %s of the threads' %s%s",
			 numbered_count(r->calls).text, duration(f, outer_ns).text,
			 share_of_time(f, outer_ns).text, duration(f, r->time_ns).text, waiting);
	put_texts(f, true);
	if (r->overloaded && r->sort == REPORT_SORT_CPU)
		head_put(f, "overloaded",
			 "for over a fifth of the time the threads wanted a CPU and had none. Rows "
			 "are by time on a CPU");
	describe_intervals(r, about, sizeof(about));
	head_put(f, "intervals", "%.*g %% confidence%s%s", 6, 100 * r->confidence,
		 *about ? "," : "", about);
}

/* Where paths were walked twice. */
static void put_paths(const struct head *f)
{
	const struct profile *p = f->report->profile;
	const struct scp_path_checks *c = &p->path_checks;
	char undecided[64] = "", walked[48] = "all";

	if (!c->one_in)
		return;
	if (c->undecided)
		snprintf(undecided, sizeof(undecided), ", %s could not be decided",
			 numbered_count(c->undecided).text);
	if (!c->unwinder)
		snprintf(walked, sizeof(walked), "none");
	else if (c->one_in > 1 || c->undecided)
		snprintf(walked, sizeof(walked), "%s new ones", numbered_count(c->verified).text);
	head_put(f, "paths", "%s, %s walked twice%s: %s differ%s",
		 numbered_count(samples_none_of(p)).text, walked,
		 c->unwinder ? "" : ", without libunwind", numbered_count(c->differ).text,
		 undecided);
}

/* The sum over rows and gaps beside the kernel's account. */
static void put_charged(const struct head *f)
{
	const struct report *r = f->report;
	const struct report_threads_time *t = &r->threads_time;
	double off = threads_time_difference(r), rest = threads_time_not_recorded_s(r);
	double kernel = isnan(rest) ? t->charged_s : r->ledger.cpu_s;
	double between = t->explained_s - t->explained_in_calls_s - t->explained_recording_s;
	bool recorded = t->explained_recording_s > 0, others = fabs(rest) > LITTLE * kernel;

	if (isnan(off))
		return;
	head_put(f, "charged", "calls %s + between %s%s%s%s%s = %s, by the kernel %s: off by %s%s",
		 duration(f, t->explained_in_calls_s * 1e9).text, duration(f, between * 1e9).text,
		 recorded ? " + recording " : "",
		 recorded ? duration(f, t->explained_recording_s * 1e9).text : "",
		 !others    ? ""
		 : rest > 0 ? " + not recorded "
			    : " - counted beyond the processes' own ",
		 others ? duration(f, fabs(rest) * 1e9).text : "",
		 duration(f, kernel * (1 + off) * 1e9).text, duration(f, kernel * 1e9).text,
		 numbered_share(off).text,
		 fabs(off) > NEAR && threads_time_agrees(r) ? ", as chance allows" : "");
}

/* Does the process compute, wait, or is it kept from its CPU? Where most of its time went. */
static void put_states(const struct head *f)
{
	const struct report_threads_time *t = programs_time(f->report);
	double cpu = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;
	double asleep = t->asleep_in_calls_s + t->not_recorded_s,
	       all = cpu + asleep + t->runnable_s;
	const char *mostly = threads_time_mostly(t);

	head_put(f, "verdict", "%s", verdict_of(f->report).text);
	if (!mostly)
		return;
	head_put(f, "mostly",
		 "%s: %s of the threads' time on a CPU (%s in calls), %s runnable, %s asleep in "
		 "calls, %s asleep elsewhere",
		 mostly, numbered_share(cpu / all).text,
		 numbered_share(threads_time_cpu_in_calls_s(t) / all).text,
		 numbered_share(t->runnable_s / all).text,
		 numbered_share(t->asleep_in_calls_s / all).text,
		 numbered_share(t->not_recorded_s / all).text);
}

/* A tick that is longer than a call is a part of every number. */
#define LONG_TICK_NS 1000

static void name_clock(const struct head *f, const struct prof_clock *c, char *out, size_t room)
{
	bool is_long = c->tick_ns >= LONG_TICK_NS;

	snprintf(out, room, "%s%s%s", report_names_clock(c->kind), is_long ? ", one tick " : "",
		 is_long ? duration(f, c->tick_ns).text : "");
}

/* As the bar of time has it: of its limits the upper one, as the caches may cost more than a loop
 * of calls shows. */
static void describe_cost(const struct head *f, char *out, size_t room)
{
	const struct report *r = f->report;
	double took = r->perturbation_ns / r->time_ns, most = r->perturbation_high_ns / r->time_ns;

	if (r->threads_time.known)
		took = threads_time_share(r, &r->threads_time, TIME_RECORDING);
	snprintf(out, room, "recording by scprof %s of %s, with what it costs in caches up to %s",
		 numbered_share(took).text, r->apart ? "all programs' time" : "the time",
		 numbered_share(fmax(fmin(most, 1), took)).text);
}

void report_head_calls(const struct head *f)
{
	const struct report *r = f->report;
	bool dual = r->profile->slow.kind != SCP_CLOCK_NONE;
	char clock[96], slow[96] = "", about[64], cost[160];

	name_clock(f, &r->profile->clock, clock, sizeof(clock));
	if (dual)
		name_clock(f, &r->profile->slow, slow, sizeof(slow));
	if (!(r->time_ns > 0))
		snprintf(cost, sizeof(cost), "what recording cost is not known");
	else if (r->overhead.measured)
		describe_cost(f, cost, sizeof(cost));
	else
		snprintf(cost, sizeof(cost), "overhead not measured: means include it");
	describe_intervals(r, about, sizeof(about));
	head_put(f, "calls", "%s%s%s; clock %s%s%s; %.*g %% intervals%s%s%s",
		 r->calls ? numbered_count(r->calls).text : "none recorded", r->calls ? " in " : "",
		 r->calls ? duration(f, fmax(r->calls_ns - r->nested_ns, 0)).text : "", clock,
		 dual ? " and " : "", slow, 6, 100 * r->confidence, about, r->calls ? "; " : "",
		 r->calls ? cost : "");
	put_texts(f, false);
	put_paths(f);
}

void report_head_check(const struct head *f)
{
	const struct report *r = f->report;
	bool recorded = r->recording_ns > 0;

	head_put(f, "check", "calls %s - nested %s + between %s%s%s = time %s: %s%s",
		 duration(f, r->calls_ns).text, duration(f, r->nested_ns).text,
		 duration(f, r->gaps_ns).text, recorded ? " + recording " : "",
		 recorded ? duration(f, r->recording_ns).text : "", duration(f, r->time_ns).text,
		 r->remainder_units ? "off by " : "exact",
		 r->remainder_units ? duration(f, fabs(r->remainder_ns)).text : "");
}

void report_head_each(const struct head *f)
{
	report_head_run(f);
	put_clock(f, "clock", &f->report->profile->clock);
	if (f->report->profile->slow.kind != SCP_CLOCK_NONE)
		put_clock(f, "slow clock", &f->report->profile->slow);
	put_overhead(f);
	put_totals(f);
	put_states(f);
	put_charged(f);
	put_paths(f);
}

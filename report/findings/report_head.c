// SPDX-License-Identifier: GPL-3.0-or-later
/* By which clock calls were timed, at what overhead, and what they are of all time, for renderers
 * that print it and for those that draw it. What ran is in head_run.c. */
#include "report/findings/findings.h"
#include "report/model/sites.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/model/model.h"
#include "report/wording/numbers.h"

/* Differences of CPU time that are not worth a word, and that are not worth a number. */
#define NEAR   0.01
#define LITTLE 0.0005
/* Share of the time, and CPU time, that make libraries worth a word. */
#define MUCH_COMPUTING 0.5
#define LEAST_CPU_S    0.1

static void put_clock(const struct head *f, const char *name, const struct prof_clock *c)
{
	char tick[32], read[32];

	numbers_duration(tick, sizeof(tick), c->tick_ns, f->utf8);
	numbers_duration(read, sizeof(read), c->read_ns, f->utf8);
	head_put(f, name, "%s%s, one tick %s; a reading costs %s", report_names_clock(c->kind),
		 c->flags & SCP_CLOCK_RANDOMIZED ? " (randomised)" : "", tick, read);
}

/* Measured where it happened, so that no interval needs to be corrected for it. */
static void put_recording(const struct head *f)
{
	const struct report *r = f->report;
	char all[32], share[32], times[32], each[32];

	if (!r->recordings)
		return;
	numbers_duration(all, sizeof(all), r->recording_ns, f->utf8);
	numbers_share(share, sizeof(share), r->time_ns > 0 ? r->recording_ns / r->time_ns : NAN);
	numbers_count(times, sizeof(times), r->recordings);
	if (!(r->recording_ns > 0)) {
		head_put(f, "recording", "new paths: %s times; no tick fell into any of them",
			 times);
		return;
	}
	numbers_duration(each, sizeof(each), r->recording_ns / (double)r->recordings, f->utf8);
	head_put(f, "recording",
		 "new paths: %s, %s of the threads' time (%s times %s); in no call's time", all,
		 share, times, each);
}

/* Its ticks take the CPU from whoever has it, the program or others. */
static void put_ticker(const struct head *f)
{
	const struct profile *p = f->report->profile;
	const struct scp_ticker_cost *c = &p->ticker_cost;
	char ticks[32], each[32], taken[32];

	if (!p->ticker_ticks || !c->most_ns)
		return;
	numbers_count(ticks, sizeof(ticks), p->ticker_ticks);
	numbers_duration(each, sizeof(each), (double)c->most_ns / (double)p->ticker_ticks, f->utf8);
	numbers_duration(taken, sizeof(taken), (double)c->taken_ns, f->utf8);
	head_put(f, "ticker",
		 "%s tick%s, each %s of the CPU where it falls; %s of them the program's", ticks,
		 p->ticker_ticks == 1 ? "" : "s", each, c->taken_ns ? taken : "none");
}

/* What was subtracted, and what recording cost the program in all. */
static void put_overhead(const struct head *f)
{
	const struct report *r = f->report;
	const struct report_overhead *o = &r->overhead;
	char inside[32], error[32], outside[32], all[32], share[32], low[32], high[32];
	bool utf8 = f->utf8;

	put_recording(f);
	put_ticker(f);
	if (!o->measured) {
		head_put(f, "overhead", "not measured in this run: means include it");
		return;
	}
	numbers_duration(inside, sizeof(inside), o->inside_ns, utf8);
	numbers_duration(error, sizeof(error), o->inside_error_ns, utf8);
	numbers_duration(outside, sizeof(outside), o->outside_ns, utf8);
	numbers_duration(all, sizeof(all), r->perturbation_ns, utf8);
	numbers_duration(low, sizeof(low), r->perturbation_low_ns, utf8);
	numbers_duration(high, sizeof(high), r->perturbation_high_ns, utf8);
	numbers_share(share, sizeof(share), r->time_ns > 0 ? r->perturbation_ns / r->time_ns : NAN);
	head_put(f, "overhead",
		 "%s a call subtracted from its time (standard error %s), %s between calls; in all "
		 "%s "
		 "(%s to %s), %s of the threads' time",
		 inside, error, outside, all, low, high, share);
	if (r->nested_ns > 0 && o->inner_ns > 0) {
		numbers_duration(inside, sizeof(inside), o->inner_ns, utf8);
		numbers_duration(error, sizeof(error), o->inner_error_ns, utf8);
		head_put(f, "inside",
			 "%s (%s) for each nested call, subtracted from the call around it", inside,
			 error);
	}
}

/* What functions that wait took of the calls' time; "" without any. */
static void describe_waiting(const struct head *f, double outer_ns, char *out, size_t room)
{
	double waiting_ns = f->report->waiting_ns;
	char waiting[32], work[32];

	*out = '\0';
	if (!(waiting_ns > 0))
		return;
	numbers_duration(waiting, sizeof(waiting), waiting_ns, f->utf8);
	numbers_duration(work, sizeof(work), fmax(outer_ns - waiting_ns, 0), f->utf8);
	snprintf(out, room, ": %s of work, %s in functions that wait", work, waiting);
}

/* What would record the rest. Without any calls a warning says so. */
static void put_elsewhere(const struct head *f)
{
	char *looked = f->report->calls ? elsewhere_describe(f->report) : NULL;
	char *advice = f->report->calls && !looked ? ledger_advise(f->report) : NULL;

	if (looked || advice)
		head_put(f, "elsewhere", "%s", looked ? looked : advice);
	free(looked);
	free(advice);
}

/* What share of the processes' own totals the calls are. */
static void put_ledger(const struct head *f)
{
	char *shares = ledger_describe(f->report, f->utf8);

	if (shares)
		head_put(f, "ledger", "recorded calls are %s", shares);
	free(shares);
	put_elsewhere(f);
}

/* What could be selected, and what was in vain. Without any calls a warning says so. */
static void put_selection(const struct head *f)
{
	char *names = NULL, *pattern = NULL, *groups, *missed;

	if (!f->report->calls)
		return;
	if (f->report->ledger.cpu_s >= LEAST_CPU_S &&
	    elsewhere_computing(f->report) >= MUCH_COMPUTING &&
	    (groups = elsewhere_libraries(f->report, &names))) {
		head_put(f, "libraries", "it uses %s: `-g %s` records their calls",
			 names ? names : groups, groups);
		free(groups);
	}
	missed = elsewhere_not_called(f->report, &pattern);
	if (missed && pattern)
		head_put(f, "not called",
			 "%s: inside its library perhaps, or a variant is (`-s '%s'`)", missed,
			 pattern);
	else if (missed)
		head_put(f, "not called", "%s", missed);
	free(names);
	free(pattern);
	free(missed);
}

/* One run says little of the next: what runs differ by is seen in several only. */
static void describe_intervals(const struct report *r, char *out, size_t room)
{
	if (r->runs >= RUN_TO_RUN_LEAST)
		snprintf(out, room, " between %" PRIu32 " runs", r->runs);
	else
		snprintf(out, room, "%s%s",
			 !r->calls	? ""
			 : r->runs == 2 ? " about these 2 runs"
					: " about this run",
			 r->calls ? ": 3 runs tell about the next" : "");
}

static void put_overloaded(const struct head *f)
{
	if (!f->report->overloaded || f->report->sort != REPORT_SORT_CPU)
		return;
	head_put(f, "overloaded",
		 "for over a fifth of the time the threads wanted a CPU and had none. Rows are by "
		 "time on a CPU");
}

static void put_totals(const struct head *f)
{
	const struct report *r = f->report;
	char calls[32], in_calls[32], time[32], share[32], waiting[112], about[64];

	numbers_count(calls, sizeof(calls), r->calls);
	/* A call inside another one is part of that one's time already. */
	double outer_ns = r->calls_ns - r->nested_ns;

	numbers_duration(in_calls, sizeof(in_calls), outer_ns, f->utf8);
	numbers_duration(time, sizeof(time), r->time_ns, f->utf8);
	numbers_share(share, sizeof(share), r->time_ns > 0 ? outer_ns / r->time_ns : NAN);
	describe_waiting(f, outer_ns, waiting, sizeof(waiting));
	if (r->calls && r->calls_ns == 0)
		head_put(f, "calls", "%s; no tick fell into any of them, in the threads' %s", calls,
			 time);
	else
		head_put(f, "calls", "%s in %s, %s of the threads' %s%s", calls, in_calls, share,
			 time, waiting);
	put_ledger(f);
	put_selection(f);
	put_overloaded(f);
	describe_intervals(r, about, sizeof(about));
	head_put(f, "intervals", "%.*g %% confidence%s%s", 6, 100 * r->confidence,
		 *about ? "," : "", about);
}

/* Where paths were walked twice. */
static void put_paths(const struct head *f)
{
	const struct profile *p = f->report->profile;
	const struct scp_path_checks *c = &p->path_checks;
	char paths[32], verified[32], differ[32], undecided[32], walked[64] = "all walked twice";
	char walks[32], cached[64] = "";

	if (!c->one_in)
		return;
	numbers_count(paths, sizeof(paths), p->paths);
	numbers_count(verified, sizeof(verified), c->verified);
	numbers_count(differ, sizeof(differ), c->differ);
	numbers_count(undecided, sizeof(undecided), c->undecided);
	if (!c->unwinder)
		snprintf(walked, sizeof(walked), "none walked twice, without libunwind");
	else if (c->one_in > 1 || c->undecided)
		snprintf(walked, sizeof(walked), "%s new ones walked twice", verified);
	numbers_count(walks, sizeof(walks), c->cached_walks);
	if (c->cached_walks)
		snprintf(cached, sizeof(cached), ", %s cached walks made again", walks);
	if (c->undecided)
		head_put(f, "paths", "%s, %s%s: %s differ, %s could not be decided", paths, walked,
			 cached, differ, undecided);
	else
		head_put(f, "paths", "%s, %s%s: %s differ", paths, walked, cached, differ);
}

/* The sum over rows and gaps beside the kernel's account. */
static void put_charged(const struct head *f)
{
	const struct report *r = f->report;
	const struct report_threads_time *t = &r->threads_time;
	double off = threads_time_difference(r), rest = threads_time_not_recorded_s(r);
	double kernel = isnan(rest) ? t->charged_s : r->ledger.cpu_s, between = t->explained_s;
	char calls[32], gaps[32], own[32], recording[64] = "", other[32], rest_words[80] = "",
					   sum[32], all[32], share[32], count[32], chance[80] = "";

	if (isnan(off))
		return;
	between -= t->explained_in_calls_s + t->explained_recording_s;
	numbers_duration(calls, sizeof(calls), t->explained_in_calls_s * 1e9, f->utf8);
	numbers_duration(gaps, sizeof(gaps), between * 1e9, f->utf8);
	numbers_duration(own, sizeof(own), t->explained_recording_s * 1e9, f->utf8);
	if (t->explained_recording_s > 0)
		snprintf(recording, sizeof(recording), " + recording %s", own);
	numbers_duration(other, sizeof(other), fabs(rest) * 1e9, f->utf8);
	if (fabs(rest) > LITTLE * kernel)
		snprintf(rest_words, sizeof(rest_words), " %s %s",
			 rest > 0 ? "+ not recorded" : "- counted beyond the processes' own",
			 other);
	numbers_duration(sum, sizeof(sum), kernel * (1 + off) * 1e9, f->utf8);
	numbers_duration(all, sizeof(all), kernel * 1e9, f->utf8);
	numbers_share(share, sizeof(share), off);
	numbers_count(count, sizeof(count), r->profile->switches.readings);
	if (fabs(off) > NEAR && threads_time_agrees(r))
		snprintf(chance, sizeof(chance), ", as chance allows with %s readings", count);
	/* Estimated parts can be below 0 where all is short: no part of a time is shown so. */
	if (t->explained_in_calls_s < 0 || between < 0) {
		numbers_duration(calls, sizeof(calls), (t->explained_in_calls_s + between) * 1e9,
				 f->utf8);
		head_put(f, "charged",
			 "calls and between %s%s%s = %s, by the kernel %s: off by %s%s", calls,
			 recording, rest_words, sum, all, share, chance);
		return;
	}
	head_put(f, "charged", "calls %s + between %s%s%s = %s, by the kernel %s: off by %s%s",
		 calls, gaps, recording, rest_words, sum, all, share, chance);
}

/* Does the process compute, wait, or is it kept from its CPU? Where most of its time went. */
static void put_states(const struct head *f)
{
	const struct report_threads_time *t = &f->report->threads_time;
	double cpu = t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s;
	double asleep = t->asleep_in_calls_s + t->not_recorded_s,
	       all = cpu + asleep + t->runnable_s;
	char on[32], in_calls[32], runnable[32], slept[32], elsewhere[32];
	const char *mostly = threads_time_mostly(t);

	if (!mostly)
		return;
	numbers_share(on, sizeof(on), cpu / all);
	numbers_share(in_calls, sizeof(in_calls), threads_time_cpu_in_calls_s(t) / all);
	numbers_share(runnable, sizeof(runnable), t->runnable_s / all);
	numbers_share(slept, sizeof(slept), t->asleep_in_calls_s / all);
	numbers_share(elsewhere, sizeof(elsewhere), t->not_recorded_s / all);
	head_put(f, "mostly",
		 "%s: %s of the threads' time on a CPU (%s in calls), %s runnable, %s asleep in "
		 "calls, "
		 "%s "
		 "asleep elsewhere",
		 mostly, on, in_calls, runnable, slept, elsewhere);
}

void report_head_run(const struct report *r, bool utf8, report_head_sink *sink, void *to)
{
	struct head f = {r, utf8, sink, to};

	head_run_put(&f);
}

/* A tick that is longer than a call is a part of every number. */
#define LONG_TICK_NS 1000

static void name_clock(const struct head *f, const struct prof_clock *c, char *out, size_t room)
{
	char tick[32];

	numbers_duration(tick, sizeof(tick), c->tick_ns, f->utf8);
	if (c->tick_ns >= LONG_TICK_NS)
		snprintf(out, room, "%s, one tick %s", report_names_clock(c->kind), tick);
	else
		snprintf(out, room, "%s", report_names_clock(c->kind));
}

void report_head_calls(const struct report *r, bool utf8, report_head_sink *sink, void *to)
{
	struct head f = {r, utf8, sink, to};
	char calls[32], in_calls[32], clock[96], slow[96] = "", about[64], cost[96], share[32];
	size_t used = 0;

	numbers_count(calls, sizeof(calls), r->calls);
	numbers_duration(in_calls, sizeof(in_calls), r->calls_ns - r->nested_ns, utf8);
	name_clock(&f, &r->profile->clock, clock, sizeof(clock));
	if (r->profile->slow.kind != SCP_CLOCK_NONE) {
		used = (size_t)snprintf(slow, sizeof(slow), " and ");
		name_clock(&f, &r->profile->slow, slow + used, sizeof(slow) - used);
	}
	numbers_share(share, sizeof(share), r->time_ns > 0 ? r->perturbation_ns / r->time_ns : NAN);
	if (!(r->time_ns > 0) || !r->calls)
		snprintf(cost, sizeof(cost), "what recording cost is not known");
	else if (r->overhead.measured)
		snprintf(cost, sizeof(cost), "recording cost %s of the time", share);
	else
		snprintf(cost, sizeof(cost), "overhead not measured: means include it");
	describe_intervals(r, about, sizeof(about));
	head_put(&f, "calls", "%s in %s; clock %s%s; %.*g %% intervals%s; %s", calls, in_calls,
		 clock, slow, 6, 100 * r->confidence, about, cost);
	put_overloaded(&f);
	put_elsewhere(&f);
	put_selection(&f);
	put_paths(&f);
}

void report_head_check(const struct report *r, bool utf8, report_head_sink *sink, void *to)
{
	struct head f = {r, utf8, sink, to};
	char calls[32], nested[32], gaps[32], own[32], recording[64] = "", time[32], off[32];

	numbers_duration(calls, sizeof(calls), r->calls_ns, utf8);
	numbers_duration(nested, sizeof(nested), r->nested_ns, utf8);
	numbers_duration(gaps, sizeof(gaps), r->gaps_ns, utf8);
	numbers_duration(own, sizeof(own), r->recording_ns, utf8);
	if (r->recording_ns > 0)
		snprintf(recording, sizeof(recording), " + recording %s", own);
	numbers_duration(time, sizeof(time), r->time_ns, utf8);
	numbers_duration(off, sizeof(off), fabs(r->remainder_ns), utf8);
	head_put(&f, "check", "calls %s - nested %s + between %s%s = time %s: %s%s", calls, nested,
		 gaps, recording, time, r->remainder_units ? "off by " : "exact",
		 r->remainder_units ? off : "");
}

void report_head_each(const struct report *r, bool utf8, report_head_sink *sink, void *to)
{
	struct head f = {r, utf8, sink, to};

	head_run_put(&f);
	put_clock(&f, "clock", &r->profile->clock);
	if (r->profile->slow.kind != SCP_CLOCK_NONE)
		put_clock(&f, "slow clock", &r->profile->slow);
	put_overhead(&f);
	put_totals(&f);
	put_states(&f);
	put_charged(&f);
	put_paths(&f);
}

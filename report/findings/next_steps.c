// SPDX-License-Identifier: GPL-3.0-or-later
/* A table of conditions and sentences, in the order of their use to a reader: what keeps the report
 * from being an answer comes first. */
#include "report/findings/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define MOST_OF_TIME   0.5    /* of the threads' time but for waiting for a CPU: what dominates */
#define MUCH_ELSEWHERE 0.1    /* of it, in a group that was off */
#define MANY_ELSEWHERE 100    /* calls of it: fewer are no part of what the program does */
#define ROW_MATTERS    0.05   /* of the time of all calls that work, as for run --until */
#define LEAST_OF_ALL   0.01   /* and of the threads' time */
#define WIDE	       0.1    /* half an interval over its mean */
#define WANTED	       0.05   /* what --until is to reach */
#define HOPELESS       100.0  /* as many calls as there are are needed */
#define FEWEST	       30     /* calls: fewer will not be many in a longer run */
#define MOST_RUNS      20     /* of a command that ends by itself */
#define FEW_SAMPLES    100    /* independent ones: an interval may be 20 % wide */
#define SHORTEST_NS    100000 /* that --sample takes */

/* Of a row, what counts: its time on a CPU where that is known. */
static double time_of(const struct report_site *s)
{
	return s->states.known && s->states.on_cpu.mean > 0 ? site_cpu_ns(s) : s->total_ns;
}

static bool matters(const struct report *r, const struct report_site *s, double all_ns)
{
	double most_ns = 1e9 * elsewhere_time_s(r);

	return !s->waits && time_of(s) >= ROW_MATTERS * all_ns &&
	       time_of(s) >= (elsewhere_computing(r) >= MOST_OF_TIME ? ROW_MATTERS : LEAST_OF_ALL) *
				     most_ns;
}

/* How many times as many calls as there are would make the interval of a row narrow; 0: it is
 * narrow, or more calls would not help. */
static double calls_needed(const struct report_site *s)
{
	const struct mean_interval *e = &s->estimate;
	double half = fmax(e->high - e->mean, e->mean - e->low) / e->mean;
	double times = half / WANTED * (half / WANTED);

	return s->calls >= FEWEST && !s->overflow && e->mean > 0 && half > WIDE &&
			       !(e->unreliable & STATS_HEAVY_TAIL) && times <= HOPELESS
		       ? times
		       : 0;
}

/* Of the kept rows that matter with wide intervals the one with the most time. NULL: none. */
static const struct report_site *find_wide(const struct report *r)
{
	const struct report_site *most = NULL;
	double all_ns = 0;

	for (const struct report_site *s = NULL; (s = report_next_site(r, s));)
		all_ns += s->waits ? 0 : fmax(time_of(s), 0);
	for (const struct report_site *s = NULL; (s = report_next_site(r, s));)
		if (matters(r, s, all_ns) && calls_needed(s) > 0 &&
		    (!most || time_of(s) > time_of(most)))
			most = s;
	return most;
}

/* A sentence, then where its command begins. */
struct line {
	FILE *to;
	uint32_t command;
	bool page; /* the report is one */
};

static void begin_command(struct line *line)
{
	fputs(": ", line->to);
	fflush(line->to);
	line->command = (uint32_t)ftell(line->to);
}

/* Each writes its line if it has something to say. */
typedef bool step(struct line *line, struct report *r);

static bool is_much(const struct report_elsewhere *e)
{
	return e->own_share >= MUCH_ELSEWHERE &&
	       e->own_share * elsewhere_surely_s(e) >= MUCH_ELSEWHERE * e->time_s;
}

/* What is off and would record much; without any calls, whatever it is, but for a few calls of a
 * program that computes. */
static const struct report_elsewhere *worth_recording(const struct report *r)
{
	const struct report_elsewhere *e = r->elsewheres ? r->elsewhere : NULL;

	for (uint32_t i = 1; i < r->elsewheres; i++)
		e = r->elsewhere[i].own_s > e->own_s ? &r->elsewhere[i] : e;
	/* Beside others, what takes long may only have waited for a CPU. */
	bool much = e && is_much(e) && e->own_calls >= MANY_ELSEWHERE &&
		    (!r->overloaded || e->waiting_s > e->time_s / 2);

	return much || (e && !r->calls && e->own_calls > 0 &&
			!(elsewhere_computing(r) >= MOST_OF_TIME))
		       ? e
		       : NULL;
}

static bool elsewhere(struct line *line, struct report *r)
{
	const struct report_elsewhere *e = worth_recording(r);

	if (!e)
		return false;
	fprintf(line->to, "`-g %s` would record ", e->group);
	if (is_much(e))
		fprintf(line->to, "%s %% of the time", numbered_digits(100 * e->own_share, 2).text);
	else
		fprintf(line->to, "%s call%s", numbered_count((uint64_t)e->own_calls).text,
			e->own_calls == 1 ? "" : "s");
	begin_command(line);
	next_command_run(line->to, r, e->mask, "");
	return true;
}

static void put_share(struct line *line, const struct report *r, double share, const char *what)
{
	bool without = r->overloaded && programs_time(r)->known; /* as elsewhere_time_s() */

	fprintf(line->to, "%s%s of the time is %s", without ? "Without the waits for a CPU, " : "",
		numbered_share(fmin(share, 1)).text, what);
}

/* In what, as far as samples tell; else what would take more of them. */
static bool computing(struct line *line, struct report *r, double least)
{
	bool elsewhere = threads_time_is_elsewhere(programs_time(r));
	double share = elsewhere ? 1 : elsewhere_computing(r);
	uint64_t period_ns = r->profile->sampling.period_ns;

	if (!(share >= least) || computing_find(r))
		return false;
	const struct report_computing *c = r->computing;
	const struct report_computing_row *row = c && c->rows ? c->row : NULL;
	const uint64_t few = c ? c->samples - c->in_calls : 0;
	bool more = row ? c->effective < FEW_SAMPLES && period_ns > SHORTEST_NS
			: !computing_missing(r->profile);

	if (!more && (!row || line->page))
		return false;
	if (elsewhere)
		fputs("It computes in threads or children without a recorded call, ", line->to);
	else
		put_share(line, r, share, "computing, ");
	if (more)
		fprintf(line->to, "%s%" PRIu64 " sample%s",
			row   ? "of which little is told by "
			: few ? "of which nothing is told by "
			      : "with ",
			few, few == 1 ? "" : "s");
	else
		fprintf(line->to, "%s of that in %.60s%s; as a flame graph",
			numbered_share(row->share).text, computing_name(row),
			*computing_behind(row) ? " (no symbols: a debug file or DEBUGINFOD_URLS "
						 "would name them)"
					       : "");
	begin_command(line);
	if (more)
		next_command_run(line->to, r, 0,
				 period_ns > 500000 ? " --sample 500us"
				 : period_ns	    ? " --sample 100us"
						    : " --sample 5ms");
	else
		next_command_report(line->to, r, " -o report.html");
	return true;
}

static bool mostly_computing(struct line *line, struct report *r)
{
	return computing(line, r, MOST_OF_TIME);
}

static bool also_computing(struct line *line, struct report *r)
{
	return elsewhere_computing(r) < MOST_OF_TIME &&
	       !threads_time_is_elsewhere(programs_time(r)) && computing(line, r, MUCH_ELSEWHERE);
}

/* Waiting that no group that was off would record, either: locks, sleeping, children. */
static bool not_recorded(struct line *line, struct report *r)
{
	const struct report_threads_time *t = programs_time(r);
	const struct profile *p = r->profile;
	double left = t->known ? t->not_recorded_s : 0, share;
	uint32_t more = p->looks ? 0 : SCP_GROUP_ALL;
	bool asked = false; /* already, of which each libc has sigsuspend */

	for (uint32_t i = 0; i < p->functions && !(more & ~p->groups); i++)
		asked = asked || (p->function[i].group & SCP_GROUP_SELECTED &&
				  !strcmp(p->function[i].name, "sigsuspend"));
	for (uint32_t i = 0; i < r->elsewheres; i++)
		left -= r->elsewhere[i].own_s; /* which may be waiting */
	share = t->known ? left / elsewhere_time_s(r) : 0;
	if (!(share >= MOST_OF_TIME) || (asked && !(r->asked && r->asked->attached.known)))
		return false;
	put_share(line, r, share, "waiting that was not recorded");
	begin_command(line);
	if (next_command_dump(line->to, r)) /* in what, may be nothing that can be recorded */
		return true;
	next_command_run(line->to, r, more,
			 p->looks || p->groups & SCP_GROUP_WAIT
				 ? " -s 'pthread_cond_*wait,*sleep,sig*wait*,sigsuspend,wait*'"
				 : "");
	return true;
}

/* One thread's waiting is told by the rows: by thread they would be the same. */
static bool waiting(struct line *line, struct report *r)
{
	const struct report_threads_time *t = programs_time(r);
	double share = t->known		? t->asleep_in_calls_s / elsewhere_time_s(r)
		       : r->time_ns > 0 ? r->waiting_ns / r->time_ns
					: 0;

	if (!(share >= MOST_OF_TIME) || r->by == REPORT_BY_THREAD || r->all_threads < 2)
		return false;
	put_share(line, r, share, "waiting; by thread");
	begin_command(line);
	next_command_report(line->to, r, " --by thread");
	return true;
}

/* A command that works until it is done, no server. */
static bool waits_little(const struct report *r)
{
	const char *mostly = threads_time_mostly(programs_time(r));

	return r->asked && mostly && strcmp(mostly, "waits") != 0;
}

static bool wide(struct line *line, struct report *r)
{
	const struct report_site *s = find_wide(r);

	if (!s)
		return false;
	double times = ceil(calls_needed(s));
	/* Another run of it has as many calls as this one. */
	bool ends = (waits_little(r) || filters_text(r->profile, "until=", NULL)) && r->asked &&
		    !r->asked->attached.known;
	char option[32];

	if (ends && times > MOST_RUNS)
		return false;
	fprintf(line->to, "The interval of %s is wide, %.0f times as many calls would do",
		r->profile->function[s->function].name, times);
	begin_command(line);
	snprintf(option, sizeof(option), " --runs %.0f", times);
	next_command_run(line->to, r, 0, ends ? option : " --until 5%");
	return true;
}

/* Nobody counted the calls of groups that were off. */
static bool nothing(struct line *line, struct report *r)
{
	const struct profile *p = r->profile;

	if (r->next_steps || r->calls || p->looks || !(SCP_GROUP_ALL & ~p->groups))
		return false;
	fputs("`-g all` may record some calls", line->to);
	begin_command(line);
	next_command_run(line->to, r, SCP_GROUP_ALL, "");
	return true;
}

static bool otherwise(struct line *line, struct report *r)
{
	if (r->next_steps || !r->calls || line->page)
		return false;
	fputs("The same as a page for a browser", line->to);
	begin_command(line);
	next_command_report(line->to, r, " -o report.html");
	return true;
}

static step *const steps[] = {mostly_computing, elsewhere, not_recorded, waiting, wide,
			      also_computing,	nothing,   otherwise};

static void add(struct report *r, step *say, bool page)
{
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	struct line line = {memory.to, 0, page};
	bool said = line.to && say(&line, r);
	char *text = utf8_memory_end(&memory);

	if (!said || !text) {
		free(text);
		return;
	}
	r->next_command[r->next_steps] = line.command;
	r->next_step[r->next_steps++] = text;
}

void next_steps_fill(struct report *r, bool page)
{
	if (verdict_hung(r)) /* it says what helps */
		return;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r->next_steps < NEXT_STEPS; i++)
		add(r, steps[i], page);
}

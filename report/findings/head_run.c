// SPDX-License-Identifier: GPL-3.0-or-later
/* What ran, since when and for how long, how it ended, and what of it was left out. */
#include "report/findings/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

void head_put_of(const struct head *f, const char *name, char *raw)
{
	if (raw)
		f->sink(f->to, name, raw);
	free(raw);
}

/* Were processes that ran recorded, all of them without pauses? */
static bool is_attached(const struct report *r)
{
	bool all = r->processes && r->profile->windows <= 1;

	for (uint32_t i = 0; i < r->processes; i++)
		all = all && r->profile->process[i].attached.known;
	return all;
}

/* A title that one of several gave itself, such as "postgres: checkpointer", says nothing of the
 * others, unless they are its children. */
static bool has_own_title(const struct report *r, const struct prof_process *p)
{
	bool differs = false;

	for (const struct prof_process *q = r->profile->process;
	     q < r->profile->process + r->processes; q++) {
		if (q->ppid == p->pid)
			return false;
		differs |= !strcmp(q->program, p->program) && q->argc && p->argc &&
			   strcmp(q->argv[0], p->argv[0]) != 0;
	}
	return differs && is_attached(r);
}

static void put_words(FILE *to, const struct prof_process *p)
{
	for (uint32_t i = 0; i < p->argc; i++)
		/* An argument with a blank in it must not look like two. */
		fprintf(to,
			p->argv[i][strcspn(p->argv[i], " \t\n")] || !p->argv[i][0] ? "%s'%s'"
										   : "%s%s",
			i ? " " : "", p->argv[i]);
}

char *report_head_command(const struct report *r)
{
	const struct prof_process *p = r->asked;
	bool many = r->runs > 1 && r->programs > 1;
	struct utf8_memory memory;

	utf8_memory_begin(&memory);
	if (memory.to && many)
		fprintf(memory.to, "%" PRIu32 " programs, %" PRIu32 " runs", r->programs, r->runs);
	else if (memory.to && p && (!p->argc || has_own_title(r, p)))
		fputs(p->argc ? p->program : p->exe, memory.to);
	else if (memory.to && p)
		put_words(memory.to, p);
	return utf8_memory_end(&memory);
}

static const char *end_of_one(const struct report *r, char *out, size_t room)
{
	const struct prof_process *p = r->first;

	process_end_describe(p, out, room);
	if (process_end_is_open(p) && r->profile->losses.stopped)
		snprintf(out, room, "end not recorded");
	else if (p->end.seen == SCP_END_UNSEEN && process_end_runs_now(p))
		snprintf(out, room, "still running");
	return out;
}

/* "" where no run saw the command end. */
static const char *end_of_many(const struct report *r, char *out, size_t room)
{
	const struct prof_process *p = process_end_of_command(r);
	char words[64];

	process_end_describe(p, words, sizeof(words));
	snprintf(out, room, "%s%s", p->end.seen >= SCP_END_STATUS ? "; the command: " : "",
		 p->end.seen >= SCP_END_STATUS ? words : "");
	return out;
}

static void describe_instant(char *out, size_t room, const char *format, uint64_t real_ns)
{
	time_t s = (time_t)(real_ns / 1000000000u);
	struct tm tm;

	*out = '\0';
	if (real_ns && localtime_r(&s, &tm) && !strftime(out, room, format, &tm))
		*out = '\0';
}

/* Before a time that a process was there or recorded: nobody may have seen its end. */
static const char *at_least(const struct prof_process *p)
{
	return p->end_state != SCP_END_RUNNING || p->end.seen >= SCP_END_STATUS ? "" : "at least ";
}

/* "2.005 s, from 2026-11-23 04:14:12 to 04:14:14; runs since 2026-11-22 17:01:12" */
static void put_attached_run(const struct head *f)
{
	const struct report *r = f->report;
	const struct prof_process *p = r->first;
	bool paused = r->profile->flags & SCP_FILE_WINDOWS;
	double wall_ns = r->wall_s > 0 ? r->wall_s * 1e9 : 0,
	       ns = paused ? (double)r->profile->recorded_ns : wall_ns;
	uint64_t end = r->start_real_ns ? r->start_real_ns + (uint64_t)fmin(wall_ns, 1e18) : 0;
	uint64_t from = ns <= (double)end ? end - (uint64_t)ns : 0;
	char when[48], until[32], since[64] = "", ended[80], inner[48] = "";
	uint32_t pid = symbolize_pid(p);

	describe_instant(when, sizeof(when), ", from %Y-%m-%d %H:%M:%S", from);
	describe_instant(until, sizeof(until), " to %H:%M:%S", *at_least(p) ? 0 : end);
	if (p->attached.ran_ns && p->attached.ran_ns < r->start_real_ns)
		describe_instant(since, sizeof(since), "; it runs since %Y-%m-%d %H:%M:%S",
				 r->start_real_ns - p->attached.ran_ns);
	if (pid != p->pid)
		snprintf(inner, sizeof(inner), " (%" PRIu32 " in its container)", p->pid);
	head_put(f, "process", "%" PRIu32 "%s, recorded for %s%s%s%s%s%s%s", pid, inner,
		 at_least(p), numbered_duration(ns, f->utf8).text, when, until,
		 report_names_is_detached(p) ? "" : "; ",
		 report_names_is_detached(p) ? "" : end_of_one(r, ended, sizeof(ended)), since);
}

static void put_run(const struct head *f)
{
	const struct report *r = f->report;
	const struct prof_process *p = r->first;
	char when[48], groups[32] = "", end[80], runs[48] = "";
	struct numbered wall = numbered_duration(r->wall_s * 1e9, f->utf8);
	uint64_t count = r->all_processes;

	if (count == 1 && is_attached(r)) {
		put_attached_run(f);
		return;
	}
	describe_instant(when, sizeof(when), ", from %Y-%m-%d %H:%M:%S", r->start_real_ns);
	if (count > r->processes)
		snprintf(groups, sizeof(groups), " in %" PRIu32 " group%s", r->processes,
			 r->processes == 1 ? "" : "s");
	if (r->runs > 1)
		snprintf(runs, sizeof(runs), "of %" PRIu32 " runs, in all ", r->runs);
	if (attach_summary_is_again(r->profile))
		head_put(f, "process", "%" PRIu32 ", recorded %" PRIu64 " times, in all %s%s",
			 symbolize_pid(p), count, wall.text, when);
	else if (count > 1)
		head_put(f, "processes", "%" PRIu64 "%s, the first is %" PRIu32 "%s; %s %s%s%s",
			 count, groups, p->pid, end_of_many(r, end, sizeof(end)),
			 is_attached(r) && r->runs < 2 ? "recorded for" : "wall time", runs,
			 wall.text, when);
	else
		head_put(f, "process", "%" PRIu32 ", %s; wall time %s%s%s", p->pid,
			 end_of_one(r, end, sizeof(end)), isnan(r->wall_s) ? "" : at_least(p),
			 wall.text, when);
}

/* Those of one run, or of several that have nothing to do with one another. */
static void put_programs(const struct head *f)
{
	const struct report *r = f->report;
	char of[48] = "", has[96] = "";
	uint32_t shown = programs_shown(r);

	if (r->programs < 2)
		return;
	if (r->apart && shown == 1)
		snprintf(has, sizeof(has), "; the time is that of %.40s", r->program[0].name);
	if (r->runs > 1)
		snprintf(of, sizeof(of), "%" PRIu32 " profile%s of ", r->profiles,
			 r->profiles == 1 ? "" : "s");
	head_put(f, "programs", "%s%" PRIu32 " programs, %s%s", of, r->programs,
		 r->apart ? "reported apart; --together pools them" : "added up together", has);
}

/* What the profile leaves out: a reader must see it before any count or rate. */
static void put_filters(const struct head *f)
{
	const struct profile *p = f->report->profile;
	uint64_t calls = p->below.left_out_calls;
	char *words = filter_summary_describe(p);

	/* The last two clauses leave nothing out. */
	if (words && (!strncmp(words, "until", 5) || !strncmp(words, "begun", 5)))
		head_put(f, "recorded", "%s", words);
	else if (words)
		head_put(f, "filters", "%s: all else is left out%s%s%s", words,
			 calls ? ", of it " : "", calls ? numbered_count(calls).text : "",
			 calls ? " recorded calls" : "");
	free(words);
	if (!(p->flags & SCP_FILE_WINDOWS) || is_attached(f->report))
		return;
	head_put(f, "recorded", "%s of the %s that the %s, %s; begun %" PRIu32 " time%s",
		 numbered_duration((double)p->recorded_ns, f->utf8).text,
		 numbered_duration((double)p->recorded_of_ns, f->utf8).text,
		 f->report->processes > 1 ? "processes lived together" : "process lived",
		 numbered_share(filter_summary_recorded_share(p)).text, p->windows,
		 p->windows == 1 ? "" : "s");
}

void report_head_run(const struct head *f)
{
	char *attached = attach_summary_describe(f->report->profile, f->utf8);

	if (f->report->first)
		put_run(f);
	if (attached)
		head_put(f, "attached", "%s", attached);
	free(attached);
	put_programs(f);
	put_filters(f);
}

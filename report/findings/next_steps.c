// SPDX-License-Identifier: GPL-3.0-or-later
/* A table of conditions and sentences, in the order of their use to a reader: what keeps the report
 * from being an answer comes first. */
#include "report/findings/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/wording/numbers.h"

#define MOST_OF_TIME   0.5  /* of the threads' time: what dominates */
#define MUCH_ELSEWHERE 0.1  /* of it, in a group that was off */
#define ROW_MATTERS    0.05 /* of the calls' time, as for run --until */
#define LEAST_OF_ALL   0.01 /* and of the threads' time */
#define WIDE	       0.1  /* half an interval over its mean */
#define FEWEST	       30   /* calls: fewer will not be many in a longer run */

static bool matters(const struct report *r, const struct report_site *s)
{
	return !s->waits && s->share >= ROW_MATTERS && s->total_ns >= LEAST_OF_ALL * r->time_ns;
}

static bool is_wide(const struct report_site *s)
{
	const struct mean_interval *e = &s->estimate;

	return s->calls >= FEWEST && !s->overflow &&
	       (!(e->mean > 0) || !(fmax(e->high - e->mean, e->mean - e->low) <= WIDE * e->mean));
}

/* The first kept row that matters and has a wide interval. NULL: none. */
static const struct report_site *find_wide(const struct report *r)
{
	for (uint32_t i = report_next_filled(r, 0); i < r->sites; i = report_next_filled(r, i + 1))
		if (matters(r, &r->site[i]) && is_wide(&r->site[i]))
			return &r->site[i];
	return NULL;
}

static double all_states_s(const struct report_threads_time *t)
{
	return t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s + t->runnable_s +
	       t->asleep_in_calls_s + t->not_recorded_s;
}

/* A sentence, then where its command begins. */
struct line {
	FILE *to;
	uint32_t command;
};

static void begin_command(struct line *line)
{
	fputs(": ", line->to);
	fflush(line->to);
	line->command = (uint32_t)ftell(line->to);
}

/* Each writes its line if it has something to say. */
typedef bool step(struct line *line, const struct report *r);

/* What is off and would record much; without any calls, whatever it is. */
static const struct report_elsewhere *worth_recording(const struct report *r)
{
	const struct report_elsewhere *e = r->elsewheres ? &r->elsewhere[0] : NULL;

	return e && (e->share >= MUCH_ELSEWHERE || (!r->calls && e->calls)) ? e : NULL;
}

static bool elsewhere(struct line *line, const struct report *r)
{
	const struct report_elsewhere *e = worth_recording(r);

	if (!e)
		return false;
	fprintf(line->to, "`-g %s` would record ", e->group);
	if (e->share >= MUCH_ELSEWHERE)
		fprintf(line->to, "%s %% of the time", numbered_digits(100 * e->share, 2).text);
	else
		fprintf(line->to, "%s call%s", numbered_count(e->calls).text,
			e->calls == 1 ? "" : "s");
	begin_command(line);
	next_command_run(line->to, r, e->mask, "");
	return true;
}

/* One thread's waiting is told by the rows: by thread they would be the same. */
static bool has_threads(const struct report *r)
{
	uint64_t threads = 0;

	for (uint32_t i = 0; i < r->threads; i++)
		threads += r->thread[i].threads;
	return threads > 1;
}

/* Waiting that no group that was off would record, either: locks and sleeping are in none. */
static bool not_recorded(struct line *line, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double left = t->known ? t->not_recorded_s : 0, share;
	uint32_t more = r->profile->looks ? 0 : SCP_GROUP_ALL;

	for (uint32_t i = 0; i < r->elsewheres; i++)
		left -= r->elsewhere[i].waiting_s;
	share = t->known ? left / all_states_s(t) : 0;
	if (!(share >= MOST_OF_TIME))
		return false;
	fprintf(line->to, "%s of the time is waiting that was not recorded",
		numbered_share(share).text);
	begin_command(line);
	next_command_run(line->to, r, more,
			 r->profile->looks || r->profile->groups & SCP_GROUP_WAIT
				 ? " -s 'pthread_cond_*wait,*nanosleep'"
				 : "");
	return true;
}

static bool waiting(struct line *line, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double share = t->known		? t->asleep_in_calls_s / all_states_s(t)
		       : r->time_ns > 0 ? r->waiting_ns / r->time_ns
					: 0;

	if (!(share >= MOST_OF_TIME) || r->by == REPORT_BY_THREAD || !has_threads(r))
		return false;
	fprintf(line->to, "%s of the time is waiting; by thread",
		numbered_share(fmin(share, 1)).text);
	begin_command(line);
	next_command_report(line->to, r, " --by thread");
	return true;
}

static bool wide(struct line *line, const struct report *r)
{
	const struct report_site *s = find_wide(r);

	if (!s)
		return false;
	fprintf(line->to, "The interval of %s is wide", r->profile->function[s->function].name);
	begin_command(line);
	next_command_run(line->to, r, 0, " --until 5%");
	return true;
}

static bool computing(struct line *line, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double share = t->known ? t->cpu_outside_s / all_states_s(t) : 0;

	if (!(share >= MOST_OF_TIME))
		return false;
	fprintf(line->to, "%s of the time is computing outside of calls",
		numbered_share(fmin(share, 1)).text);
	begin_command(line);
	fputs("perf record -g -- ", line->to);
	next_command_program(line->to, r);
	return true;
}

static bool otherwise(struct line *line, const struct report *r)
{
	fputs("The same as a page for a browser", line->to);
	begin_command(line);
	next_command_report(line->to, r, " -o report.html");
	return true;
}

static step *const steps[] = {elsewhere, not_recorded, waiting, computing, wide};

static bool add(struct report *r, step *say)
{
	char *text = NULL;
	size_t bytes;
	struct line line = {open_memstream(&text, &bytes), 0};
	bool said = line.to && say(&line, r);

	if ((line.to && fclose(line.to) == EOF) || !said) {
		free(text);
		return false;
	}
	r->next_command[r->next_steps] = line.command;
	r->next_step[r->next_steps++] = text;
	return true;
}

void next_steps_fill(struct report *r)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r->next_steps < NEXT_STEPS; i++)
		add(r, steps[i]);
	if (!r->next_steps && r->calls)
		add(r, otherwise);
}

void next_steps_free(struct report *r)
{
	for (uint32_t i = 0; i < r->next_steps; i++)
		free(r->next_step[i]);
}

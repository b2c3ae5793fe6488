// SPDX-License-Identifier: GPL-3.0-or-later
/* A table of conditions and sentences, in the order of their use to a reader: what keeps the report
 * from being an answer comes first. */
#include "report/model/next_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"

#define MOST_OF_TIME 0.5  /* of the threads' time: what dominates */
#define ROW_MATTERS  0.05 /* of the calls' time, as for run --until */
#define LEAST_OF_ALL 0.01 /* and of the threads' time */
#define WIDE	     0.1  /* half an interval over its mean */
#define FEWEST	     30	  /* calls: fewer will not be many in a longer run */
#define LONGEST_LINE 100  /* bytes of a command that is written out */

static bool matters(const struct report *r, const struct report_site *s)
{
	return !s->waits && s->share >= ROW_MATTERS && s->total_ns >= LEAST_OF_ALL * r->time_ns;
}

/* The first kept row that matters and for which `found` holds; NULL: none. */
static const struct report_site *find_row(const struct report *r,
					  bool (*found)(const struct report_site *s))
{
	for (uint32_t i = report_next_filled(r, 0); i < r->sites; i = report_next_filled(r, i + 1))
		if (matters(r, &r->site[i]) && found(&r->site[i]))
			return &r->site[i];
	return NULL;
}

static bool is_wide(const struct report_site *s)
{
	const struct mean_interval *e = &s->estimate;

	return s->calls >= FEWEST && !s->overflow &&
	       (!(e->mean > 0) || !(fmax(e->high - e->mean, e->mean - e->low) <= WIDE * e->mean));
}

static bool is_tailed(const struct report_site *s)
{
	return s->estimate.unreliable & STATS_HEAVY_TAIL || s->findings & REPORT_OUTLIERS;
}

static bool is_bimodal(const struct report_site *s)
{
	return s->findings & REPORT_TWO_MODES;
}

static void put_word(FILE *to, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=:,./@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
	fputc('\'', to);
}

/* As a shell reads it; a long one has a name instead. */
static void put_command(FILE *to, const struct report *r)
{
	const struct prof_process *p = r->first;
	size_t bytes = 0;

	for (uint32_t i = 0; p && i < p->argc; i++)
		bytes += strlen(p->argv[i]) + 1;
	if (!bytes || bytes > LONGEST_LINE) {
		fputs("COMMAND", to);
		return;
	}
	for (uint32_t i = 0; i < p->argc; i++) {
		fputs(i ? " " : "", to);
		put_word(to, p->argv[i]);
	}
}

static void put_profile(FILE *to, const struct report *r)
{
	const char *file = r->profile_name;

	if (!file && r->first)
		file = r->first->file;
	for (uint32_t i = 0; file && !r->profile_name && i < r->processes; i++)
		if (!r->profile->process[i].file || strcmp(r->profile->process[i].file, file))
			file = NULL;
	if (file && strlen(file) <= LONGEST_LINE)
		put_word(to, file);
	else
		fputs("PROFILE...", to);
}

static void put_function(FILE *to, const struct report *r, const struct report_site *s)
{
	fputs(r->profile->function[s->function].name, to);
}

static void put_percent(FILE *to, double share)
{
	char words[32];

	numbers_share(words, sizeof(words), share);
	fputs(words, to);
}

static double all_states_s(const struct report_threads_time *t)
{
	return t->cpu_in_calls_s + t->cpu_outside_s + t->recording_s + t->runnable_s +
	       t->asleep_in_calls_s + t->not_recorded_s;
}

/* Each writes its sentence if it has something to say. */
typedef bool step(FILE *to, const struct report *r);

static bool not_recorded(FILE *to, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double share = t->known ? t->not_recorded_s / all_states_s(t) : 0;

	if (!(share >= MOST_OF_TIME))
		return false;
	put_percent(to, share);
	fputs(" of the time went to waiting in functions that were not recorded. Record them: "
	      "scprof run -g all ",
	      to);
	if (r->profile->groups & SCP_GROUP_WAIT)
		fputs("-s 'pthread_cond_*wait,*nanosleep' ", to);
	fputs("-- ", to);
	put_command(to, r);
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

static bool waiting(FILE *to, const struct report *r)
{
	double share = r->time_ns > 0 ? r->waiting_ns / r->time_ns : 0;

	if (!(share >= MOST_OF_TIME) || r->by == REPORT_BY_THREAD || !has_threads(r))
		return false;
	put_percent(to, fmin(share, 1));
	fputs(" of the time is waiting. See which threads wait, and which work: scprof report --by "
	      "thread ",
	      to);
	put_profile(to, r);
	return true;
}

static bool wide(FILE *to, const struct report *r)
{
	const struct report_site *s = find_row(r, is_wide);

	if (!s)
		return false;
	fputs("The interval of ", to);
	put_function(to, r, s);
	fputs(" is wide. Let it work for longer, until 5 %: scprof run --until 5% -- ", to);
	put_command(to, r);
	return true;
}

static bool computing(FILE *to, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double share = t->known ? t->cpu_outside_s / all_states_s(t) : 0;

	if (!(share >= MOST_OF_TIME))
		return false;
	put_percent(to, fmin(share, 1));
	fputs(" of the time is computing outside of the calls. A sampling profiler shows where: "
	      "perf record -g -- ",
	      to);
	put_command(to, r);
	return true;
}

static bool tailed(FILE *to, const struct report *r)
{
	const struct report_site *s = r->slowests ? NULL : find_row(r, is_tailed);

	if (!s)
		return false;
	fputs("A few long calls make up much of ", to);
	put_function(to, r, s);
	fputs(". See them one by one: scprof run --slowest 20 --slowest-of ", to);
	put_word(to, r->profile->function[s->function].name);
	fputs(" -- ", to);
	put_command(to, r);
	return true;
}

static bool bimodal(FILE *to, const struct report *r)
{
	const struct report_site *s = find_row(r, is_bimodal);

	if (!s)
		return false;
	fputs("Calls of ", to);
	put_function(to, r, s);
	fputs(" are of two kinds. ", to);
	if (r->by == REPORT_BY_FUNCTION || r->by == REPORT_BY_SITE)
		fputs("Call paths may tell them apart: scprof report --by path ", to);
	else
		fputs("The page shows their histogram: scprof report --format html -o report.html ",
		      to);
	put_profile(to, r);
	return true;
}

static bool otherwise(FILE *to, const struct report *r)
{
	fputs("The same as a page for a browser: scprof report --format html -o report.html ", to);
	put_profile(to, r);
	return true;
}

static step *const steps[] = {not_recorded, waiting, computing, wide, tailed, bimodal};

static bool add(struct report *r, step *say)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&text, &bytes);
	bool said = memory && say(memory, r);

	if ((memory && fclose(memory) == EOF) || !said) {
		free(text);
		return false;
	}
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

// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the threads' time went: a bar, and shares that add up to 100 %. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/findings/findings.h"
#include "report/model/model.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define PARTS	 6
#define INDENT	 13
#define BAR_MOST 40

/* A sum that is off by more than this is no reason to print tenths of a percent. */
#define EXACT 0.01

struct part {
	double s;
	const char *utf8, *ascii; /* in the bar */
	const char *label;
};

struct time_line {
	struct part part[PARTS];
	size_t parts;
	double all_s;
	bool about;
	struct words waits;
};

static void add(struct time_line *l, double s, const char *utf8, const char *ascii,
		const char *label)
{
	l->part[l->parts] = (struct part){fmax(s, 0), utf8, ascii, label};
	l->all_s += l->part[l->parts++].s;
}

static double waited_ns(const struct report_site *s, bool only_waits)
{
	if (s->waits)
		return s->total_ns;
	return only_waits || !s->states.known || !(s->states.asleep.mean > 0)
		       ? 0
		       : s->states.asleep.mean * (double)s->calls;
}

/* "waiting in epoll_wait, recv": the functions that waited longest. */
static struct words name_waits(const struct report *r, bool only_waits)
{
	double *ns = calloc((size_t)r->profile->functions + 1, sizeof(*ns)), all = 0;
	struct words to = {"waiting in calls"};

	for (const struct report_site *s = NULL; ns && (s = report_next_site(r, s));) {
		double waited = waited_ns(s, only_waits);

		ns[s->function] += waited;
		all += waited;
	}
	for (int named = 0; ns && all > 0 && named < 2; named++) {
		uint32_t best = 0;

		for (uint32_t f = 1; f < r->profile->functions; f++)
			best = ns[f] > ns[best] ? f : best;
		if (!(ns[best] > 0.01 * all))
			break;
		if (!named)
			to = (struct words){"waiting in "};
		numbers_append(&to, "%s%.40s", named ? ", " : "", r->profile->function[best].name);
		ns[best] = 0;
	}
	free(ns);
	return to;
}

static void fill_states(struct time_line *l, const struct report *r)
{
	const struct report_threads_time *t = &r->threads_time;
	double part[TIME_PARTS];
	double off = threads_time_difference(r);

	l->about = !(fabs(off) <= EXACT) && t->estimated_s > EXACT * r->time_ns / 1e9;
	l->waits = name_waits(r, false);
	threads_time_parts(r, t, part);
	add(l, part[TIME_IN_CALLS], "█", "#", "on a CPU in calls");
	add(l, part[TIME_OUTSIDE], "▓", "=", "on a CPU outside of calls");
	add(l, part[TIME_RECORDING], "▞", "%", "recording by scprof");
	add(l, part[TIME_RUNNABLE], "▒", "+", "runnable: waited for a CPU");
	add(l, part[TIME_ASLEEP_IN_CALLS], "░", "-", l->waits.text);
	add(l, part[TIME_NOT_RECORDED], "·", ".", "waiting, not recorded");
}

static void fill_calls(struct time_line *l, const struct report *r)
{
	const struct threads_cpu of = threads_time_by_calls(r);

	l->waits = name_waits(r, true);
	add(l, of.in_calls_s, "█", "#", "in calls that work");
	add(l, of.outside_s, "▓", "=", "between calls, or not recorded");
	add(l, of.recording_s, "▞", "%", "recording by scprof");
	add(l, fmin(r->waiting_ns, r->calls_ns - r->nested_ns) / 1e9, "░", "-", l->waits.text);
}

static const char *sign_of(const struct text *t, const struct part *p)
{
	return t->terminal.utf8 ? p->utf8 : p->ascii;
}

static void print_bar(struct text *t, const struct time_line *l, const int32_t *cells)
{
	for (size_t i = 0; i < l->parts; i++)
		for (int32_t k = 0; k < cells[i]; k++)
			fputs(sign_of(t, &l->part[i]), t->out);
	fputs("  ", t->out);
}

static void print_whole(struct text *t, const struct time_line *l, size_t bar)
{
	const struct report *r = t->report;
	bool utf8 = t->terminal.utf8, cpu = r->profile->clock.kind == SCP_CLOCK_THREAD_CPU;
	char line[256], about[96] = "";

	if (l->about)
		snprintf(about, sizeof(about), "; roughly: the check is %s off",
			 numbered_share(fabs(threads_time_difference(r))).text);
	snprintf(line, sizeof(line), "%s%s of %" PRIu64 " thread%s%s",
		 numbered_duration(r->time_ns, utf8).text, cpu ? " of CPU time" : "",
		 r->all_threads, r->all_threads == 1 ? "" : "s", about);
	text_cell_wrap(t, line, INDENT + 2 + bar, INDENT);
}

/* "12.3 % waiting in recv", clean. */
static char *part_words(const struct text *t, const struct time_line *l, size_t i, int32_t permille)
{
	struct numbered share =
		l->about ? numbered_text("%" PRId32 " %%", permille) : numbered_permille(permille);

	return utf8_cleaned(utf8_text("%s %s", share.text, l->part[i].label), t->terminal.utf8);
}

/* As many on a line as fit; none is broken at a line's end unless a line is too short for it. */
static void print_parts(struct text *t, const struct time_line *l, const int32_t *permille)
{
	size_t at = 0;

	for (size_t i = 0; i < l->parts; i++) {
		char *words = permille[i] ? part_words(t, l, i, permille[i]) : NULL;
		size_t width = words ? utf8_width(words) : 0;

		if (!words)
			continue;
		if (at && at + 5 + width > t->terminal.width) {
			fputc('\n', t->out);
			at = 0;
		}
		fprintf(t->out, "%*s%s ", at ? 3 : INDENT, "", sign_of(t, &l->part[i]));
		at += (at ? 3 : INDENT) + 2;
		if (at + width > t->terminal.width) {
			text_cell_wrap(t, words, at, INDENT);
			at = 0;
		} else {
			fputs(words, t->out);
			at += width;
		}
		free(words);
	}
	if (at)
		fputc('\n', t->out);
}

void text_time(struct text *t)
{
	struct time_line l = {0};
	size_t third = t->terminal.width / 3, bar = third < BAR_MOST ? third : BAR_MOST;
	double part[PARTS];
	int32_t share[PARTS], cells[PARTS];

	if (!t->report->first)
		return;
	if (t->report->threads_time.known)
		fill_states(&l, t->report);
	else
		fill_calls(&l, t->report);
	for (size_t i = 0; i < l.parts; i++)
		part[i] = l.part[i].s;
	if (!(l.all_s > 0))
		text_cell_fact(t, "time", "%s", verdict_of(t->report).text);
	/* Neither shares nor cells of the bar are one too few or too many. */
	if (!(l.all_s > 0) || numbers_percentages(part, l.parts, l.about ? 100 : 1000, share) < 0 ||
	    numbers_percentages(part, l.parts, (int32_t)bar, cells) < 0)
		return;
	terminal_print(t->out, &t->terminal, TERMINAL_DIM, "  %-10s ", "time");
	print_bar(t, &l, cells);
	print_whole(t, &l, bar);
	print_parts(t, &l, share);
	text_cell_fact(t, "", "%s", verdict_of(t->report).text);
}

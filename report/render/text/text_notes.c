// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the time of a row's calls went, and what a call takes that keeps its CPU. */
#include "report/render/text/text.h"

#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/model/sites.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define WIDE_SHARE 0.5 /* an interval of a share that says little */
#define LEAST_NS   100 /* that a call takes */

/* Calls that kept their CPU had it all the time, and none had more than their threads. Where a few
 * readings, or a warm-up that is not in the mean, leave most of the share open, its limit is what
 * is known; a share in which no call could begin and end is an error of them. */
struct numbered text_notes_states_cpu(const struct report_site *s)
{
	const struct report_states *states = &s->states;
	double all = s->estimate.mean, share = numbers_share(states->on_cpu.mean, all),
	       kept = numbers_share((1 - states->switched_share) * states->unswitched.mean, all),
	       low = numbers_share(states->on_cpu.low, all),
	       most = numbers_share(states->most_on_cpu_ns, all),
	       aside = s->total_ns > 0 ? numbers_share(s->set_aside_ns, s->total_ns) : 0,
	       high = fmin(numbers_share(states->on_cpu.high, all), most);

	if (!states->known || isnan(share))
		return (struct numbered){""};
	share = fmin(fmax(share, kept), most);
	low = fmin(fmax(low, kept), most) * (1 - aside);
	high = high * (1 - aside) + aside;
	bool wide = isfinite(states->on_cpu.high) && high - low > WIDE_SHARE;
	if (wide && low >= 0.005)
		return numbered_text("> %.0f %%", 100 * low);
	if (wide && high < 0.995)
		return numbered_text("< %.0f %%", 100 * high);
	if (wide || (share < 0.005 && 0.005 * all < LEAST_NS))
		return numbered_text("?");
	return numbered_text("%.0f %%", 100 * share);
}

static void note_shares(struct text *t, struct table *table, const struct report_states *s)
{
	double all = s->on_cpu.mean + s->runnable.mean + s->asleep.mean;
	bool doubts = s->on_cpu.unreliable | s->runnable.unreliable | s->asleep.unreliable;

	if (isnan(all))
		table_note(table,
			   "% some calls lost their CPU or slept; for how long was not measured");
	else
		text_cell_note(t, table, "%% %son CPU %s, runnable %s, asleep %s",
			       doubts ? "about: " : "",
			       numbered_share(numbers_share(s->on_cpu.mean, all)).text,
			       numbered_share(numbers_share(s->runnable.mean, all)).text,
			       numbered_share(numbers_share(s->asleep.mean, all)).text);
}

/* The mean of the others hides it. */
static void note_unswitched(struct text *t, struct table *table, const struct report_site *s)
{
	const struct mean_interval *m = &s->states.unswitched;
	double switched = s->states.switched_share;

	if (isnan(m->mean) || !(s->estimate.mean < m->low || s->estimate.mean > m->high))
		return;
	struct number_mean shown = numbers_mean(m->mean, m->low, m->high, t->terminal.utf8);
	text_cell_note(t, table, "%% %s of the calls kept their CPU: mean %s %s %s",
		       switched < 0.0005 ? "> 99.9 %" : numbered_share(1 - switched).text,
		       shown.mean, shown.unit, shown.interval);
}

void text_notes_states_notes(struct text *t, struct table *table, const struct report_site *s)
{
	if (s->states.known && s->states.switched_calls) {
		note_shares(t, table, &s->states);
		note_unswitched(t, table, s);
	}
}

struct numbered text_notes_states_call(const struct report_slowest *s)
{
	double cpu = s->duration_ns - s->runnable_ns - s->asleep_ns;
	double most = fmax(fmax(cpu, s->runnable_ns), s->asleep_ns);
	bool read = s->state == SCP_SLOWEST_READ;

	if (s->state == SCP_SLOWEST_UNKNOWN || s->state > SCP_SLOWEST_READ ||
	    (read && !(s->duration_ns > 0)))
		return (struct numbered){""};
	if (!read)
		return numbered_text(s->state == SCP_SLOWEST_RAN ? "on CPU" : "switched");
	return numbered_text("%s %.0f %%",
			     most == cpu	      ? "on CPU"
			     : most == s->runnable_ns ? "runnable"
						      : "asleep",
			     100 * numbers_share(most, s->duration_ns));
}

/* What the mean of a row hides: warm-up, a slow first call, drift, two modes, outliers. */

struct notes {
	bool utf8;
	text_notes_steady_sink *sink;
	void *to;
};

static void note_of(const struct notes *n, char *line)
{
	n->sink(n->to, line);
	free(line);
}
#define note(n, ...) note_of(n, utf8_text(__VA_ARGS__))

static void note_warmup(const struct notes *n, const struct report_steadiness *s)
{
	note(n, "warm-up: first %s call%s %s each, %s", numbered_count(s->warmup_calls).text,
	     s->warmup_calls > 1 ? "s" : "", numbered_duration(s->warmup_ns, n->utf8).text,
	     s->warmup_aside ? "not in the mean" : "in the mean");
}

static void note_first(const struct notes *n, const struct report_steadiness *s)
{
	note(n, "first call %s, %s times the others' mean",
	     numbered_duration(s->first_ns, n->utf8).text, numbered_digits(s->first_ratio, 3).text);
}

static void note_drift(const struct notes *n, const struct report_steadiness *s)
{
	struct numbered begin = numbered_duration(s->begin_ns, n->utf8),
			end = numbered_duration(s->end_ns, n->utf8);

	if (s->drift == STATS_TREND)
		note(n, "drift: from %s to %s over the run (%+.0f %%)", begin.text, end.text,
		     100 * s->change);
	else
		note(n, "step: %s before, %s after %s of the calls (%+.0f %%)", begin.text,
		     end.text, numbered_share(s->step_at).text, 100 * s->change);
}

static void note_modes(const struct notes *n, const struct report_steadiness *s)
{
	note(n, "bimodal: %s about %s, %s about %s", numbered_share(s->mode_calls[0]).text,
	     numbered_duration(s->mode_ns[0], n->utf8).text, numbered_share(s->mode_calls[1]).text,
	     numbered_duration(s->mode_ns[1], n->utf8).text);
}

static void note_outliers(const struct notes *n, const struct report_steadiness *s)
{
	bool known = !isnan(s->longest_after_s);

	note(n, "%s call%s of %s or more: %s, %s of the time%s%s", numbered_count(s->outliers).text,
	     s->outliers > 1 ? "s" : "", numbered_duration(s->fence_ns, n->utf8).text,
	     numbered_duration(s->outlier_ns, n->utf8).text, numbered_share(s->outlier_time).text,
	     known ? "; longest after " : "",
	     known ? numbered_duration(s->longest_after_s * 1e9, n->utf8).text : "");
}

void text_notes_steady_lines(const struct report_site *s, bool utf8, text_notes_steady_sink *sink,
			     void *to)
{
	const struct notes n = {utf8, sink, to};

	if (s->findings & REPORT_WARM_UP)
		note_warmup(&n, &s->steadiness);
	if (s->findings & REPORT_FIRST_CALL)
		note_first(&n, &s->steadiness);
	if (s->findings & REPORT_DRIFT)
		note_drift(&n, &s->steadiness);
	if (s->findings & REPORT_TWO_MODES)
		note_modes(&n, &s->steadiness);
	if (s->findings & REPORT_OUTLIERS)
		note_outliers(&n, &s->steadiness);
	if (s->findings & REPORT_FEW_CALLS && s->share >= RELIABILITY_LEAST_SHARE)
		note(&n, "few calls: the interval takes them for independent");
	if (s->findings & REPORT_PYTHON_CUT)
		note(&n, "Python frames are missing here");
}

static void add_note(void *to, const char *line)
{
	struct table *table = to;
	char *marked = line ? utf8_text("~ %s", line) : NULL;

	if (marked)
		table_note(table, marked);
	else
		table->failed = true;
	free(marked);
}

void text_notes_steady_notes(const struct text *t, struct table *table, const struct report_site *s,
			     bool all)
{
	const struct notes n = {t->terminal.utf8, add_note, table};

	if (all)
		text_notes_steady_lines(s, n.utf8, add_note, table);
	else if (s->steadiness.warmup_aside)
		note_warmup(&n, &s->steadiness);
}

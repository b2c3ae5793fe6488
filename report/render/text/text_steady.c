// SPDX-License-Identifier: GPL-3.0-or-later
/* Notes under a row on what its mean hides: warm-up, a slow first call, drift, two modes,
 * outliers. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "report/model/reliability.h"
#include "report/model/states.h"
#include "report/wording/numbers.h"

/* Where the lines go. */
struct notes {
	bool utf8;
	text_steady_sink *sink;
	void *to;
};

__attribute__((format(printf, 2, 3))) static void note(const struct notes *n, const char *format,
						       ...)
{
	char *line;
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vasprintf(&line, format, args);
	va_end(args);
	n->sink(n->to, bytes < 0 ? NULL : line);
	if (bytes >= 0)
		free(line);
}

static void note_warmup(const struct notes *n, const struct report_steadiness *s)
{
	char calls[32], mean[32];

	numbers_count(calls, sizeof(calls), s->warmup_calls);
	numbers_duration(mean, sizeof(mean), s->warmup_ns, n->utf8);
	note(n, "warm-up: first %s call%s %s each, %s", calls, s->warmup_calls > 1 ? "s" : "", mean,
	     s->warmup_aside ? "not in the mean" : "in the mean");
}

static void note_first(const struct notes *n, const struct report_steadiness *s)
{
	char first[32], ratio[32];

	numbers_duration(first, sizeof(first), s->first_ns, n->utf8);
	numbers_significant(ratio, sizeof(ratio), s->first_ratio, 3);
	note(n, "first call %s, %s times the others' mean", first, ratio);
}

static void note_drift(const struct notes *n, const struct report_steadiness *s)
{
	char begin[32], end[32], at[32];

	numbers_duration(begin, sizeof(begin), s->begin_ns, n->utf8);
	numbers_duration(end, sizeof(end), s->end_ns, n->utf8);
	if (s->drift == STATS_TREND) {
		note(n, "drift: from %s to %s over the run (%+.0f %%)", begin, end,
		     100 * s->change);
		return;
	}
	numbers_share(at, sizeof(at), s->step_at);
	note(n, "step: %s before, %s after %s of the calls (%+.0f %%)", begin, end, at,
	     100 * s->change);
}

/* Where the modes are the calls that were switched and those that were not. */
static void note_kept(const struct notes *n, const struct report_site *s)
{
	const struct report_states *t = &s->states;
	char kept[32], lost[32], ns[2][32];

	numbers_share(kept, sizeof(kept), 1 - t->switched_share);
	numbers_share(lost, sizeof(lost), t->switched_share);
	numbers_duration(ns[0], sizeof(ns[0]), t->unswitched_median_ns, n->utf8);
	numbers_duration(ns[1], sizeof(ns[1]), t->switched_median_ns, n->utf8);
	note(n, "bimodal: %s kept their CPU: %s; %s did not: %s", kept, ns[0], lost, ns[1]);
}

static void note_modes(const struct notes *n, const struct report_steadiness *s)
{
	char ns[2][32], share[2][32];

	for (int i = 0; i < 2; i++) {
		numbers_duration(ns[i], sizeof(ns[i]), s->mode_ns[i], n->utf8);
		numbers_share(share[i], sizeof(share[i]), s->mode_calls[i]);
	}
	note(n, "bimodal: %s about %s, %s about %s", share[0], ns[0], share[1], ns[1]);
}

static void note_outliers(const struct notes *n, const struct report_steadiness *s)
{
	char calls[32], fence[32], took[32], time[32], when[48] = "", after[32];

	numbers_count(calls, sizeof(calls), s->outliers);
	numbers_duration(fence, sizeof(fence), s->fence_ns, n->utf8);
	numbers_duration(took, sizeof(took), s->outlier_ns, n->utf8);
	numbers_share(time, sizeof(time), s->outlier_time);
	if (!isnan(s->longest_after_s)) {
		numbers_duration(after, sizeof(after), s->longest_after_s * 1e9, n->utf8);
		snprintf(when, sizeof(when), "; longest after %s", after);
	}
	note(n, "%s call%s of %s or more: %s, %s of the time%s", calls, s->outliers > 1 ? "s" : "",
	     fence, took, time, when);
}

void text_steady_lines(const struct report_site *s, bool utf8, text_steady_sink *sink, void *to)
{
	const struct notes n = {utf8, sink, to};

	if (s->findings & REPORT_WARM_UP)
		note_warmup(&n, &s->steadiness);
	if (s->findings & REPORT_FIRST_CALL)
		note_first(&n, &s->steadiness);
	if (s->findings & REPORT_DRIFT)
		note_drift(&n, &s->steadiness);
	if (s->findings & REPORT_TWO_MODES && states_explain_modes(s))
		note_kept(&n, s);
	else if (s->findings & REPORT_TWO_MODES)
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
	char *marked = NULL;

	if (line && asprintf(&marked, "~ %s", line) >= 0)
		table_note(table, marked);
	else
		table->failed = true;
	free(marked);
}

void text_steady_aside(const struct text *t, struct table *table, const struct report_site *s)
{
	const struct notes n = {t->terminal.utf8, add_note, table};

	if (s->steadiness.warmup_aside)
		note_warmup(&n, &s->steadiness);
}

void text_steady_notes(const struct text *t, struct table *table, const struct report_site *s)
{
	text_steady_lines(s, t->terminal.utf8, add_note, table);
}

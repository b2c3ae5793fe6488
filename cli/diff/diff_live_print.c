// SPDX-License-Identifier: GPL-3.0-or-later
/* The result of --live: the exit status, a sentence and the rows, or JSON. */
#include "cli/diff/diff_cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/json/json_write.h"
#include "report/render/text/text.h"
#include "report/wording/utf8.h"

/* ---- words ---- */

static double percent(double ratio)
{
	return 100 * fabs(ratio - 1);
}

/* With a digit more where it is below 1 %. */
static struct numbered range(double low, double high)
{
	double near = fmin(percent(low), percent(high)), far = fmax(percent(low), percent(high));
	int decimals = far < 1 ? 2 : far < 100 ? 1 : 0;

	return numbered_text("%.*f to %.*f %%", decimals, near, decimals, far);
}

static const char *quantity(const struct diff_watch_row *r)
{
	if (diff_estimate_quantity(r->view) == DIFF_CPU_TIME)
		return "CPU time";
	return diff_watch_main_view(r) == DIFF_MEAN && r->symbol ? "time" : "elapsed time";
}

static void found_words(const struct diff_watch_row *r, struct words *to)
{
	bool calm = r->view == DIFF_UNDISTURBED || r->view == DIFF_UNSWITCHED_UNDISTURBED;

	numbers_append(to, "%s %s by %s%s%s", quantity(r), r->ratio > 1 ? "slower" : "faster",
		       range(r->low, r->high).text, calm ? ", where undisturbed" : "",
		       r->against == DIFF_OWN ? ", against the other sites" : "");
}

/* "CPU time slower by 0.6 to 1.8 %, against the other sites". */
static struct words row_words(const struct diff_live *l, const struct diff_watch_row *r)
{
	struct words to = {""};

	if (r->found)
		found_words(r, &to);
	else if (!isfinite(r->high))
		numbers_append(&to, "too few runs to say");
	else if (r->equal)
		numbers_append(&to, "%s equal within %.4g %%", quantity(r), 100 * l->watch.equal);
	else
		numbers_append(&to, "no change of %s seen; %+.1f to %+.1f %%", quantity(r),
			       100 * (r->low - 1), 100 * (r->high - 1));
	return to;
}

int diff_live_status(const struct diff_live *l)
{
	if (l->end == DIFF_LIVE_FAILED || !l->watch.known)
		return 2;
	return l->watch.found ? 1 : 0;
}

static const struct diff_watch_row *most_evidence(const struct diff_watch *w)
{
	const struct diff_watch_row *most = NULL;

	for (uint32_t i = 0; i < w->rows; i++)
		if (w->row[i].found && (!most || w->row[i].e > most->e))
			most = &w->row[i];
	return most;
}

static void changed_words(const struct diff_live *l, struct words *to)
{
	const struct diff_watch_row *r = most_evidence(&l->watch);
	char name[400], *clean;
	uint32_t more = l->watch.found - 1;

	if (r->symbol)
		snprintf(name, sizeof(name), "%.200s%s%.200s", r->symbol, r->frames ? " in " : "",
			 r->frames ? r->frame[0] : "");
	else
		snprintf(name, sizeof(name), "the whole run");
	clean = utf8_clean(name, false);
	numbers_append(to, "%.260s: %s", clean ? clean : "", row_words(l, r).text);
	free(clean);
	if (more)
		numbers_append(to, "; %u more changed", more);
}

/* The answer in a sentence or two, clean. */
static struct words all_words(const struct diff_live *l)
{
	const struct diff_watch *w = &l->watch;
	struct words to = {""};

	if (w->found)
		changed_words(l, &to);
	else if (w->all_equal)
		numbers_append(&to,
			       "equal within %.4g %%: the whole run, and each site of %.4g %% "
			       "of the time or more",
			       100 * w->equal, 100 * DIFF_WATCH_WORTH);
	else if (w->known)
		numbers_append(&to, "no change seen, and not sure to be equal");
	else
		numbers_append(&to, "too few runs to say anything");
	return to;
}

/* ---- text ---- */

/* The same number as in scprof diff. */
#define ROWS   20
#define FRAMES 4

enum { FUNCTION, OUTCOME, SHARE, CALLS, CHANGE, EVIDENCE, VERDICT, COLUMNS };

static const struct table_column columns[] = {
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 5},
	[SHARE] = {"SHARE", .right = true, .drop = 4},
	[CALLS] = {"CALLS", .right = true, .drop = 3},
	[CHANGE] = {"CHANGE", .right = true, .style = TERMINAL_BOLD},
	[EVIDENCE] = {"EVIDENCE", .right = true, .drop = 2},
	[VERDICT] = {.title = ""},
	[COLUMNS] = {0},
};

/* In JSON and in text. */
static const char *const ends[][2] = {
	[DIFF_LIVE_CHANGED] = {"changed", "stopped as soon as it was sure"},
	[DIFF_LIVE_EQUAL] = {"equal", "stopped as soon as it was sure"},
	[DIFF_LIVE_MOST] = {"most", "the most that were asked for"},
	[DIFF_LIVE_INTERRUPTED] = {"interrupted", "interrupted"},
};

static void add_row(const struct diff_live *l, struct text *t, struct table *table,
		    const struct diff_watch_row *r)
{
	uint32_t frames = l->arguments->options.frames;

	frames = frames == REPORT_FRAMES_DEFAULT ? FRAMES : frames;
	table_row(table);
	text_cell_put(t, table, FUNCTION, r->symbol ? r->symbol : "(whole run)");
	if (r->outcome && strcmp(r->outcome, "completed") != 0)
		table_cell(table, OUTCOME, r->outcome);
	if (r->share > 0)
		table_cell(table, SHARE, numbered_share(r->share).text);
	if (r->symbol)
		table_cell(table, CALLS,
			   numbered_count((uint64_t)(r->calls[0] + r->calls[1])).text);
	if (isfinite(r->ratio))
		table_cell(table, CHANGE, diff_words_percent(r->ratio, 1.005).text);
	table_print_cell(table, EVIDENCE, "%.2g", r->e);
	table_cell(table, VERDICT, row_words(l, r).text);
	for (uint32_t i = 0; i < r->frames && i < frames; i++)
		text_cell_note(t, table, "%s", r->frame[i]);
}

static void add_rows(const struct diff_live *l, struct text *t, struct table *table)
{
	const struct diff_watch *w = &l->watch;
	uint32_t top = l->arguments->options.top, shown = 0;

	if (top == REPORT_TOP_DEFAULT)
		top = ROWS;
	for (int found = 1; found >= 0; found--) {
		for (uint32_t i = 0; i < w->rows && (!top || shown < top); i++) {
			if (w->row[i].found != found)
				continue;
			add_row(l, t, table, &w->row[i]);
			shown++;
		}
	}
}

static void print_sides(const struct diff_live *l, const struct text *t)
{
	if (!*l->sides.text)
		return;
	fputs("the last pair of runs: ", t->out);
	utf8_put_clean(t->out, l->sides.text, t->terminal.utf8);
	putc('\n', t->out);
}

int diff_live_text(const struct diff_live *l, FILE *out)
{
	struct text t = {.terminal = terminal_of(out, l->arguments->options.width), .out = out};
	struct table table;

	fprintf(out, "%s\n", all_words(l).text);
	fprintf(out,
		"%" PRIu32 " runs of each in %.1f s and one before them; %s. %.4g %% sure, "
		"however often one looks\n",
		l->watch.pairs, l->seconds, ends[l->end][1], 100 * l->watch.confidence);
	if (l->watch.left_out)
		fprintf(out, "%" PRIu32 " sites with too few calls a run are left out\n",
			l->watch.left_out);
	print_sides(l, &t);
	table_begin(&table, columns, "CALLED FROM");
	add_rows(l, &t, &table);
	return text_cell_end(&t, &table);
}

/* ---- JSON ---- */

static const char *status_name(const struct diff_watch_row *r)
{
	if (r->found)
		return diff_words_status_name(r->ratio > 1 ? DIFF_SLOWER : DIFF_FASTER);
	if (r->equal)
		return "equal";
	return diff_words_status_name(isfinite(r->high) ? DIFF_SAME : DIFF_UNTESTED);
}

static void put_row(struct json_writer *w, const char *key, const struct diff_live *l,
		    const struct diff_watch_row *r)
{
	json_write_open(w, key, '{');
	JSON_MEMBERS(w, r, symbol, library, outcome);
	json_write_texts(w, "stack", (const char *const *)r->frame, r->frames);
	JSON_PUT(w, "waits", r->waiting, "worth", r->worth, "share", r->share, "verdict",
		 row_words(l, r).text, "status", status_name(r), "ratio", r->ratio, "ci_low",
		 isfinite(r->high) ? r->low : NAN, "ci_high", r->high, "e", r->e);
	JSON_PUT(w, "of", diff_words_view_name(r->view), "against",
		 diff_words_against_name(r->against), "pairs", r->seen[r->view][r->against].n,
		 "base_calls", r->calls[0], "new_calls", r->calls[1]);
	json_write_close(w, '}');
}

int diff_live_json(const struct diff_live *l, FILE *out)
{
	struct json_writer json = {.out = out, .indent = true}, *w = &json;
	const struct diff_watch *watch = &l->watch;

	json_write_open(w, NULL, '{');
	JSON_PUT(w, "schema", "scprof-diff-live/1", "verdict", all_words(l).text, "exit_status",
		 diff_live_status(l), "end", ends[l->end][0], "base", l->arguments->file[0], "new",
		 l->arguments->file[1], "by", report_names_by(l->arguments->options.by));
	JSON_MEMBERS(w, watch, confidence, equal);
	JSON_PUT(w, "runs", watch->pairs, "seconds", l->seconds, "changed", watch->found,
		 "left_out", watch->left_out, "sides", *l->sides.text ? l->sides.text : NULL);
	if (watch->rows)
		put_row(w, "whole", l, &watch->row[0]);
	else
		json_write_null(w, "whole");
	json_write_open(w, "sites", '[');
	for (uint32_t i = 1; i < watch->rows; i++)
		put_row(w, NULL, l, &watch->row[i]);
	json_write_close(w, ']');
	return json_write_finish(w);
}

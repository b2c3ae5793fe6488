// SPDX-License-Identifier: GPL-3.0-or-later
/* The result of --live: a sentence and the rows, or JSON. */
#include "cli/diff/diff_live.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/json/json_parts.h"
#include "report/render/text/text.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

/* As scprof diff does. */
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
	[VERDICT] = {""},
	[COLUMNS] = {0},
};

static const char *const ends[] = {
	[DIFF_LIVE_CHANGED] = "changed",
	[DIFF_LIVE_EQUAL] = "equal",
	[DIFF_LIVE_MOST] = "most",
	[DIFF_LIVE_INTERRUPTED] = "interrupted",
};

static const char *end_words(const struct diff_live *l)
{
	switch (l->end) {
	case DIFF_LIVE_CHANGED:
	case DIFF_LIVE_EQUAL:
		return "stopped as soon as it was sure";
	case DIFF_LIVE_INTERRUPTED:
		return "interrupted";
	default:
		return "the most that were asked for";
	}
}

static void add_row(const struct diff_live *l, struct text *t, struct table *table,
		    const struct diff_watch_row *r)
{
	uint32_t frames = l->arguments->options.frames;
	char text[DIFF_WORDS];

	frames = frames == REPORT_FRAMES_DEFAULT ? FRAMES : frames;
	table_row(table);
	text_cell_put(t, table, FUNCTION, r->symbol ? r->symbol : "(whole run)");
	if (r->outcome && strcmp(r->outcome, "completed") != 0)
		table_cell(table, OUTCOME, r->outcome);
	if (r->share > 0) {
		numbers_share(text, sizeof(text), r->share);
		table_cell(table, SHARE, text);
	}
	if (r->symbol) {
		numbers_count(text, sizeof(text), (uint64_t)(r->calls[0] + r->calls[1]));
		table_cell(table, CALLS, text);
	}
	if (isfinite(r->ratio)) {
		diff_words_percent(text, sizeof(text), r->ratio, 1.005);
		table_cell(table, CHANGE, text);
	}
	snprintf(text, sizeof(text), "%.2g", r->e);
	table_cell(table, EVIDENCE, text);
	diff_live_row_words(l, r, text, sizeof(text));
	table_cell(table, VERDICT, text);
	for (uint32_t i = 0; i < r->frames && i < frames; i++) {
		char *safe = utf8_clean(r->frame[i], t->terminal.utf8);

		if (safe)
			table_note(table, safe);
		free(safe);
	}
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
	char *safe = *l->sides ? utf8_clean(l->sides, t->terminal.utf8) : NULL;

	if (safe)
		fprintf(t->out, "the last pair of runs: %s\n", safe);
	free(safe);
}

int diff_live_text(const struct diff_live *l, FILE *out)
{
	struct text t = {.terminal = terminal_of(out, l->arguments->options.width), .out = out};
	char words[DIFF_LIVE_WORDS];
	struct table table;
	int status;

	diff_live_words(l, words, sizeof(words));
	fprintf(out, "%s\n", words);
	fprintf(out,
		"%" PRIu32 " runs of each in %.1f s and one before them; %s. %.4g %% sure, "
		"however often one looks\n",
		l->watch.pairs, l->seconds, end_words(l), 100 * l->watch.confidence);
	if (l->watch.left_out)
		fprintf(out, "%" PRIu32 " sites with too few calls a run are left out\n",
			l->watch.left_out);
	print_sides(l, &t);
	table_begin(&table, columns, "CALLED FROM");
	add_rows(l, &t, &table);
	status = table_print(&table, out, &t.terminal);
	table_end(&table);
	return status;
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

static json_t *row_of(const struct diff_live *l, const struct diff_watch_row *r, int *failed)
{
	json_t *o = json_object(), *stack = json_array();
	char words[DIFF_WORDS];

	diff_live_row_words(l, r, words, sizeof(words));
	for (uint32_t i = 0; i < r->frames; i++)
		*failed += json_array_append_new(stack, json_parts_text(r->frame[i])) < 0;
	json_parts_put(o, "symbol", json_parts_text(r->symbol), failed);
	json_parts_put(o, "library", json_parts_text(r->library), failed);
	json_parts_put(o, "outcome", json_parts_text(r->outcome), failed);
	json_parts_put(o, "stack", stack, failed);
	json_parts_put(o, "waits", json_boolean(r->waiting), failed);
	json_parts_put(o, "worth", json_boolean(r->worth), failed);
	json_parts_put(o, "share", json_parts_number(r->share), failed);
	json_parts_put(o, "verdict", json_parts_text(words), failed);
	json_parts_put(o, "status", json_parts_text(status_name(r)), failed);
	json_parts_put(o, "ratio", json_parts_number(r->ratio), failed);
	json_parts_put(o, "ci_low", json_parts_number(isfinite(r->high) ? r->low : NAN), failed);
	json_parts_put(o, "ci_high", json_parts_number(r->high), failed);
	json_parts_put(o, "e", json_parts_number(r->e), failed);
	json_parts_put(o, "of", json_parts_text(diff_words_view_name(r->view)), failed);
	json_parts_put(o, "against", json_parts_text(diff_words_against_name(r->against)), failed);
	json_parts_put(o, "pairs", json_parts_number(r->seen[r->view][r->against].n), failed);
	json_parts_put(o, "base_calls", json_parts_number(r->calls[0]), failed);
	json_parts_put(o, "new_calls", json_parts_number(r->calls[1]), failed);
	return o;
}

int diff_live_json(const struct diff_live *l, FILE *out)
{
	const struct diff_watch *w = &l->watch;
	json_t *doc = json_object(), *sites = json_array(), *whole = json_null();
	char words[DIFF_LIVE_WORDS];
	int failed = 0;

	diff_live_words(l, words, sizeof(words));
	if (w->rows) {
		json_decref(whole);
		whole = row_of(l, &w->row[0], &failed);
	}
	for (uint32_t i = 1; i < w->rows; i++)
		failed += json_array_append_new(sites, row_of(l, &w->row[i], &failed)) < 0;
	json_parts_put(doc, "schema", json_parts_text("scprof-diff-live/1"), &failed);
	json_parts_put(doc, "verdict", json_parts_text(words), &failed);
	json_parts_put(doc, "exit_status", json_integer(diff_live_status(l)), &failed);
	json_parts_put(doc, "end", json_parts_text(ends[l->end]), &failed);
	json_parts_put(doc, "base", json_parts_text(l->arguments->file[0]), &failed);
	json_parts_put(doc, "new", json_parts_text(l->arguments->file[1]), &failed);
	json_parts_put(doc, "by", json_parts_text(report_names_by(l->arguments->options.by)),
		       &failed);
	json_parts_put(doc, "confidence", json_parts_number(w->confidence), &failed);
	json_parts_put(doc, "equal", json_parts_number(w->equal), &failed);
	json_parts_put(doc, "runs", json_parts_count(w->pairs), &failed);
	json_parts_put(doc, "seconds", json_parts_number(l->seconds), &failed);
	json_parts_put(doc, "changed", json_parts_count(w->found), &failed);
	json_parts_put(doc, "left_out", json_parts_count(w->left_out), &failed);
	json_parts_put(doc, "sides", json_parts_text(*l->sides ? l->sides : NULL), &failed);
	json_parts_put(doc, "whole", whole, &failed);
	json_parts_put(doc, "sites", sites, &failed);
	if (failed) {
		json_decref(doc);
		errno = ENOMEM;
		return -1;
	}
	return json_parts_print(doc, out);
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The plan of a comparison: a sentence and the sites, or JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/diff.h"
#include "report/render/json/json_parts.h"
#include "report/wording/numbers.h"
#include "cli/plan/plan_change.h"
#include "cli/plan/plan_words.h"
#include "report/render/text/text.h"
#include "report/wording/utf8.h"

enum { FUNCTION, OUTCOME, CALLS, NOW, NEEDED, VERDICT, COLUMNS };

static const struct table_column columns[] = {
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 5},
	[CALLS] = {"CALLS", .right = true, .drop = 2},
	[NOW] = {"SEEN NOW", .right = true, .style = TERMINAL_BOLD},
	[NEEDED] = {"CALLS NEEDED", .right = true, .style = TERMINAL_BOLD},
	[VERDICT] = {""},
	[COLUMNS] = {0},
};

static void add_site(struct text *t, struct table *table, const struct plan_change *p,
		     const struct plan_change_site *c)
{
	const struct diff_site *s = &p->diff->site[c->site];
	char text[200], *line, *safe;

	table_row(table);
	text_cell_put(t, table, FUNCTION, s->symbol);
	if (strcmp(s->outcome, "completed") != 0)
		table_cell(table, OUTCOME, s->outcome);
	plan_words_count(text, sizeof(text), s->base_calls);
	table_cell(table, CALLS, text);
	if (isfinite(c->now)) {
		diff_words_percent(text, sizeof(text), c->now, c->now);
		table_cell(table, NOW, text);
	}
	if (isfinite(c->calls)) {
		plan_words_count(text, sizeof(text), c->calls);
		table_cell(table, NEEDED, text);
	} else if (isinf(c->calls)) {
		table_cell(table, VERDICT, "not with one run a side");
	} else {
		diff_words(p->diff, s, text, sizeof(text));
		table_cell(table, VERDICT, text);
	}
	line = diff_path_frames(p->diff, s) ? diff_path_frame_line(p->diff, s, 0) : NULL;
	safe = line ? utf8_clean(line, t->terminal.utf8) : NULL;
	if (safe)
		table_note(table, safe);
	free(line);
	free(safe);
}

static void print_sentence(const struct plan_change *p, const struct plan_options *o)
{
	char change[24], calls[40], factor[32];

	numbers_significant(factor, sizeof(factor), p->factor, 3);
	plan_words_percent(change, sizeof(change), o->change);
	plan_words_about(calls, sizeof(calls), ceil(p->factor * p->calls));
	if (!p->within)
		printf("No site above %.6g %% of time would show a change of %s between two runs, "
		       "however long\n",
		       100 * o->share, change);
	else if (p->factor > 1)
		printf("%s times this run, %s calls of all kinds in each of the two, and a "
		       "change of %s at one of %" PRIu32 " sites is found 95 times in 100\n",
		       factor, calls, change, p->within);
	else
		printf("Two runs like this one are enough: a change of %s at one of %" PRIu32
		       " sites is found 95 times in 100\n",
		       change, p->within);
	if (p->never)
		printf("%" PRIu32 " more have too few others of their kind to tell them from the "
		       "machine: give scprof diff several runs a side\n",
		       p->never);
}

int plan_change_print(const struct plan_change *p, const struct plan_options *o)
{
	struct text t = {.terminal = terminal_of(stdout, 0), .out = stdout};
	struct table table;
	int status;

	print_sentence(p, o);
	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < p->sites; i++)
		add_site(&t, &table, p, &p->site[i]);
	status = table_print(&table, stdout, &t.terminal);
	table_end(&table);
	return status;
}

static json_t *site_of(const struct plan_change *p, const struct plan_change_site *c, int *failed)
{
	const struct diff_site *s = &p->diff->site[c->site];
	json_t *o = json_object();

	json_parts_put(o, "symbol", json_parts_text(s->symbol), failed);
	json_parts_put(o, "library", json_parts_text(s->library), failed);
	json_parts_put(o, "outcome", json_parts_text(s->outcome), failed);
	json_parts_put(o, "calls", json_parts_number(s->base_calls), failed);
	json_parts_put(o, "detectable", json_parts_number(c->now), failed);
	json_parts_put(o, "calls_needed", plan_words_json(c->calls), failed);
	json_parts_put(o, "reason", json_parts_text(s->verdict.reason), failed);
	return o;
}

int plan_change_json(const struct plan_change *p, const struct plan_options *o)
{
	json_t *doc = json_object(), *sites = json_array();
	int failed = 0;

	for (uint32_t i = 0; i < p->sites; i++)
		failed += json_array_append_new(sites, site_of(p, &p->site[i], &failed)) < 0;
	json_parts_put(doc, "schema", json_parts_text("scprof-plan/1"), &failed);
	json_parts_put(doc, "confidence", json_parts_number(o->confidence), &failed);
	json_parts_put(doc, "change", json_parts_number(o->change), &failed);
	json_parts_put(doc, "share", json_parts_number(o->share), &failed);
	json_parts_put(doc, "by", json_parts_text(report_names_by(o->by)), &failed);
	json_parts_put(doc, "calls", json_parts_number(p->calls), &failed);
	json_parts_put(doc, "factor", p->within ? json_parts_number(p->factor) : json_null(),
		       &failed);
	json_parts_put(doc, "within", json_parts_count(p->within), &failed);
	json_parts_put(doc, "never", json_parts_count(p->never), &failed);
	json_parts_put(doc, "unknown", json_parts_count(p->unknown), &failed);
	json_parts_put(doc, "sites", sites, &failed);
	return plan_words_dump(doc, failed);
}

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

enum { FUNCTION, OUTCOME, CALLS, NOW, NEEDED, CPU_NOW, CPU_NEEDED, VERDICT, COLUMNS };

static const struct table_column columns[] = {
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 5},
	[CALLS] = {"CALLS", .right = true, .drop = 2},
	[NOW] = {"SEEN NOW", .right = true, .style = TERMINAL_BOLD},
	[NEEDED] = {"CALLS NEEDED", .right = true, .style = TERMINAL_BOLD},
	[CPU_NOW] = {"CPU SEEN NOW", .right = true, .style = TERMINAL_BOLD},
	[CPU_NEEDED] = {"CPU CALLS NEEDED", .right = true, .style = TERMINAL_BOLD},
	[VERDICT] = {""},
	[COLUMNS] = {0},
};

static void need_cells(struct table *table, const struct plan_change_need *n, int now, int needed)
{
	char text[40];

	if (isfinite(n->now)) {
		diff_words_percent(text, sizeof(text), n->now, n->now);
		table_cell(table, now, text);
	}
	if (isfinite(n->calls)) {
		plan_words_count(text, sizeof(text), n->calls);
		table_cell(table, needed, text);
	}
}

/* Why there is no number of calls: "" where there is one. */
static void verdict_words(const struct plan_change *p, const struct plan_change_site *c, char *text,
			  size_t room)
{
	const struct diff_site *s = &p->diff->site[c->site];
	const struct plan_change_need *elapsed = &c->need[DIFF_ELAPSED];
	const struct plan_change_need *cpu = &c->need[DIFF_CPU_TIME];

	*text = '\0';
	if (isinf(elapsed->calls) || isinf(cpu->calls))
		snprintf(text, room, "not with one run a side");
	else if (isnan(elapsed->calls) && isnan(cpu->calls))
		diff_words(p->diff, s, text, room);
	else if (isnan(elapsed->calls))
		snprintf(text, room, "elapsed time: %s", s->found[DIFF_ELAPSED].reason);
	else if (isnan(cpu->calls) && s->states)
		snprintf(text, room, "CPU time: %s", s->found[DIFF_CPU_TIME].reason);
}

static void add_site(struct text *t, struct table *table, const struct plan_change *p,
		     const struct plan_change_site *c)
{
	const struct diff_site *s = &p->diff->site[c->site];
	char text[DIFF_WORDS], *line, *safe;

	table_row(table);
	text_cell_put(t, table, FUNCTION, s->symbol);
	if (strcmp(s->outcome, "completed") != 0)
		table_cell(table, OUTCOME, s->outcome);
	plan_words_count(text, sizeof(text), s->base_calls);
	table_cell(table, CALLS, text);
	need_cells(table, &c->need[DIFF_ELAPSED], NOW, NEEDED);
	need_cells(table, &c->need[DIFF_CPU_TIME], CPU_NOW, CPU_NEEDED);
	verdict_words(p, c, text, sizeof(text));
	if (*text)
		table_cell(table, VERDICT, text);
	line = diff_path_frames(p->diff, s) ? diff_path_frame_line(p->diff, s, 0) : NULL;
	safe = line ? utf8_clean(line, t->terminal.utf8) : NULL;
	if (safe)
		table_note(table, safe);
	free(line);
	free(safe);
}

/* `of_what`: "a change of 5 % of CPU time". */
static void print_sentence(const struct plan_change *p, const struct plan_change_sum *sum,
			   const struct plan_options *o, const char *of_what)
{
	char change[24], calls[40], factor[32];

	numbers_significant(factor, sizeof(factor), sum->factor, 3);
	plan_words_percent(change, sizeof(change), o->change);
	plan_words_about(calls, sizeof(calls), ceil(sum->factor * p->calls));
	if (!sum->within)
		printf("No site above %.6g %% of time would show a change of %s%s between two "
		       "runs, however long\n",
		       100 * o->share, change, of_what);
	else if (sum->factor > 1)
		printf("%s times this run, %s calls of all kinds in each of the two, and a "
		       "change of %s%s at one of %" PRIu32 " sites is found 95 times in 100\n",
		       factor, calls, change, of_what, sum->within);
	else
		printf("Two runs like this one are enough: a change of %s%s at one of %" PRIu32
		       " sites is found 95 times in 100\n",
		       change, of_what, sum->within);
	if (sum->never)
		printf("%" PRIu32 "%s too few others of their kind to tell them from the "
		       "machine: give scprof diff several runs a side\n",
		       sum->never,
		       sum->within	 ? " more have"
		       : sum->never == 1 ? " site has"
					 : " sites have");
}

int plan_change_print(const struct plan_change *p, const struct plan_options *o)
{
	struct text t = {.terminal = terminal_of(stdout, 0), .out = stdout};
	struct table table;
	int status;

	if (p->states)
		print_sentence(p, &p->sum[DIFF_CPU_TIME], o, " of CPU time");
	print_sentence(p, &p->sum[DIFF_ELAPSED], o, p->states ? " of elapsed time" : "");
	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < p->sites; i++)
		add_site(&t, &table, p, &p->site[i]);
	status = table_print(&table, stdout, &t.terminal);
	table_end(&table);
	return status;
}

static void put_need(json_t *o, const struct diff_site *s, enum diff_quantity of,
		     const struct plan_change_need *n, int *failed)
{
	json_parts_put(o, "detectable", json_parts_number(n->now), failed);
	json_parts_put(o, "calls_needed", plan_words_json(n->calls), failed);
	json_parts_put(o, "reason", json_parts_text(s->found[of].reason), failed);
}

static json_t *site_of(const struct plan_change *p, const struct plan_change_site *c, int *failed)
{
	const struct diff_site *s = &p->diff->site[c->site];
	json_t *o = json_object(), *cpu = s->states ? json_object() : json_null();

	json_parts_put(o, "symbol", json_parts_text(s->symbol), failed);
	json_parts_put(o, "library", json_parts_text(s->library), failed);
	json_parts_put(o, "outcome", json_parts_text(s->outcome), failed);
	json_parts_put(o, "calls", json_parts_number(s->base_calls), failed);
	put_need(o, s, DIFF_ELAPSED, &c->need[DIFF_ELAPSED], failed);
	if (s->states)
		put_need(cpu, s, DIFF_CPU_TIME, &c->need[DIFF_CPU_TIME], failed);
	json_parts_put(o, "cpu", cpu, failed);
	return o;
}

static void put_sum(json_t *o, const struct plan_change_sum *sum, int *failed)
{
	json_parts_put(o, "factor", sum->within ? json_parts_number(sum->factor) : json_null(),
		       failed);
	json_parts_put(o, "within", json_parts_count(sum->within), failed);
	json_parts_put(o, "never", json_parts_count(sum->never), failed);
	json_parts_put(o, "unknown", json_parts_count(sum->unknown), failed);
}

int plan_change_json(const struct plan_change *p, const struct plan_options *o)
{
	json_t *doc = json_object(), *sites = json_array();
	json_t *cpu = p->states ? json_object() : json_null();
	int failed = 0;

	for (uint32_t i = 0; i < p->sites; i++)
		failed += json_array_append_new(sites, site_of(p, &p->site[i], &failed)) < 0;
	json_parts_put(doc, "schema", json_parts_text("scprof-plan/1"), &failed);
	json_parts_put(doc, "confidence", json_parts_number(o->confidence), &failed);
	json_parts_put(doc, "change", json_parts_number(o->change), &failed);
	json_parts_put(doc, "share", json_parts_number(o->share), &failed);
	json_parts_put(doc, "by", json_parts_text(report_names_by(o->by)), &failed);
	json_parts_put(doc, "calls", json_parts_number(p->calls), &failed);
	put_sum(doc, &p->sum[DIFF_ELAPSED], &failed);
	if (p->states)
		put_sum(cpu, &p->sum[DIFF_CPU_TIME], &failed);
	json_parts_put(doc, "cpu", cpu, &failed);
	json_parts_put(doc, "sites", sites, &failed);
	return plan_words_dump(doc, failed);
}

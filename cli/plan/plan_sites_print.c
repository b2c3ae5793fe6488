// SPDX-License-Identifier: GPL-3.0-or-later
/* The plan of further runs as text: one sentence, then the sites. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/plan/plan.h"
#include "report/render/json/json.h"
#include "report/render/text/table.h"
#include "report/render/text/text.h"

/* Lines of call path a row. */
#define PATH_LINES 3

enum {
	FUNCTION,
	OUTCOME,
	SHARE,
	CALLS,
	MEAN,
	UNIT,
	INTERVAL,
	NOW,
	MORE,
	TIME,
	CPU_NOW,
	CPU_MORE,
	VERDICT,
	COLUMNS
};

static const struct table_column columns[] = {
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 5},
	[SHARE] = {"SHARE", .drop = 3, TABLE_FIELD(SHARE, report_site, time_share)},
	[CALLS] = {"CALLS", .drop = 2, TABLE_FIELD(COUNT, report_site, calls)},
	[MEAN] = {"MEAN", .drop = 4, TABLE_FIELD(MEAN, report_site, estimate)},
	[UNIT] = {"", .glued = true, .drop = 4},
	[INTERVAL] = {"INTERVAL", .glued = true, .drop = 4},
	[NOW] = {"NOW", .right = true, .style = TERMINAL_BOLD},
	[MORE] = {"MORE CALLS", .right = true, .style = TERMINAL_BOLD},
	[TIME] = {"TIME", .right = true},
	[CPU_NOW] = {"CPU NOW", .right = true, .drop = 6},
	[CPU_MORE] = {"CPU MORE CALLS", .right = true, .drop = 6},
	[VERDICT] = {.title = ""},
	[COLUMNS] = {0},
};

/* "±5 %" of a total width over the mean. */
static struct numbered half_width(double width, bool utf8)
{
	return numbered_text("%s%.24s", utf8 ? "±" : "+-",
			     isfinite(width) ? plan_words_percent(width / 2).text : "?");
}

static void verdict_cell(struct table *table, const struct plan_site *p)
{
	const char *said = plan_state_name(p->state);

	if (p->state == PLAN_AT_LEAST)
		said = p->more_calls > 0 ? "at least" : "reached, but";
	if (p->reason)
		table_print_cell(table, VERDICT, "%s: %s", said, p->reason);
	else if (p->state == PLAN_REACHED)
		table_cell(table, VERDICT, said);
}

static void forecast_cells(struct table *table, const struct plan_site *p)
{
	const char *about = p->rough ? "~" : "";

	verdict_cell(table, p);
	if (!isfinite(p->more_calls) || !(p->more_calls > 0))
		return;
	table_print_cell(table, MORE, "%s%s", about, plan_words_count(p->more_calls).text);
	table_print_cell(table, TIME, "%s%s", about, plan_words_time(p->more_ns).text);
}

static void cpu_cells(struct text *t, struct table *table, const struct plan_site *p)
{
	if (isnan(p->cpu_width))
		return;
	table_cell(table, CPU_NOW, half_width(p->cpu_width, t->terminal.utf8).text);
	if (isfinite(p->cpu_more_calls))
		table_cell(table, CPU_MORE, plan_words_count(fmax(p->cpu_more_calls, 0)).text);
}

static void add_site(struct text *t, struct table *table, const struct plan_site *p)
{
	const struct report_site *s = &t->report->site[p->site];

	text_cell_row(t, table, s);
	text_cell_put(t, table, FUNCTION, t->report->profile->function[s->function].name);
	if (s->overflow || s->outcome != SCP_COMPLETED)
		table_cell(table, OUTCOME, report_names_outcome(s));
	table_cell(table, NOW, half_width(p->width, t->terminal.utf8).text);
	forecast_cells(table, p);
	cpu_cells(t, table, p);
}

static int print_table(struct text *t, const struct plan_sites *p)
{
	struct text_apart apart;
	struct table table;
	uint32_t rows = p->sites ? p->site[p->sites - 1].site + 1 : 0;

	if (text_shared_callers_begin(&apart, t->report, NULL, rows) < 0) {
		text_shared_callers_end(&apart);
		return -1;
	}
	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < p->sites; i++) {
		uint32_t at = p->site[i].site;

		add_site(t, &table, &p->site[i]);
		if (t->report->by != REPORT_BY_FUNCTION || t->report->site[at].frames)
			text_path_notes(t, &table, &t->report->site[at], apart.mark[at],
					PATH_LINES);
	}
	int status = text_cell_end(t, &table);
	text_shared_callers_end(&apart);
	return status;
}

/* "every site above 1 % of the time in calls". */
static void where(char *out, size_t room, const struct plan_sites *p, uint32_t sites,
		  const struct plan_options *o)
{
	char share[24];

	snprintf(share, sizeof(share), "%.6g %%", 100 * o->share);
	if (sites == p->sites)
		snprintf(out, room, "every site above %s of the time in calls", share);
	else
		snprintf(out, room,
			 "%" PRIu32 " of the %" PRIu32 " sites above %s of the time in calls",
			 sites, p->sites, share);
}

static void print_sentence(const struct plan_sites *p, const struct plan_options *o, bool utf8)
{
	uint32_t sites =
		p->in_state[PLAN_REACHED] + p->in_state[PLAN_MORE] + p->in_state[PLAN_AT_LEAST];
	struct numbered target = half_width(o->width, utf8);
	char at[96];

	where(at, sizeof(at), p, sites, o);
	if (!p->sites) {
		printf("Nothing to plan: no%s\n", at + strlen("every"));
	} else if (p->factor > 1) {
		printf("%s%s more calls, about %s, for %s at %s\n",
		       p->in_state[PLAN_AT_LEAST] ? "At least " : "",
		       numbered_plain(p->more_calls).text, plan_words_time(p->more_ns).text,
		       target.text, at);
	} else if (sites) {
		printf("No more calls are needed for %s at %s\n", target.text, at);
	} else {
		printf("No number of calls gives %s at any site\n", target.text);
	}
}

static void print_cpu(const struct plan_sites *p)
{
	if (isnan(p->cpu_factor))
		return;
	if (p->cpu_factor > 1)
		printf("For their CPU time, of calls that are not switched: %s more, about %s\n",
		       numbered_plain(p->cpu_more_calls).text,
		       plan_words_time(p->cpu_more_ns).text);
	else
		printf("For their CPU time, of calls that are not switched: no more\n");
}

static void print_basis(const struct plan_sites *p, const struct report *r,
			const struct plan_options *o)
{
	printf("at %.6g %% confidence, from %s calls of all kinds in %s", 100 * o->confidence,
	       plan_words_count((double)r->calls).text, plan_words_time(p->running_ns).text);
	if (p->factor > 1)
		printf("; %s times this run in all", numbered_digits(p->factor, 3).text);
	putchar('\n');
}

static bool said_before(const struct plan_sites *p, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (p->site[i].reason && !strcmp(p->site[i].reason, p->site[at].reason))
			return true;
	return false;
}

static void print_notes(const struct plan_sites *p)
{
	bool rough = false;

	putchar('\n');
	for (uint32_t i = 0; i < p->sites; i++) {
		rough = rough || p->site[i].rough;
		if (p->site[i].reason && !said_before(p, i))
			printf("%s: %s\n", p->site[i].reason, plan_reason_text(p->site[i].reason));
	}
	if (rough)
		printf("~ from an interval so wide that the forecast may be off by half and more: "
		       "plan again from the longer run\n");
	if (p->far)
		printf("far: %s times what this run saw. Long calls rarer than once a run, and "
		       "phases longer than it, are not in the forecast: plan again on the way, "
		       "from all runs\n",
		       numbered_digits(p->factor, 3).text);
	if (p->brief && p->sites)
		printf("brief: in %s the program may have been in one phase only. Where phases "
		       "last %s and more, the forecast is too low: plan from 10 s and more\n",
		       plan_words_time(p->running_ns).text,
		       plan_words_time(p->running_ns / 3).text);
	if (p->perhaps)
		printf("%" PRIu32 " more site%s may lie above this share too: %s it\n", p->perhaps,
		       p->perhaps == 1 ? "" : "s",
		       p->perhaps == 1 ? "its interval reaches" : "their intervals reach");
}

/* ---- JSON: each site as in scprof-report/1, and what it needs ---- */

static void put_cpu(struct json_writer *w, const struct plan_site *p)
{
	if (!json_write_open_known(w, "cpu", !isnan(p->cpu_width)))
		return;
	json_write_number(w, "width", p->cpu_width);
	plan_words_put(w, "calls_needed", p->cpu_calls);
	plan_words_put(w, "more_calls", p->cpu_more_calls);
	json_write_close(w, '}');
}

static void put_all_cpu(struct json_writer *w, const struct plan_sites *p)
{
	if (!json_write_open_known(w, "cpu", !isnan(p->cpu_factor)))
		return;
	json_write_number(w, "factor", p->cpu_factor);
	plan_words_put(w, "more_calls", p->cpu_more_calls);
	json_write_number(w, "more_s", p->cpu_more_ns / 1e9);
	json_write_close(w, '}');
}

static void put_site(struct json_writer *w, struct report *r, const struct plan_site *p)
{
	json_write_open(w, NULL, '{');
	json_site_write(w, r, &r->site[p->site]);
	JSON_PUT(w, "width", p->width, "state", plan_state_name(p->state));
	JSON_MEMBERS(w, p, reason, rough);
	plan_words_put(w, "calls_needed", p->calls);
	plan_words_put(w, "more_calls", p->more_calls);
	json_write_number(w, "more_s", p->more_ns / 1e9);
	put_cpu(w, p);
	json_write_close(w, '}');
}

static void put_states(struct json_writer *w, const struct plan_sites *p)
{
	json_write_open(w, "states", '{');
	for (int i = 0; i <= PLAN_UNKNOWN; i++)
		json_write_count(w, plan_state_name((enum plan_state)i), p->in_state[i]);
	json_write_close(w, '}');
}

static int print_json(const struct plan_sites *p, struct report *r, const struct plan_options *o)
{
	struct json_writer json = {.out = stdout, .indent = true}, *w = &json;

	json_write_open(w, NULL, '{');
	json_write_text(w, "schema", "scprof-plan/1");
	JSON_MEMBERS(w, o, confidence, width, share);
	JSON_PUT(w, "by", report_names_by(o->by), "calls", r->calls, "running_s",
		 p->running_ns / 1e9, "factor", p->factor);
	plan_words_put(w, "more_calls", p->more_calls);
	json_write_number(w, "more_s", p->more_ns / 1e9);
	JSON_MEMBERS(w, p, far, brief);
	put_all_cpu(w, p);
	put_states(w, p);
	json_write_count(w, "perhaps_above_share", p->perhaps);
	JSON_LIST(w, "sites", e, p->site, p->sites, put_site(w, r, e));
	return json_write_finish(w);
}

int plan_sites_print(const struct plan_sites *p, struct report *r, const struct plan_options *o)
{
	struct text t = {.report = r, .terminal = terminal_of(stdout, 0), .out = stdout};

	if (o->json)
		return print_json(p, r, o);
	print_sentence(p, o, t.terminal.utf8);
	print_cpu(p);
	print_basis(p, r, o);
	int status = print_table(&t, p);
	print_notes(p);
	return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The loops of threads: their steps as a table whose shares add up to 100.0 %, and the check
 * against the threads' time. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

/* Of all threads' time; the first loop is shown in any case. */
#define LEAST_SHARE 0.01

enum { STEP, TIMES, MEAN, UNIT, INTERVAL, PASS, SHARE, COLUMNS };

static const struct table_column columns[] = {
	[STEP] = {"STEP", .least = 10, .style = TERMINAL_NAME},
	[TIMES] = {"TIMES", .right = true, .drop = 2},
	[MEAN] = {"MEAN", .right = true, .style = TERMINAL_BOLD},
	[UNIT] = {"", .glued = true},
	[INTERVAL] = {"INTERVAL", .glued = true, .drop = 1},
	[PASS] = {"A PASS", .right = true, .drop = 3},
	[SHARE] = {"SHARE", .right = true},
	[COLUMNS] = {0},
};

/* The name of a state that others lead to: short where the loop has one of its function.
 * `sites`: of each function, how many of its states the loop has. */
static char *name_of(struct text *t, const uint32_t *sites, uint32_t site)
{
	const struct report *r = t->report;

	if (site < r->sites && sites[r->site[site].function] < 2)
		return text_path_function_label(t, site);
	return text_path_site_label(t, site, "(thread end)");
}

/* An arrow, the probability unless it is 1, and the next step. */
static char *edge_step(struct text *t, const uint32_t *sites, const struct loop_row *row)
{
	const char *arrow = t->terminal.utf8 ? "→" : "->";
	char *to = name_of(t, sites, row->to), *step = NULL;
	bool only = row->chance == 1000;

	if (to)
		step = utf8_text("  %s %s%s%s%s", arrow, only ? "" : "(",
				 only ? "" : numbered_permille(row->chance).text, only ? "" : ") ",
				 to);
	free(to);
	return step;
}

static char *step_of(struct text *t, const uint32_t *sites, const struct loop *l,
		     const struct loop_row *row)
{
	switch (row->kind) {
	case LOOP_STATE:
		return text_path_site_label(t, row->from, "");
	case LOOP_EDGE:
		return edge_step(t, sites, row);
	case LOOP_OTHERS:
		return utf8_text("(rarer: %" PRIu32 " step%s, %" PRIu32 " gap%s)", row->states,
				 row->states == 1 ? "" : "s", row->edges,
				 row->edges == 1 ? "" : "s");
	case LOOP_SCPROF:
		return strdup("(scprof in the calls)");
	default:
		return strdup(l->cycles > 1 ? "(outside the loops)" : "(outside the loop)");
	}
}

/* Rounded so that all add up: a part that is rounded to nothing is "<0.1 %". */
static struct numbered number_share(int32_t permille, double share)
{
	return permille == 0 && share > 0 ? numbered_text("<0.1 %%") : numbered_permille(permille);
}

static struct numbered number_times(double times)
{
	return times < 0.0005 ? numbered_text("<0.001")
	       : times < 0.1  ? numbered_text("%.3f", times)
			      : numbered_plain(times);
}

/* A mean over several sites has no interval: it would describe none of them. */
static void mean_cells(struct text *t, struct table *table, const struct loop_row *row)
{
	struct number_mean m = numbers_mean(row->estimate.mean, NAN, NAN, t->terminal.utf8);

	if (row->kind == LOOP_STATE || row->kind == LOOP_EDGE) {
		text_cell_mean(t, table, MEAN, &row->estimate);
	} else {
		table_cell(table, MEAN, m.mean);
		table_cell(table, UNIT, m.unit);
	}
}

static void add_row(struct text *t, struct table *table, const uint32_t *sites,
		    const struct loop *l, const struct loop_cycle *c, const struct loop_row *row)
{
	table_row(table);
	table_take(table, STEP, step_of(t, sites, l, row));
	if (c) {
		table_cell(table, TIMES,
			   row->calls == c->passes ? "1" : number_times(row->per_pass).text);
		mean_cells(t, table, row);
		text_cell_duration(t, table, PASS, row->pass_ns);
	}
	table_cell(table, SHARE,
		   isnan(row->share) ? "-" : number_share(row->permille, row->share).text);
}

/* There is no gap between adjacent points: a row for it would be noise. On a slow clock the limits
 * show whether there may be one. */
static bool is_nothing(const struct loop_row *row)
{
	return row->kind == LOOP_EDGE && row->total_ns == 0 && row->chance == 1000 &&
	       !(row->estimate.high >= 0.0005);
}

static void plain_row(struct table *table, const char *step, const char *share)
{
	table_row(table);
	table_cell(table, STEP, step);
	table_cell(table, SHARE, share);
}

static void add_cycle(struct text *t, struct table *table, const uint32_t *sites,
		      const struct loop *l, const struct loop_cycle *c, uint32_t number)
{
	char title[32];

	if (l->cycles > 1) {
		snprintf(title, sizeof(title), "loop %" PRIu32 ":", number);
		plain_row(table, title, "");
	}
	for (uint32_t i = c->row; i < c->row + c->rows; i++)
		if (!is_nothing(&l->row[i]))
			add_row(t, table, sites, l, c, &l->row[i]);
}

static int print_steps(struct text *t, const uint32_t *sites, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;
	struct table table;

	table_begin(&table, columns, NULL);
	for (uint32_t i = 0; i < l->cycles; i++)
		add_cycle(t, &table, sites, l, &l->cycle[i], i + 1);
	if (last && last->kind == LOOP_OUTSIDE)
		add_row(t, &table, sites, l, NULL, last);
	plain_row(&table, "in all", last && !isnan(last->share) ? "100.0 %" : "-");
	return text_cell_end(t, &table);
}

static void print_threads(struct text *t, const struct loop *l)
{
	char more[96] = "";
	const struct loop_thread *first = &l->thread[0];

	if (l->threads > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more%s", l->threads - 1,
			 l->one_name ? " of that name" : "");
	fputc('\n', t->out);
	text_cell_say(t, TERMINAL_BOLD, "", 2,
		      "Thread %s (%" PRIu32 ")%s, %s, %s of all threads' time:", first->name,
		      first->tid, more, numbered_duration(l->time_ns, t->terminal.utf8).text,
		      numbered_share(l->share).text);
}

static void print_passes(struct text *t, const struct loop *l, const struct loop_cycle *c,
			 uint32_t number)
{
	char which[32] = "a loop";
	struct number_mean m = numbers_mean(c->mean_ns, c->low_ns, c->high_ns, t->terminal.utf8);

	if (l->cycles > 1)
		snprintf(which, sizeof(which), "loop %" PRIu32, number);
	text_cell_say(t, TERMINAL_PLAIN, "  ", 4, "%s, %s passes of %s %s %s, %s of that time",
		      which, numbered_count(c->passes).text, m.mean, m.unit, m.interval,
		      number_share(c->permille, c->share).text);
}

/* All passes and the time outside them add up to the recorded time. */
static void print_check(struct text *t, const struct loop *l)
{
	const struct loop_row *last = l->rows ? &l->row[l->rows - 1] : NULL;
	bool utf8 = t->terminal.utf8, recorded = l->recording_ns > 0;
	double outside_ns = last && last->kind == LOOP_OUTSIDE ? last->total_ns : 0;

	text_cell_fact(
		t, "check", "steps %s + outside %s%s%s = time %s: %s%s",
		numbered_duration(l->cycles_ns, utf8).text,
		numbered_duration(outside_ns, utf8).text, recorded ? " + recording " : "",
		recorded ? numbered_duration(l->recording_ns, utf8).text : "",
		numbered_duration(l->time_ns, utf8).text, l->remainder_units ? "off by " : "exact",
		l->remainder_units ? numbered_duration(fabs(l->remainder_ns), utf8).text : "");
}

static void count_sites(const struct report *r, const struct loop *l, uint32_t *sites)
{
	memset(sites, 0, r->profile->functions * sizeof(*sites));
	for (uint32_t i = 0; i < l->rows; i++)
		if (l->row[i].kind == LOOP_STATE)
			sites[r->site[l->row[i].from].function]++;
}

static int print_loop(struct text *t, uint32_t *sites, const struct loop *l)
{
	int status = 0;

	count_sites(t->report, l, sites);
	print_threads(t, l);
	if (!l->cycles)
		fprintf(t->out, l->calls ? "  no loop, %" PRIu64 " call%s\n" : "  no calls\n",
			l->calls, l->calls == 1 ? "" : "s");
	for (uint32_t i = 0; i < l->cycles; i++)
		print_passes(t, l, &l->cycle[i], i + 1);
	if (l->cycles)
		status = print_steps(t, sites, l);
	fputc('\n', t->out);
	print_check(t, l);
	return status;
}

int text_loop_print(struct text *t)
{
	const struct loop_report *all = t->report->loops;
	uint32_t *sites = calloc((size_t)t->report->profile->functions + 1, sizeof(*sites));
	uint32_t shown = 0;
	int status = sites ? 0 : -1;

	for (; !status && shown < all->loops && shown < t->top; shown++) {
		if (shown && t->top != UINT32_MAX && !(all->loop[shown].share >= LEAST_SHARE))
			break;
		status = print_loop(t, sites, &all->loop[shown]);
	}
	free(sites);
	if (!status && shown < all->loops) {
		fputc('\n', t->out);
		text_cell_fact(t, "threads",
			       "%" PRIu32
			       " other ways through a thread are not shown. All: --top 0",
			       all->loops - shown);
	}
	return status;
}

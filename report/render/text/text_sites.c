// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of sites: what a call costs, where, and how precisely that is known. */
#include "report/render/text/text.h"
#include "report/model/model.h"

#include <math.h>
#include <string.h>

#include "report/wording/numbers.h"

#define DETAILED 10 /* rows with all that their means hide */

enum { FUNCTION, OUTCOME, CALLS, MEAN, UNIT, INTERVAL, MARKS };
enum { SLOW = MARKS + 1, SLOW_UNIT, SLOW_INTERVAL, SLOW_COVERS, OVERHEAD, TOTAL, SHARE, BAR };
enum { CPU = BAR + 1, BYTES, PER_BYTE, P50, P99, P999, MAX, COLUMNS };

/* Columns that have no cells vanish: the marks and the bars are of the short table, the tails of
 * the full one. The slow clock's columns are what `dual` was asked for: they are dropped late. */
#define COLUMNS_OF(mean, slow, total)                                                              \
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},                             \
	[OUTCOME] = {"OUTCOME", .drop = 2},                                                        \
	[CALLS] = {"CALLS", .drop = 3, TABLE_FIELD(COUNT, report_site, calls)},                    \
	[MEAN] = {mean, .right = true, .style = TERMINAL_BOLD}, [UNIT] = {"", .glued = true},      \
	[INTERVAL] = {"INTERVAL", .glued = true, .drop = 1},                                       \
	[MARKS] = {"", .glued = true, .style = TERMINAL_WARN},                                     \
	[SLOW] = {slow, .right = true, .drop = 2}, [SLOW_UNIT] = {"", .glued = true, .drop = 2},   \
	[SLOW_INTERVAL] = {"INTERVAL", .glued = true, .drop = 2},                                  \
	[SLOW_COVERS] = {"AGREES", .drop = 2}, [OVERHEAD] = {"OFF", .right = true, .drop = 9},     \
	[TOTAL] = {total, .right = true, .drop = 4},                                               \
	[SHARE] = {"SHARE", .right = true, .drop = 3},                                             \
	[BAR] = {"", .drop = 13, .glued = true, .style = TERMINAL_DIM},                            \
	[CPU] = {"CPU", .right = true, .drop = 5}, [BYTES] = {"BYTES", .right = true, .drop = 6},  \
	[PER_BYTE] = {"ns/B", .right = true, .drop = 7},                                           \
	[P50] = {"P50", .right = true, .drop = 10}, [P99] = {"P99", .right = true, .drop = 8},     \
	[P999] = {"P99.9", .right = true, .drop = 11}, [MAX] = {"MAX", .right = true, .drop = 9},  \
	[COLUMNS] = {0},

static const struct table_column columns[] = {COLUMNS_OF("MEAN", "SLOW", "TOTAL")};
static const struct table_column cpu_columns[] = {COLUMNS_OF("ON CPU", "ELAPSED", "CPU TIME")};

static void size_cells(struct table *table, const struct report_site *s, bool few)
{
	if (s->has_bytes)
		table_cell(table, BYTES, numbered_bytes(s->bytes).text);
	if (s->has_bytes && !few && s->per_byte_matters)
		table_cell(table, PER_BYTE, numbered_plain(s->per_byte_ns).text);
}

/* No tick was seen: there is no mean, only an upper limit. */
static void no_tick_cells(struct text *t, struct table *table, size_t at, double high_ns)
{
	table_cell(table, at, "no tick");
	if (isfinite(high_ns))
		table_print_cell(table, at + 2, "[0, %s]",
				 numbered_duration(fmax(high_ns, 0), t->terminal.utf8).text);
}

/* Below 0 nothing is known of a time. */
static void duration_cell(struct text *t, struct table *table, size_t column, double ns)
{
	text_cell_duration(t, table, column, ns > 0 ? ns : NAN);
}

static void mean_cells(struct text *t, struct table *table, const struct report_site *s)
{
	const struct mean_interval *cpu = &s->states.on_cpu;

	if (s->calls && !s->units) {
		no_tick_cells(t, table, MEAN, s->estimate.high);
	} else if (t->report->sort == REPORT_SORT_CPU && s->states.known && !isnan(cpu->mean)) {
		text_cell_mean(t, table, MEAN, cpu);
		duration_cell(t, table, TOTAL, site_cpu_ns(s));
		if (!s->has_slow)
			duration_cell(t, table, SLOW, s->estimate.mean);
	} else {
		text_cell_mean(t, table, MEAN,
			       isnan(s->below_ns) ? &s->estimate
						  : &(struct mean_interval){.high = s->below_ns});
		duration_cell(t, table, TOTAL, s->total_ns);
	}
}

static void slow_cells(struct text *t, struct table *table, const struct report_site *s)
{
	if (s->has_slow && s->slow.seen) {
		text_cell_mean(t, table, SLOW, &s->slow.estimate);
		table_cell(table, SLOW_COVERS, s->slow.covers ? "yes" : "NO");
	} else if (s->has_slow) {
		no_tick_cells(t, table, SLOW, s->slow.estimate.high);
	}
}

static void tail_cells(struct text *t, struct table *table, const struct report_site *s, bool few)
{
	if (!s->has_percentiles)
		return;
	text_cell_duration(t, table, P99, s->percentiles.at[REPORT_P99].ns);
	if (few)
		return;
	text_cell_duration(t, table, P50, s->percentiles.at[REPORT_P50].ns);
	if (isfinite(s->percentiles.at[REPORT_P999].high_ns)) /* else too few calls to tell */
		text_cell_duration(t, table, P999, s->percentiles.at[REPORT_P999].ns);
	text_cell_duration(t, table, MAX, s->percentiles.max_ns);
}

/* Of the threads' time. "inside": its time is that of another row, too. */
static void share_cell(struct table *table, const struct report_site *s, bool apart)
{
	table_print_cell(table, SHARE, "%s%s%s", s->outer_calls ? "" : "inside ",
			 s->waits && !apart ? "waits " : "", numbered_share(s->time_share).text);
}

/* `apart`: rows that wait have a heading that says so. */
static void add_site(struct text *t, struct table *table, const struct report_site *s, bool apart)
{
	text_cell_row(t, table, s);
	text_cell_put(t, table, FUNCTION, t->report->profile->function[s->function].name);
	if (s->overflow || s->outcome != SCP_COMPLETED)
		table_cell(table, OUTCOME, report_names_outcome(s));
	mean_cells(t, table, s);
	slow_cells(t, table, s);
	if (s->overhead_ns != 0 && !apart)
		text_cell_duration(t, table, OVERHEAD, s->overhead_ns);
	if (t->report->sort != REPORT_SORT_CPU || s->waits)
		share_cell(table, s, apart);
	table_cell(table, CPU, text_notes_states_cpu(s).text);
	size_cells(table, s, apart);
	tail_cells(t, table, s, apart);
}

/* A share as a bar of ten columns, in eighths where there are such characters. */
static void bar_cell(const struct text *t, struct table *table, double share)
{
	static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
	int eighths = share > 0 ? (int)lround(fmin(share, 1) * 80) : 0;
	char bar[40] = "", *at = bar;

	if (!t->terminal.utf8)
		eighths = (eighths + 4) / 8 * 8;
	for (; eighths > 0; eighths -= 8)
		at = stpcpy(at, t->terminal.utf8 ? eighth[eighths < 8 ? eighths : 8] : "#");
	table_cell(table, BAR, bar);
}

static void mark_cell(struct table *table, const struct report_site *s)
{
	unsigned marks = text_sites_marks(s);

	table_print_cell(table, MARKS, "%s%s", marks & TEXT_DOUBT ? "!" : "",
			 marks & TEXT_NOTE ? "~" : "");
}

unsigned text_sites_marks(const struct report_site *s)
{
	return (reliability_doubts(s) ? TEXT_DOUBT : 0) | (reliability_findings(s) ? TEXT_NOTE : 0);
}

void text_sites_begin(const struct text *t, struct table *table)
{
	table_begin(table, t->report->sort == REPORT_SORT_CPU ? cpu_columns : columns,
		    "CALLED FROM");
}

void text_sites_waiting(struct table *table)
{
	table_section(table);
	table_cell(table, FUNCTION, "WAITING");
}

void text_sites_row(struct text *t, struct table *table, uint32_t site)
{
	const struct report_site *s = &t->report->site[site];
	add_site(t, table, s, true);
	mark_cell(table, s);
	if (t->report->sort != REPORT_SORT_CPU || s->waits)
		bar_cell(t, table, s->time_share);
}

static void doubt_notes(struct text *t, struct table *table, const struct report_site *s)
{
	unsigned doubts = reliability_doubts(s);

	for (unsigned bit = 1; bit <= doubts; bit *= 2)
		if (doubts & bit)
			text_cell_note(t, table, "! %s: scprof explain says more",
				       reliability_name(bit));
}

/* The row's time holds that of other rows, or is held by it. */
static void inside_note(struct text *t, struct table *table, const struct report_site *s)
{
	struct numbered calls = numbered_count(s->inner_calls);

	if (s->outer_calls && s->outer_calls < s->calls)
		text_cell_note(t, table, "~ %s of these calls are inside those of other rows",
			       numbered_share(1 - (double)s->outer_calls / (double)s->calls).text);
	if (s->inner_calls && (isnan(s->self_ns) || !(s->total_ns > 0)))
		text_cell_note(t, table, "~ contains %s recorded calls of other rows", calls.text);
	else if (s->inner_calls)
		text_cell_note(t, table,
			       "~ of it %s in %s recorded calls of other rows, %s its own",
			       numbered_share(1 - s->self_ns / s->total_ns).text, calls.text,
			       numbered_duration(s->self_ns, t->terminal.utf8).text);
}

void text_sites_folded(struct text *t, struct table *table, const struct report_site *s)
{
	if (s->paths > 1)
		text_cell_note(t, table, "~ %s call paths through these functions; the longest:",
			       numbered_count(s->paths).text);
}

int text_sites(struct text *t)
{
	struct report *r = t->report;
	struct text_apart apart;
	struct table table;
	double shown_ns = 0;
	uint32_t rows = r->sites < t->top ? r->sites : t->top;
	int status = text_shared_callers_begin(&apart, r, NULL, rows);

	text_sites_begin(t, &table);
	for (uint32_t i = 0; status == 0 && i < rows; i++) {
		const struct report_site *s = &r->site[i];

		add_site(t, &table, s, false);
		doubt_notes(t, &table, s);
		inside_note(t, &table, s);
		text_notes_states_notes(t, &table, s);
		text_notes_steady_notes(t, &table, s, i < DETAILED);
		text_sites_folded(t, &table, s);
		if (r->by != REPORT_BY_FUNCTION || s->frames)
			text_path_notes(t, &table, s, apart.mark[i], text_path_lines(t, i));
		shown_ns += s->waits ? 0 : fmax(s->outer_ns, 0);
	}
	text_shared_callers_end(&apart);
	if (status < 0)
		return -1;
	status = text_cell_end(t, &table);
	text_cell_rows_shown(t, r->sites, shown_ns, r->net_ns,
			     r->waiting_ns > 0 ? "the time of calls that do not wait"
					       : "the calls' time");
	return status;
}

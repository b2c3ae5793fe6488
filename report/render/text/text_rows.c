// SPDX-License-Identifier: GPL-3.0-or-later
/* The short table of sites: on a screen the rows that have most of the time, those that work before
 * those that wait. What is not shown is one line. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"

#define MOST 0.9 /* of the time in calls: the rows that have it are shown */

struct rows {
	uint32_t *row; /* sites that may be shown: those that work, then those that wait */
	uint32_t works, waits;
	uint32_t works_shown, waits_shown;
};

/* -1: out of memory. Either way to be freed. */
static int collect(struct rows *rows, const struct report *r)
{
	uint32_t most = r->sites < 2 * (uint64_t)r->kept ? r->sites : 2 * r->kept;

	*rows = (struct rows){.row = calloc((size_t)most + 1, sizeof(*rows->row))};
	if (!rows->row)
		return -1;
	for (const struct report_site *s = NULL; (s = report_next_site(r, s));) {
		rows->row[rows->works + rows->waits] = (uint32_t)(s - r->site);
		rows->works += !s->waits;
		rows->waits += s->waits;
	}
	return 0;
}

/* What a row counts for: its time outside of other rows, or what the order is by; of what waits,
 * all its time, which is more than what it has of a CPU. */
static double weight_of(const struct report *r, const struct report_site *s)
{
	double ns = s->waits ? s->total_ns : s->outer_ns;

	if (r->sort == REPORT_SORT_CPU && s->states.known && !s->waits)
		ns = site_cpu_ns(s);
	return ns > 0 ? ns : 0;
}

/* How many of the rows have most of what all of them have. */
static uint32_t needed(const struct report *r, const uint32_t *row, uint32_t rows)
{
	double ns = 0, all = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows; i++)
		all += weight_of(r, &r->site[row[i]]);
	for (; n < rows && ns < MOST * all; n++)
		ns += weight_of(r, &r->site[row[n]]);
	return n;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Rows for most of the work, then for most of the waiting; `most` in all, of which a quarter is for
 * what waits, and `least` if there are as many. */
static void choose(struct rows *rows, const struct report *r, uint32_t least, uint32_t most)
{
	uint32_t waits = needed(r, rows->row + rows->works, rows->waits), left;
	uint32_t works = needed(r, rows->row, rows->works);

	waits = smaller(waits, works + most / 4 < most ? most - works : (most + 3) / 4);
	works = smaller(works, most - waits);
	left = least > works + waits ? least - works - waits : 0;
	rows->works_shown = smaller(works + left, rows->works);
	left -= rows->works_shown - works;
	rows->waits_shown = smaller(waits + left, rows->waits);
	memmove(rows->row + rows->works_shown, rows->row + rows->works,
		rows->waits_shown * sizeof(*rows->row));
}

static void add_row(struct text *t, struct table *table, uint32_t site, const unsigned char *mark)
{
	const struct report_site *s = &t->report->site[site];

	text_sites_row(t, table, site);
	if (t->report->by == REPORT_BY_FUNCTION && !s->frames)
		return;
	text_sites_folded(t, table, s);
	if (t->options->frames == REPORT_FRAMES_DEFAULT)
		text_path_line(t, table, s, mark);
	else
		text_path_notes(t, table, s, mark, t->options->frames);
}

static void print_rest(struct text *t, const struct rows *rows)
{
	const struct report *r = t->report;
	uint32_t shown = rows->works_shown + rows->waits_shown, left = r->sites + r->beyond - shown;
	double ns = r->net_ns + r->net_waiting_ns;

	for (uint32_t i = 0; i < shown; i++) {
		const struct report_site *s = &r->site[rows->row[i]];

		ns -= fmax(s->waits ? s->total_ns : s->outer_ns, 0);
	}
	if (left)
		text_cell_say(t, TERMINAL_DIM, "  + ", 4,
			      "%" PRIu32 " more row%s: %s, %s of the time. All: --full, or --top 0",
			      left, left == 1 ? "" : "s",
			      numbered_duration(fmax(ns, 0), t->terminal.utf8).text,
			      numbered_share(r->time_ns > 0 ? fmax(ns, 0) / r->time_ns : NAN).text);
}

static void print_legend(struct text *t, const struct rows *rows)
{
	unsigned marks = 0;

	for (uint32_t i = 0; i < rows->works_shown + rows->waits_shown; i++)
		marks |= text_sites_marks(&t->report->site[rows->row[i]]);
	if (!marks)
		return;
	text_cell_say(t, TERMINAL_DIM, "  ", 4, "%s",
		      marks == TEXT_DOUBT  ? "! the interval may be wrong (--full: why)"
		      : marks == TEXT_NOTE ? "~ the mean hides something (--full: what)"
					   : "! the interval may be wrong, ~ the mean hides "
					     "something (--full: why)");
}

static int print(struct text *t, const struct rows *rows)
{
	uint32_t shown = rows->works_shown + rows->waits_shown;
	struct text_apart apart;
	struct table table;
	int status = text_shared_callers_begin(&apart, t->report, rows->row, shown);

	text_sites_begin(t, &table);
	for (uint32_t i = 0; status == 0 && i < shown; i++) {
		t->shown[t->report->site[rows->row[i]].row] = true;
		if (i == rows->works_shown)
			text_sites_waiting(&table);
		add_row(t, &table, rows->row[i], apart.mark[i]);
	}
	text_shared_callers_end(&apart);
	return status ? status : text_cell_end(t, &table);
}

int text_rows(struct text *t)
{
	struct rows rows;
	int status = collect(&rows, t->report);

	if (status == 0) {
		choose(&rows, t->report, t->least, t->top);
		status = print(t, &rows);
	}
	if (status == 0) {
		print_rest(t, &rows);
		print_legend(t, &rows);
	}
	free(rows.row);
	return status;
}

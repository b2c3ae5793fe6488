// SPDX-License-Identifier: GPL-3.0-or-later
/* The short table of sites: as many rows as fit the screen, those that work before those that wait.
 * What is not shown is one line. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"

#define ROWS_LEAST 3	 /* however low the screen is */
#define WIDE	   180	 /* columns in which call paths have room beside the numbers */
#define LITTLE	   0.001 /* a share of time that is not worth a word beside another */

struct rows {
	uint32_t *row; /* sites that may be shown: those that work, then those that wait */
	uint32_t works, waits;
	uint32_t works_much, waits_much; /* that are not little */
	uint32_t works_shown, waits_shown;
};

/* -1: out of memory. Either way to be freed. */
static int collect(struct rows *rows, const struct report *r)
{
	uint32_t most = r->sites < 2 * (uint64_t)r->kept ? r->sites : 2 * r->kept;

	*rows = (struct rows){.row = calloc((size_t)most + 1, sizeof(*rows->row))};
	if (!rows->row)
		return -1;
	for (uint32_t i = report_next_filled(r, 0); i < r->sites;
	     i = report_next_filled(r, i + 1)) {
		const struct report_site *s = &r->site[i];

		rows->row[rows->works + rows->waits] = i;
		rows->works += !s->waits;
		rows->waits += s->waits;
		rows->works_much += !s->waits && s->share >= LITTLE;
		rows->waits_much += s->waits && s->waiting_share >= LITTLE;
	}
	return 0;
}

static uint32_t beyond(uint32_t most, uint32_t needed)
{
	return most > needed ? most - needed : 0;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A quarter of them for what waits, and what the others do not need; a row of little work is no
 * need where one waited for much. */
static void choose(struct rows *rows, uint32_t most)
{
	uint32_t quarter = most > 2 && most < 4 ? 1 : most / 4;
	uint32_t much = beyond(most, larger(rows->works_much, 1));
	uint32_t waits = larger(beyond(most, rows->works), quarter);

	waits = larger(waits, much < rows->waits_much ? much : rows->waits_much);
	rows->waits_shown = rows->waits < waits ? rows->waits : waits;
	most -= rows->waits_shown;
	rows->works_shown = rows->works < most ? rows->works : most;
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

/* "1.2 ms, 3.4 % of the work; 5.6 s, 7.8 % of the time waiting". */
static void describe_time(const struct text *t, double work_ns, double waiting_ns, char *out,
			  size_t room)
{
	const struct report *r = t->report;
	char time[32], share[32], work[96] = "", waiting[96] = "";

	numbers_duration(time, sizeof(time), work_ns, t->terminal.utf8);
	numbers_share(share, sizeof(share), r->net_ns > 0 ? work_ns / r->net_ns : NAN);
	if (work_ns > 0)
		snprintf(work, sizeof(work), "%s, %s of the work", time, share);
	numbers_duration(time, sizeof(time), waiting_ns, t->terminal.utf8);
	numbers_share(share, sizeof(share), r->time_ns > 0 ? waiting_ns / r->time_ns : NAN);
	if (waiting_ns > 0 && !(work_ns > 0 && waiting_ns < LITTLE * r->time_ns))
		snprintf(waiting, sizeof(waiting), "%s, %s of the time, waiting", time, share);
	snprintf(out, room, "%s%s%s", work, *work && *waiting ? "; " : "", waiting);
}

static void print_rest(struct text *t, const struct rows *rows)
{
	const struct report *r = t->report;
	uint32_t shown = rows->works_shown + rows->waits_shown, left = r->sites + r->beyond - shown;
	double work_ns = r->net_ns, waiting_ns = r->net_waiting_ns;
	char time[208];

	for (uint32_t i = 0; i < shown; i++) {
		const struct report_site *s = &r->site[rows->row[i]];

		if (s->waits)
			waiting_ns -= fmax(s->total_ns, 0);
		else
			work_ns -= fmax(s->outer_ns, 0);
	}
	if (!left)
		return;
	describe_time(
		t,
		rows->works_shown < rows->works || r->kept < r->working || r->beyond ? work_ns : 0,
		rows->waits_shown < rows->waits || r->kept < r->sites - r->working || r->beyond
			? waiting_ns
			: 0,
		time, sizeof(time));
	text_cell_say(t, TERMINAL_DIM, "  + ", 4,
		      "%" PRIu32 " more row%s: %s. All: --full, or --top 0", left,
		      left == 1 ? "" : "s", time);
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

/* Rows that find room in `lines`. What is found out about modules when names are looked up may
 * become a warning, which takes a line. */
static uint32_t fit(struct text *t, const struct rows *rows, size_t lines)
{
	/* blank lines and headings of the table, and the lines below it */
	size_t taken = 2 + (rows->waits ? 2 : 0) + 3 +
		       text_cell_lines(t, text_warnings_brief, false),
	       each = 1;

	if (t->terminal.width < WIDE && (t->report->by != REPORT_BY_FUNCTION || t->report->caller))
		each = t->options->frames == REPORT_FRAMES_DEFAULT ? 2 : t->options->frames + 1u;
	lines = lines > taken ? (lines - taken) / each : 0;
	return lines < ROWS_LEAST ? ROWS_LEAST : (uint32_t)lines;
}

static int print(struct text *t, const struct rows *rows)
{
	uint32_t shown = rows->works_shown + rows->waits_shown;
	struct text_apart apart;
	struct table table;
	int status = text_shared_callers_begin(&apart, t->report, rows->row, shown);

	text_sites_begin(t, &table);
	for (uint32_t i = 0; status == 0 && i < shown; i++) {
		if (i == rows->works_shown)
			text_sites_waiting(&table);
		add_row(t, &table, rows->row[i], apart.mark[i]);
	}
	text_shared_callers_end(&apart);
	if (status == 0)
		status = text_cell_end(t, &table);
	return status;
}

int text_rows(struct text *t)
{
	struct rows rows;
	int status = collect(&rows, t->report);

	if (status == 0) {
		choose(&rows,
		       t->options->top == REPORT_TOP_DEFAULT ? fit(t, &rows, t->lines) : t->top);
		status = print(t, &rows);
	}
	if (status == 0) {
		print_rest(t, &rows);
		print_legend(t, &rows);
	}
	free(rows.row);
	return status;
}

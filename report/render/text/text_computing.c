// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of what was computed between the calls: the functions that have most of it, and how
 * small a one would have been seen. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"

#define MOST	 0.9 /* of the CPU time outside of calls: the functions that have it are shown */
#define SEEN	 0.95
#define SCREEN	 10 /* rows */
#define LEAST	 3  /* samples: rows of fewer are no order */
#define OVERHEAD 0.01
/* So many times what the threads' states have, which begin with their first calls. */
#define WITH_STARTS 2

enum { FUNCTION, SHARE, INTERVAL, CPU };

static const struct table_column columns[] = {
	[FUNCTION] = {"COMPUTING", .least = 8, .style = TERMINAL_NAME},
	[SHARE] = {"SHARE", .right = true, .style = TERMINAL_BOLD},
	[INTERVAL] = {"INTERVAL", .right = true, .drop = 3},
	[CPU] = {"CPU TIME", .right = true},
	{0},
};

struct words text_computing_title(const struct report *r, bool utf8)
{
	const struct report_computing *c = r->computing;
	const struct report_threads_time *t = &r->threads_time;
	struct words title = {""};

	numbers_append(&title,
		       "computing outside of calls%s: %s of CPU time%s%s, by %" PRIu64
		       " sample%s. A function with %s would have been seen",
		       r->apart ? ", of all programs" : "",
		       numbered_duration(1e9 * c->cpu_s, utf8).text,
		       c->user ? " in user space" : "",
		       t->known && c->cpu_s > WITH_STARTS * (t->cpu_outside_s + t->recording_s)
			       ? ", the starts of processes included"
			       : "",
		       c->samples - c->in_calls, c->samples - c->in_calls == 1 ? "" : "s",
		       numbered_share(1 - pow(1 - SEEN, 1 / fmax(c->effective, 1))).text);
	return title;
}

struct words text_computing_recording(const struct report_computing *c)
{
	const struct report_computing_row *of = &c->recording;
	struct words line = {""};

	if (of->share >= OVERHEAD && of->samples >= LEAST)
		numbers_append(&line, "recording by scprof: %s (%s)",
			       numbered_share(of->share).text,
			       numbered_limits(of->share_low, of->share_high).text);
	return line;
}

static void add_row(struct text *t, struct table *table, const struct report_computing_row *row)
{
	struct report_site callers = row->place;
	unsigned char mark[SCP_MAX_FRAMES + 1] = {0};

	table_row(table);
	text_cell_print(t, table, FUNCTION, "%s%s", computing_name(row), computing_behind(row));
	table_cell(table, SHARE, numbered_share(row->share).text);
	table_cell(table, INTERVAL, numbered_limits(row->share_low, row->share_high).text);
	text_cell_duration(t, table, CPU, 1e9 * row->cpu_s);
	if (callers.frames > row->at + 1) {
		callers.frame += row->at + 1;
		callers.frames -= row->at + 1;
		text_path_line(t, table, &callers, mark);
	}
}

static void print_rest(struct text *t, uint32_t shown)
{
	const struct report_computing *c = t->report->computing;
	const struct words recording = text_computing_recording(c);
	double left = 1 - c->recording.share;

	for (uint32_t i = 0; i < shown; i++)
		left -= c->row[i].share;
	if (shown < c->rows)
		text_cell_say(t, TERMINAL_DIM, "  + ", 4,
			      "%" PRIu32 " more function%s: %s. All: --full", c->rows - shown,
			      c->rows - shown == 1 ? "" : "s", numbered_share(fmax(left, 0)).text);
	if (*recording.text)
		text_cell_say(t, TERMINAL_DIM, "  + ", 4, "%s", recording.text);
}

int text_computing(struct text *t)
{
	struct table table;
	uint32_t top = t->options->full ? UINT32_MAX : t->top < SCREEN ? t->top : SCREEN, shown = 0;

	if (computing_find(t->report))
		return -1;
	const struct report_computing *c = t->report->computing;
	if (!c || c->samples == c->in_calls)
		return 0;
	fputc('\n', t->out);
	text_cell_say(t, TERMINAL_BOLD, "", 2, "%s",
		      text_computing_title(t->report, t->terminal.utf8).text);
	table_begin(&table, columns, "CALLED FROM");
	for (double sum = 0; shown < c->rows && shown < top; shown++) {
		if (!t->options->full && (sum >= MOST || (shown && c->row[shown].samples < LEAST)))
			break;
		add_row(t, &table, &c->row[shown]);
		sum += c->row[shown].share;
	}
	int status = text_cell_end(t, &table);

	print_rest(t, shown);
	return status;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of the slowest calls: how long, when, in what, and from where. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>

#include "report/model/model.h"
#include "report/wording/numbers.h"

enum { ROW, TOOK, TICKS, STATE, BEGAN, ENDED, FUNCTION, OUTCOME, BYTES, THREAD, TID, PID };

static const struct table_column columns[] = {
	[ROW] = {"#", .right = true, .drop = 1}, /* "as #1" is said of it */
	[TOOK] = {"TOOK", .style = TERMINAL_BOLD, TABLE_FIELD(NS, report_slowest, duration_ns)},
	[TICKS] = {"SLOW", .right = true, .drop = 6},
	[STATE] = {"MOSTLY", .drop = 3},
	[BEGAN] = {"BEGAN AT", .right = true},
	[ENDED] = {"ENDED AT", .right = true},
	[FUNCTION] = {"FUNCTION", .least = 8, .style = TERMINAL_NAME},
	[OUTCOME] = {"OUTCOME", .drop = 2},
	[BYTES] = {"BYTES", .right = true, .drop = 4},
	[THREAD] = {"THREAD", .least = 8, TABLE_FIELD(NAME, report_slowest, thread)},
	[TID] = {"TID", .drop = 2, TABLE_FIELD(NUMBER, report_slowest, tid)},
	[PID] = {"PID", .right = true, .drop = 2},
	{0},
};

static void add_row(struct text *t, struct table *table, const struct report_slowest *s,
		    uint32_t row)
{
	const struct report *r = t->report;

	text_cell_row(t, table, s);
	table_print_cell(table, ROW, "%" PRIu32, row + 1);
	if (r->profile->slow.kind != SCP_CLOCK_NONE)
		table_print_cell(table, TICKS, "%" PRIu64 " tick%s", s->slow_ticks,
				 s->slow_ticks == 1 ? "" : "s");
	table_cell(table, STATE, text_notes_states_call(s).text);
	if (isnan(s->began_s))
		table_print_cell(table, ENDED, "%.6f s", s->ended_s);
	else
		table_print_cell(table, BEGAN, "%.6f s", s->began_s);
	text_cell_put(t, table, FUNCTION, r->profile->function[s->place.function].name);
	if (s->place.outcome != SCP_COMPLETED)
		table_cell(table, OUTCOME, report_names_outcome(&s->place));
	if (s->place.has_bytes)
		table_cell(table, BYTES, numbered_bytes(s->place.bytes).text);
	if (r->processes > 1)
		table_print_cell(table, PID, "%" PRIu32, s->pid);
}

/* The row above that has the same path, or `row` itself. */
static uint32_t same_path(const struct report *r, uint32_t row)
{
	for (uint32_t i = 0; i < row; i++)
		if (r->slowest[i].place.frame == r->slowest[row].place.frame)
			return i;
	return row;
}

static void add_path(struct text *t, struct table *table, uint32_t row)
{
	const struct report_site *place = &t->report->slowest[row].place;
	uint32_t same = same_path(t->report, row), lines = text_path_lines(t, row);
	const unsigned char marks[SCP_MAX_FRAMES + 1] = {0};

	if (lines && same != row)
		text_cell_note(t, table, "as #%" PRIu32, same + 1);
	else if (lines)
		text_path_notes(t, table, place, marks, lines);
}

static const char *explain_switched(const struct report *r)
{
	for (uint32_t i = 0; i < r->slowests; i++)
		if (r->slowest[i].state == SCP_SLOWEST_SWITCHED)
			return " switched: it lost its CPU or slept; run --states exact can "
			       "tell which.";
	return "";
}

static void print_title(struct text *t)
{
	const struct profile *p = t->report->profile;
	const struct scp_slowest_asked *asked = &p->slowest_asked;
	bool ticks = p->clock.kind == SCP_CLOCK_PAGE || p->clock.kind == SCP_CLOCK_COARSE;
	char line[640], of[64] = "", count[16] = "", unsure[192] = "";
	bool utf8 = t->terminal.utf8, random = p->clock.flags & SCP_CLOCK_RANDOMIZED;

	if (t->report->slowests > 1)
		snprintf(count, sizeof(count), "%" PRIu32 " ", t->report->slowests);
	if (asked->least_ns)
		snprintf(of, sizeof(of), " of %s or more",
			 numbered_duration((double)asked->least_ns, utf8).text);
	if (ticks)
		snprintf(unsure, sizeof(unsure),
			 " A duration is whole ticks (%s%s): right to one tick either way%s.",
			 random ? "on average " : "",
			 numbered_duration(p->clock.tick_ns, utf8).text,
			 random ? ", and to what ticks vary by" : "");
	if (t->report->slowests)
		snprintf(line, sizeof(line),
			 "the %slongest%s%s. Times are after recording began.%s%s", count, of,
			 asked->flags & SCP_SLOWEST_CHOSEN
				 ? ", among the functions chosen"
				 : "; functions whose work is to wait (poll, accept, ...) left out",
			 explain_switched(t->report), unsure);
	else
		snprintf(line, sizeof(line), "no call%s was found.%s", of, unsure);
	fputc('\n', t->out);
	terminal_print(t->out, &t->terminal, TERMINAL_BOLD, "slowest calls");
	fputs(": ", t->out);
	text_cell_wrap(t, line, 15, 2);
}

int text_slowest(struct text *t)
{
	const struct report *r = t->report;
	uint32_t top = rows_of_top(r->slowests, t->options->top);
	struct table table;

	if (!r->profile->slowest_asked.count)
		return 0;
	print_title(t);
	table_begin(&table, columns, "CALLED FROM");
	for (uint32_t i = 0; i < top; i++) {
		add_row(t, &table, &r->slowest[i], i);
		add_path(t, &table, i);
	}
	return text_cell_end(t, &table);
}

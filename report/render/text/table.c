// SPDX-License-Identifier: GPL-3.0-or-later
/* Keeps the cells of a table, and lays it out: natural widths first, then columns dropped, then
 * flexible ones narrowed, until the row fits. */
#include "report/render/text/table.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/wording/utf8.h"

void table_begin(struct table *t, const struct table_column *columns, const char *notes_title)
{
	memset(t, 0, sizeof(*t));
	t->column = columns;
	t->notes_title = notes_title;
	while (t->columns < TABLE_COLUMNS && columns[t->columns].title)
		t->columns++;
}

void table_end(struct table *t)
{
	for (size_t r = 0; r < t->rows; r++) {
		for (size_t c = 0; c < t->columns; c++)
			free(t->row[r].cell[c]);
		for (size_t n = 0; n < t->row[r].notes; n++)
			free(t->row[r].note[n]);
		free(t->row[r].note);
	}
	free(t->row);
	memset(t, 0, sizeof(*t));
}

void table_row(struct table *t)
{
	if (!ARRAY_APPEND(t->row, t->rows))
		t->failed = true;
}

void table_section(struct table *t)
{
	table_row(t);
	if (!t->failed)
		t->row[t->rows - 1].heading = true;
}

void table_take(struct table *t, size_t column, char *text)
{
	char **cell = t->failed ? NULL : &t->row[t->rows - 1].cell[column];

	t->failed |= !text;
	if (text && *text && cell) {
		free(*cell);
		*cell = text;
	} else {
		free(text);
	}
}

void table_cell(struct table *t, size_t column, const char *text)
{
	table_take(t, column, strdup(text));
}

void table_note(struct table *t, const char *text)
{
	struct table_row *row = t->failed ? NULL : &t->row[t->rows - 1];
	char **note = row ? ARRAY_APPEND(row->note, row->notes) : NULL;

	if (note)
		*note = strdup(text);
	t->failed |= !note || !*note;
}

#define NOTES_INDENT 4
#define EASE	     3	/* a name three times its least width reads well */
#define NOTES_LEAST  48 /* narrower than this at the right, notes go below */

struct layout {
	struct terminal_line line;
	size_t width[TABLE_COLUMNS]; /* 0: not shown */
	size_t notes_at;	     /* column where notes begin */
	bool notes_beside;
};

static const char *cell_of(const struct table *t, size_t row, size_t column)
{
	return t->row[row].cell[column] ? t->row[row].cell[column] : "";
}

static void natural_widths(const struct table *t, struct layout *l)
{
	for (size_t c = 0; c < t->columns; c++) {
		for (size_t r = 0; r < t->rows; r++) {
			size_t w = utf8_width(cell_of(t, r, c));

			if (w > l->width[c])
				l->width[c] = w;
		}
		if (l->width[c] && utf8_width(t->column[c].title) > l->width[c])
			l->width[c] = utf8_width(t->column[c].title);
	}
}

static size_t gap_before(const struct table *t, size_t column, bool first)
{
	return first ? 0 : t->column[column].glued ? 1 : 2;
}

/* Width of a row when flexible columns are no wider than `ease` times the
 * least that they may be; 0: as they are. */
static size_t row_width(const struct table *t, const struct layout *l, size_t ease)
{
	size_t total = 0;

	for (size_t c = 0; c < t->columns; c++) {
		size_t w = l->width[c], most = ease * t->column[c].least;

		if (!w)
			continue;
		total += gap_before(t, c, !total) + (most && most < w ? most : w);
	}
	return total;
}

/* Drop the least important columns, if they are no more important than `limit`. */
static bool drop_one(const struct table *t, struct layout *l, uint8_t limit)
{
	uint8_t highest = 0;

	for (size_t c = 0; c < t->columns; c++)
		if (l->width[c] && t->column[c].drop > highest)
			highest = t->column[c].drop;
	if (!highest || highest < limit)
		return false;
	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c].drop == highest)
			l->width[c] = 0;
	return true;
}

/* Take what is missing from the flexible columns, the widest first. */
static void narrow(const struct table *t, struct layout *l, size_t width)
{
	while (row_width(t, l, 0) > width) {
		size_t widest = t->columns;

		for (size_t c = 0; c < t->columns; c++)
			if (t->column[c].least && l->width[c] > t->column[c].least &&
			    (widest == t->columns || l->width[c] > l->width[widest]))
				widest = c;
		if (widest == t->columns)
			return;
		l->width[widest]--;
	}
}

static void lay_out(const struct table *t, struct layout *l)
{
	size_t width = l->line.terminal->width, total;

	natural_widths(t, l);
	/* Names stay readable before extras are shown, extras go before the rest. */
	while (row_width(t, l, EASE) > width && drop_one(t, l, TABLE_EXTRA))
		;
	while (row_width(t, l, 1) > width && drop_one(t, l, 1))
		;
	narrow(t, l, width);
	total = row_width(t, l, 0);
	l->notes_beside = total + 3 + NOTES_LEAST <= width;
	l->notes_at = l->notes_beside ? total + 3 : NOTES_INDENT;
}

static bool section_has(const struct table *t, size_t first, size_t column)
{
	for (size_t r = first; r < t->rows && !t->row[r].heading; r++)
		if (t->row[r].cell[column])
			return true;
	return false;
}

/* NULL row: the titles. */
static const char *text_of(const struct table *t, const struct table_row *row, size_t column)
{
	const char *title = t->column[column].title;

	if (row && (row->cell[column] || !row->heading))
		return row->cell[column] ? row->cell[column] : "";
	return section_has(t, row ? (size_t)(row - t->row) + 1 : 0, column) ? title : "";
}

static void end_line(struct layout *l)
{
	fputc('\n', l->line.out);
	l->line.at = 0;
}

static void print_cells(const struct table *t, struct layout *l, const struct table_row *row)
{
	size_t column = 0;

	for (size_t c = 0; c < t->columns; c++) {
		const struct table_column *def = &t->column[c];

		if (!l->width[c])
			continue;
		column += gap_before(t, c, !column);
		terminal_put(&l->line, column, l->width[c], def->right || def->type > TABLE_NAME,
			     text_of(t, row, c), row && !row->heading ? def->style : TERMINAL_BOLD);
		column += l->width[c];
	}
}

static bool has_notes(const struct table *t)
{
	for (size_t r = 0; r < t->rows; r++)
		if (t->row[r].notes)
			return true;
	return false;
}

/* NULL: the titles. */
static void print_row(const struct table *t, struct layout *l, const struct table_row *row)
{
	const char *title = !row && has_notes(t) ? t->notes_title : NULL;
	const char *beside = row && row->notes ? row->note[0] : title;
	size_t room = l->line.terminal->width - l->notes_at, next = 0;

	if (row && row->heading && row > t->row)
		end_line(l);
	print_cells(t, l, row);
	if (beside && l->notes_beside) {
		terminal_put(&l->line, l->notes_at, room, false, beside,
			     row ? TERMINAL_DIM : TERMINAL_BOLD);
		next = 1;
	}
	end_line(l);
	for (; row && next < row->notes; next++) {
		terminal_put(&l->line, l->notes_at, room, false, row->note[next], TERMINAL_DIM);
		end_line(l);
	}
}

int table_print(struct table *t, FILE *out, const struct terminal *terminal)
{
	struct layout l = {.line = {.out = out, .terminal = terminal}};

	if (t->failed || !t->rows)
		return t->failed ? -1 : 0;
	lay_out(t, &l);
	end_line(&l);
	if (!t->row[0].heading)
		print_row(t, &l, NULL);
	for (size_t r = 0; r < t->rows && !l.line.failed; r++)
		print_row(t, &l, &t->row[r]);
	return l.line.failed ? -1 : 0;
}

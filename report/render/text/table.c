// SPDX-License-Identifier: GPL-3.0-or-later
/* Keeps the cells of a table; table_print.c lays them out. */
#include "report/render/text/table.h"

#include <stdlib.h>
#include <string.h>

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
	if (t->rows == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		struct table_row *grown = realloc(t->row, room * sizeof(*grown));

		if (!grown) {
			t->failed = true;
			return;
		}
		t->row = grown;
		t->room = room;
	}
	memset(&t->row[t->rows++], 0, sizeof(t->row[0]));
}

void table_section(struct table *t)
{
	table_row(t);
	if (!t->failed)
		t->row[t->rows - 1].heading = true;
}

void table_cell(struct table *t, size_t column, const char *text)
{
	char **cell;

	if (t->failed || !*text)
		return;
	cell = &t->row[t->rows - 1].cell[column];
	free(*cell);
	*cell = strdup(text);
	if (!*cell)
		t->failed = true;
}

void table_note(struct table *t, const char *text)
{
	struct table_row *row;
	char **grown;

	if (t->failed)
		return;
	row = &t->row[t->rows - 1];
	grown = realloc(row->note, (row->notes + 1) * sizeof(*grown));
	if (grown)
		row->note = grown;
	if (!grown || !(grown[row->notes] = strdup(text))) {
		t->failed = true;
		return;
	}
	row->notes++;
}

// SPDX-License-Identifier: GPL-3.0-or-later
/* A table of text that fits its terminal: columns that are empty vanish, the
 * least important ones are dropped when the width does not suffice, flexible
 * ones are shortened, and no row ever wraps. Each row may have notes (a call
 * path), set to its right where there is room and below it where not.
 *
 * Texts must be clean (utf8_clean). They are copied. Memory that runs out is
 * remembered and reported by table_print. */
#pragma once

#include <stdint.h>

#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

#define TABLE_COLUMNS 24
#define TABLE_EXTRA   5 /* columns of this `drop` or more go before names are cut short */

/* What text_cell_row fills a column with from a field. All but names are aligned right. */
enum table_type {
	TABLE_OTHER,   /* nothing: its cells are filled one by one */
	TABLE_NAME,    /* const char *, cleaned */
	TABLE_NUMBER,  /* uint32_t, without separators */
	TABLE_SEVERAL, /* uint32_t; nothing for 1 and less */
	TABLE_COUNT,   /* uint64_t */
	TABLE_NS,      /* double */
	TABLE_SOME_NS, /* double; nothing for 0 and less */
	TABLE_S,       /* double */
	TABLE_SHARE,   /* double */
	TABLE_MEAN     /* struct mean_interval: this column, the unit's and the interval's */
};

struct table_column {
	const char *title; /* NULL ends the list */
	bool right;	   /* aligned right */
	bool glued;	   /* one space from the column before instead of two */
	uint8_t drop;	   /* 0: never; else dropped in falling order, equals together */
	uint8_t least;	   /* > 0: flexible, shortened to no less than this */
	enum terminal_style style;
	enum table_type type;
	size_t offset; /* of the field */
};
/* Of a column that text_cell_row fills from a field of `struct of`. */
#define TABLE_FIELD(kind, of, member) .type = TABLE_##kind, .offset = offsetof(struct of, member)

struct table_row {
	char *cell[TABLE_COLUMNS];
	char **note;
	size_t notes;
	bool heading; /* its cells are titles that differ from the columns' */
};

struct table {
	const struct table_column *column; /* borrowed */
	size_t columns;
	struct table_row *row;
	size_t rows;
	const char *notes_title; /* heading of notes set to the right; borrowed */
	bool failed;
};

void table_begin(struct table *t, const struct table_column *columns, const char *notes_title);
void table_end(struct table *t);

void table_row(struct table *t);
/* The next rows are apart, with a heading of their own: of the columns that have cells there, their
 * titles, or what table_cell puts there before the first row. */
void table_section(struct table *t);
/* Of the last row. */
void table_cell(struct table *t, size_t column, const char *text);
/* Frees the text; NULL: out of memory. */
void table_take(struct table *t, size_t column, char *text);
#define table_print_cell(t, column, ...) table_take(t, column, utf8_text(__VA_ARGS__))
void table_note(struct table *t, const char *text);
/* Nothing where there are no rows, else a blank line and the table.
 * 0, or -1: out of memory. Errors of the stream stay in the stream. */
int table_print(struct table *t, FILE *out, const struct terminal *terminal);

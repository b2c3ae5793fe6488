// SPDX-License-Identifier: GPL-3.0-or-later
/* What the cells of tables have in common, and the sentences around tables: clean text, means with
 * their intervals, lines broken between words. */
#include "report/render/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

void text_cell_put(struct text *t, struct table *table, size_t column, const char *raw)
{
	table_take(table, column, utf8_clean(raw, t->terminal.utf8));
}

void text_cell_mean(struct text *t, struct table *table, size_t at, const struct mean_interval *e)
{
	struct number_mean m = numbers_mean(e->mean, e->low, e->high, t->terminal.utf8);

	table_cell(table, at, m.mean);
	table_cell(table, at + 1, m.unit);
	table_cell(table, at + 2, m.interval);
}

void text_cell_duration(struct text *t, struct table *table, size_t column, double ns)
{
	table_cell(table, column, numbered_duration(ns, t->terminal.utf8).text);
}

static void put_field(struct text *t, struct table *table, size_t c, const void *at)
{
	enum table_type type = table->column[c].type;
	uint32_t number = type == TABLE_NUMBER || type == TABLE_SEVERAL ? *(const uint32_t *)at : 0;
	double value = type >= TABLE_NS && type <= TABLE_SHARE ? *(const double *)at : 0;

	if (type == TABLE_NAME)
		text_cell_put(t, table, c, *(const char *const *)at);
	else if (type == TABLE_MEAN)
		text_cell_mean(t, table, c, at);
	else if (type == TABLE_NUMBER || number > 1)
		table_print_cell(table, c, "%" PRIu32, number);
	else if (type == TABLE_COUNT)
		table_cell(table, c, numbered_count(*(const uint64_t *)at).text);
	else if (type == TABLE_SHARE)
		table_cell(table, c, numbered_share(value).text);
	else if (type == TABLE_NS || type == TABLE_S || value > 0)
		text_cell_duration(t, table, c, type == TABLE_S ? 1e9 * value : value);
}

void text_cell_row(struct text *t, struct table *table, const void *row)
{
	table_row(table);
	for (size_t c = 0; c < table->columns; c++)
		if (table->column[c].type)
			put_field(t, table, c, (const char *)row + table->column[c].offset);
}

int text_cell_end(struct text *t, struct table *table)
{
	int status = table_print(table, t->out, &t->terminal);

	table_end(table);
	return status;
}

void text_cell_note_of(struct text *t, struct table *table, char *raw)
{
	char *safe = utf8_cleaned(raw, t->terminal.utf8);

	if (safe)
		table_note(table, safe);
	table->failed |= !safe;
	free(safe);
}

void text_cell_wrap(struct text *t, const char *clean, size_t at, size_t indent)
{
	size_t width = t->terminal.width > indent + 20 ? t->terminal.width : indent + 20;

	for (bool first = true; *clean; first = false) {
		size_t bytes = strcspn(clean, " "), columns;
		char *word = strndup(clean, bytes);

		if (!word)
			return;
		columns = utf8_width(word);
		if (!first && at + 1 + columns > width) {
			fprintf(t->out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', t->out);
			at++;
		}
		if (at + columns > width)
			bytes = utf8_fit(word, width - at);
		fprintf(t->out, "%.*s", (int)bytes, word);
		at += columns;
		clean += bytes;
		clean += *clean == ' ';
		free(word);
	}
	fputc('\n', t->out);
}

void text_cell_say_of(struct text *t, enum terminal_style style, const char *lead, size_t indent,
		      char *raw)
{
	char *safe = utf8_cleaned(raw, t->terminal.utf8);

	if (style != TERMINAL_PLAIN)
		terminal_style(t->out, &t->terminal, style);
	fputs(lead, t->out);
	if (safe)
		text_cell_wrap(t, safe, strlen(lead), indent);
	if (style != TERMINAL_PLAIN)
		terminal_style(t->out, &t->terminal, TERMINAL_PLAIN);
	free(safe);
}

void text_cell_bold(struct text *t, const char *raw)
{
	char *safe = utf8_clean(raw, t->terminal.utf8);
	char *fits = safe ? utf8_shorten(safe, t->terminal.width, t->terminal.utf8) : NULL;

	if (fits)
		terminal_print(t->out, &t->terminal, TERMINAL_BOLD, "%s", fits);
	fputc('\n', t->out);
	free(fits);
	free(safe);
}

void text_cell_fact_of(struct text *t, const char *name, char *raw)
{
	char *safe = utf8_cleaned(raw, t->terminal.utf8);

	if (safe) {
		terminal_print(t->out, &t->terminal, TERMINAL_DIM, "  %-10s ", name);
		text_cell_wrap(t, safe, 13, 13);
	}
	free(safe);
}

void text_cell_rows_shown(struct text *t, uint32_t rows, double shown_ns, double all_ns,
			  const char *of_what)
{
	if (rows > t->top)
		terminal_print(t->out, &t->terminal, TERMINAL_DIM,
			       "\n%" PRIu32 " of %" PRIu32 " rows, %s of %s. All: --top 0\n",
			       t->top, rows,
			       numbered_share(all_ns > 0 ? shown_ns / all_ns : NAN).text, of_what);
}

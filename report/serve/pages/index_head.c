// SPDX-License-Identifier: GPL-3.0-or-later
/* What the tables of the page / have in common: texts, links, heads that sort, and instants. One
 * query sorts both tables: what a table does not have leaves it as it is. */
#include <ctype.h>
#include <time.h>

#include "report/report.h"
#include "report/wording/utf8.h"
#include "report/serve/pages/index.h"

void index_write_text(FILE *out, const char *text)
{
	utf8_write_markup(out, text);
}

void index_write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80 && isalnum(c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

void index_write_link(FILE *out, const char *page, const char *service, uint32_t clock,
		      const char *more, const char *words)
{
	fprintf(out, "<a href=\"%s?service=", page);
	index_write_escaped(out, service);
	fprintf(out, "&amp;clock=%s%s\">", report_names_clock(clock), more);
	index_write_text(out, words);
	fputs("</a>", out);
}

static const struct {
	const char *title, *words; /* words: what a click does */
	bool text;
} columns[INDEX_COLUMNS] = {
	[INDEX_PROGRAM] = {"Program", "by name", true},
	[INDEX_PID] = {"Process id", "by number", false},
	[INDEX_STATE] = {"State", "by state", true},
	[INDEX_STARTED] = {"Started, UTC", "by time", false},
	[INDEX_WALL] = {"Wall time", "by time", false},
	[INDEX_CALLS] = {"Calls", "by number", false},
	[INDEX_CPU] = {"CPU time", "by time", false},
};

bool index_head_is_text(enum index_column column)
{
	return columns[column].text;
}

static void put_column(FILE *out, const struct index_order *o, enum index_column i)
{
	bool here = o->column == i, down = columns[i].text == o->reversed;
	const char *back = here && !o->reversed ? "-" : "";
	const char *order = down ? " aria-sort=descending" : " aria-sort=ascending";

	fprintf(out, "<th scope=col%s%s><a href=\"/?sort=%s%s\" title=\"sort %s\">%s%s</a>",
		columns[i].text ? "" : " class=number", here ? order : "", back,
		index_column_names[i], columns[i].words, columns[i].title,
		!here  ? ""
		: down ? " \u25be"
		       : " \u25b4");
}

void index_head_table(FILE *out, const char *id, const struct index_order *order, unsigned wanted)
{
	fprintf(out, "<div class=scroll-x><table id=%s><thead><tr>", id);
	for (unsigned i = 0; i < INDEX_COLUMNS; i++)
		if (wanted >> i & 1)
			put_column(out, order, i);
	fputs("</tr></thead>\n", out);
}

void index_head_started(FILE *out, uint64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / UINT64_C(1000000000));
	struct tm parts;
	char text[32] = "\u2013";

	if (real_ns && gmtime_r(&seconds, &parts))
		strftime(text, sizeof(text), "%F %T", &parts);
	fprintf(out, "<td class=number>%s</td>", text);
}

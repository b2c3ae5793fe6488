// SPDX-License-Identifier: GPL-3.0-or-later
/* One query sorts both tables: what a table does not have leaves it as it is. */
#include "serve/pages/index_head.h"

#include <time.h>

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

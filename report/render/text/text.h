// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for people. text.c prints the parts in order, each of the files text_*.c one part,
 * with cells and lines from text_cell.c. A function that returns int returns -1 when out of memory;
 * errors of the stream stay in it. Labels and lines are the caller's to free; NULL: out of
 * memory. */
#pragma once

#include "report/loops/loop.h"
#include "report/render/text/table.h"
#include "report/wording/numbers.h"

struct text {
	struct report *report; /* NULL where two are compared, and options with it */
	const struct report_options *options;
	struct terminal terminal;
	FILE *out;
	uint32_t top, least; /* rows shown at most, and if there are as many */
	bool *shown;	     /* by site: it has a row of the short report */
};

/* Sites that it may need, of those that work and of those that wait. */
uint32_t text_sites_read(const struct report_options *o, FILE *out);
/* Where the threads' time went, and a verdict. */
void text_time(struct text *t);
void text_warnings_full(struct text *t, const struct report_warning *warning, uint32_t warnings);
/* The rows that have most of the time: those that work, those that wait, what is left. */
int text_rows(struct text *t);
/* The main table, as the rows are grouped. */
int text_sites(struct text *t);
int text_others(struct text *t);
/* Of programs that are kept apart: a list of them, then `table` for each that is shown. */
int text_programs(struct text *t, int (*table)(struct text *t));
/* Nothing where the profile has none. */
int text_displaced(struct text *t);
int text_loop_print(struct text *t);
int text_slowest(struct text *t);
int text_computing(struct text *t);
/* What the page says, too: the title of the table; how much was recording, "" where that is
 * not worth a line. */
struct words text_computing_title(const struct report *r, bool utf8);
struct words text_computing_recording(const struct report_computing *c);

/* A row of the short table of sites, of the table that text_sites_begin makes. Marks: its interval
 * may be wrong; its mean hides something. */
enum text_mark { TEXT_DOUBT = 1, TEXT_NOTE = 2 };
void text_sites_begin(const struct text *t, struct table *table);
void text_sites_waiting(struct table *table); /* the heading of rows that wait */
void text_sites_row(struct text *t, struct table *table, uint32_t site);
/* How many call paths the last row stands for, as a note of it; nothing for one. */
void text_sites_folded(struct text *t, struct table *table, const struct report_site *s);
unsigned text_sites_marks(const struct report_site *s);
/* The call path in a line, "writeToClient < beforeSleep", as a note of the last row. */
void text_path_line(struct text *t, struct table *table, const struct report_site *s,
		    const unsigned char *mark);
/* The call path of a site as notes of the last row: `lines` of it, and those that distinguish it
 * from other rows (text_shared_callers.h has the marks). */
void text_path_notes(struct text *t, struct table *table, const struct report_site *s,
		     const unsigned char *mark, uint32_t lines);
/* How many lines the row of that number gets. */
uint32_t text_path_lines(const struct text *t, uint32_t row);
/* One frame, not yet clean; `detail` of APART_OFFSET and APART_MODULE. */
char *text_path_frame_line(struct report *r, const struct prof_frame *frame, unsigned detail);
/* "recv in handle:12", clean. */
char *text_path_site_label(struct text *t, uint32_t site, const char *when_none);
/* "recv [would-block]", clean. */
char *text_path_function_label(struct text *t, uint32_t site);
/* Share of a site's time that was on a CPU. "": not known. */
struct numbered text_notes_states_cpu(const struct report_site *s);
/* Where the time of the last row's calls went, as notes of it; nothing where none was switched. */
void text_notes_states_notes(struct text *t, struct table *table, const struct report_site *s);
/* The same of a single call, in a word and a share. "": not known. */
struct numbered text_notes_states_call(const struct report_slowest *s);
/* What the mean of the last row hides, as notes; unless `all`, only that it is not of all calls. */
void text_notes_steady_notes(const struct text *t, struct table *table, const struct report_site *s,
			     bool all);
/* All of them for other formats, without a mark. The sink gets NULL when out of memory. */
typedef void text_notes_steady_sink(void *to, const char *line);
void text_notes_steady_lines(const struct report_site *s, bool utf8, text_notes_steady_sink *sink,
			     void *to);
/* A clean copy of `raw` in a cell. */
void text_cell_put(struct text *t, struct table *table, size_t column, const char *raw);
#define text_cell_print(t, table, column, ...)                                                     \
	table_take(table, column, utf8_cleaned(utf8_text(__VA_ARGS__), (t)->terminal.utf8))
/* Columns at, at + 1, at + 2: mean, unit, interval. */
void text_cell_mean(struct text *t, struct table *table, size_t at, const struct mean_interval *e);
void text_cell_duration(struct text *t, struct table *table, size_t column, double ns);
/* A new row: the fields of `row` in the columns that have a type. */
void text_cell_row(struct text *t, struct table *table, const void *row);
/* Print a table, and end it. -1: out of memory. */
int text_cell_end(struct text *t, struct table *table);
/* A note of the last row, cleaned. `raw` is freed; NULL: out of memory. */
void text_cell_note_of(struct text *t, struct table *table, char *raw);
#define text_cell_note(t, table, ...) text_cell_note_of(t, table, utf8_text(__VA_ARGS__))
/* Clean text broken between words, indented by `indent` after the first line, on which `at`
 * columns are taken. A word longer than a line is cut. */
void text_cell_wrap(struct text *t, const char *clean, size_t at, size_t indent);
/* `lead`, and a text that is cleaned, wrapped and freed, in a style. */
void text_cell_say_of(struct text *t, enum terminal_style style, const char *lead, size_t indent,
		      char *raw);
#define text_cell_say(t, style, lead, indent, ...)                                                 \
	text_cell_say_of(t, style, lead, indent, utf8_text(__VA_ARGS__))
/* A line in bold, cleaned and cut to the width. */
void text_cell_bold(struct text *t, const char *raw);
/* "  name       words about it", cleaned, wrapped and freed. */
void text_cell_fact_of(struct text *t, const char *name, char *raw);
#define text_cell_fact(t, name, ...) text_cell_fact_of(t, name, utf8_text(__VA_ARGS__))
/* "12 of 40 rows, ...", unless all are shown. */
void text_cell_rows_shown(struct text *t, uint32_t rows, double shown_ns, double all_ns,
			  const char *of_what);

/* Rows of the same function and outcome must not look the same: which of the frames that a row
 * would fold away must be seen, and which need their address because their names are the same. Only
 * frames in which rows differ are looked up: symbolizing is slow. */
enum apart_mark {
	APART_SHOW = 1,	      /* this frame tells the row from another */
	APART_OFFSET = 2,     /* only by its address */
	APART_MODULE = 4,     /* or by the folder of its module, of its source */
	APART_INSTRUCTION = 8 /* a Python frame, of which not even the column tells */
};

struct text_apart {
	unsigned char **mark; /* of each row: one for each frame, and SHOW for the path's end */
	uint32_t rows;
};

/* For `rows` sites of the report: those that `site` numbers, NULL: the first ones. 0, or -1: out of
 * memory. Either way to be ended. */
int text_shared_callers_begin(struct text_apart *a, struct report *r, const uint32_t *site,
			      uint32_t rows);
void text_shared_callers_end(struct text_apart *a);

// SPDX-License-Identifier: GPL-3.0-or-later
/* The report for people. text.c has the order of things, the other text_*.c
 * one part each. Private to report/ but for text_print. */
#ifndef SCPROF_REPORT_RENDER_TEXT_TEXT_H
#define SCPROF_REPORT_RENDER_TEXT_TEXT_H

#include "report/report.h"
#include "report/render/text/table.h"
#include "report/wording/terminal.h"

struct text {
	struct report *report; /* NULL where two are compared, and options with it */
	const struct report_options *options;
	struct terminal terminal;
	FILE *out;
	uint32_t top; /* rows shown at most */
};

/* Print all of it. 0, or -1: out of memory. Errors of the stream stay in it. */
int text_print(struct report *r, const struct report_options *o, FILE *out);

/* Rows that it shows at most. */
uint32_t text_top(const struct report_options *o);

/* The main table of each grouping. -1: out of memory. */
int text_sites(struct text *t);
int text_others_gaps(struct text *t);
/* What displacement says of the sites, if anything. */
int text_displaced(struct text *t);
int text_others_threads(struct text *t);
int text_others_processes(struct text *t);

/* The slowest calls, where they were asked for. -1: out of memory. */
int text_slowest(struct text *t);

/* "12 of 40 rows shown, ..." */
void text_shown(struct text *t, uint32_t rows, double shown_ns, double all_ns, const char *of_what);

/* Call path of a site as notes of the last row: `lines`, and those that tell it
 * from other rows (text_shared_callers.h has the marks). */
void text_path_notes(struct text *t, struct table *table, const struct report_site *s,
		     const unsigned char *mark, uint32_t lines);

/* What the mean of the last row hides, as notes of it. */
void text_steady_notes(const struct text *t, struct table *table, const struct report_site *s);

/* The same for others than the text, without a mark; NULL: out of memory. */
typedef void text_steady_sink(void *to, const char *line);
void text_steady_lines(const struct report_site *s, bool utf8, text_steady_sink *sink, void *to);

/* One frame, not yet clean; `detail` of APART_OFFSET and APART_MODULE. free()
 * it. NULL: out of memory. */
char *text_path_frame_line(struct report *r, const struct prof_frame *frame, unsigned detail);

/* "recv in handle:12"; clean; free() it. NULL: out of memory. */
char *text_path_site_label(struct text *t, uint32_t site, const char *when_none);

/* "  name       what is to be said of it", wrapped; cleaned. */
__attribute__((format(printf, 3, 4))) void text_fact(struct text *t, const char *name,
						     const char *format, ...);

/* What threads do over and over. -1: out of memory. */
int text_loop_print(struct text *t);

/* "recv [would-block]": the function alone; clean; free() it. NULL: out of memory. */
char *text_path_function_label(struct text *t, uint32_t site);

/* Clean text broken between words, indented by `indent` after the first line, on
 * which `at` columns are taken. A word longer than a line is cut hard. */
void text_wrapped(struct text *t, const char *clean, size_t at, size_t indent);

/* A clean copy put into a cell. */
void text_cell(struct text *t, struct table *table, size_t column, const char *raw);
/* Columns at, at + 1, at + 2: mean, unit, interval. */
void text_mean_cells(struct text *t, struct table *table, size_t at,
		     const struct report_estimate *e);
void text_duration_cell(struct text *t, struct table *table, size_t column, double ns);

#endif

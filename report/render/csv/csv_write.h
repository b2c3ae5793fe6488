// SPDX-License-Identifier: GPL-3.0-or-later
/* Fields of CSV. A row is written by one function, which runs once more for the
 * line of column names: so names and values always agree. */
#ifndef SCPROF_REPORT_RENDER_CSV_CSV_WRITE_H
#define SCPROF_REPORT_RENDER_CSV_CSV_WRITE_H

#include "report/render/json/row_fields.h"
#include "report/render/stacks/stacks.h"

struct csv {
	FILE *out;
	bool names;  /* write the columns' names instead of values */
	bool inside; /* a row has begun */
	bool failed; /* out of memory */
};

void csv_write_number(struct csv *c, const char *column, double value); /* empty: not finite */
void csv_write_count(struct csv *c, const char *column, uint64_t value);
void csv_write_flag(struct csv *c, const char *column, bool value); /* true, false */
/* NULL: empty. What a spreadsheet would run gets a ' before it. */
void csv_write_text(struct csv *c, const char *column, const char *raw);
/* The fields of `row` in the table; all empty unless known. */
void csv_write_fields(struct csv *c, const struct row_field *fields, const void *row, bool known);
void csv_write_end(struct csv *c);

/* A call path as one of two fields: functions, or where they are, innermost first, separated by
 * ';'.
 */
void csv_write_path(struct csv *c, struct stacks *s, const struct report_site *site,
		    const char *column, bool places);

#endif

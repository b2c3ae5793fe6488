// SPDX-License-Identifier: GPL-3.0-or-later
/* One row as a line of text of a given width: which columns fit, and their cells. */
#ifndef SCPROF_REPORT_LIVE_COLUMNS_H
#define SCPROF_REPORT_LIVE_COLUMNS_H

#include "report/live/live_rows.h"

enum column {
	COLUMN_CALLS_S,
	COLUMN_TIME_S,
	COLUMN_BYTES_S,
	COLUMN_STATES,
	COLUMN_KEPT,
	COLUMN_MEAN_NOW,
	COLUMN_MEAN_ALL,
	COLUMN_PRECISION,
	COLUMN_CALLS,
	COLUMNS /* then the function and its caller, which share what is left */
};

/* In front of the precision of an interval with a reliability warning (row_mean.unreliable). */
#define COLUMNS_DOUBT "~"
/* Marks a mean of the calls after a warm-up: times all calls it is not the total. */
#define COLUMNS_ASIDE "^"

struct columns {
	size_t width;
	bool utf8;
	bool shown[COLUMNS];
	size_t function, caller; /* widths */
};

/* For so many columns of a terminal. `function`: the longest name of one; with the callers'
 * names, which get the rest, or without; `states`: with where the time went. */
struct columns columns_fit(size_t width, bool utf8, size_t function, bool callers, bool states);

/* Texts of columns.width at most, to be freed; NULL: out of memory. Names must be clean. */
char *columns_head(const struct columns *c);
char *columns_row(const struct columns *c, const struct row *r, const struct row_mean *run,
		  const struct row_mean *window, const char *function, const char *caller);

/* "12,345", "0.3", "1.23M": so many a second. */
void columns_rate(char *out, size_t room, double a_second);

#endif

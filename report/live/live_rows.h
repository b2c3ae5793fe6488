// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of a live picture: each call path over the whole run and over the last interval. Rates
 * are computed for all rows at every refresh; confidence intervals, which cost more, for those
 * that are shown. */
#ifndef SCPROF_REPORT_LIVE_LIVE_ROWS_H
#define SCPROF_REPORT_LIVE_LIVE_ROWS_H

#include "report/live/live_reader.h"
#include "report/live/means.h"
#include "report/live/row_states.h"

enum row_sort {
	ROW_BY_TIME,  /* a second, in the last interval */
	ROW_BY_CALLS, /* likewise */
	ROW_BY_BYTES,
	ROW_BY_MEAN,	  /* of the last interval */
	ROW_BY_TOTAL,	  /* time, of the whole run */
	ROW_BY_PRECISION, /* widest relative interval first; rows without calls last */
	ROW_BY_NAME,
	ROW_SORTS
};
extern const char *const live_rows_sort_names[ROW_SORTS]; /* "time", "calls", ... */

struct row {
	uint32_t group; /* in live_reader.groups */
	uint64_t key;	/* of function, outcome and path: the same in every model */
	struct prof_reading run, window;
	bool has_window;
	double calls_s, bytes_s; /* a second of the interval; NAN: no interval */
	double time_s;		 /* seconds in these calls a second: may exceed 1, with threads */
	double total_ns;
	struct row_states states; /* of the last interval; of the run where there is none */
	double kept_ns;		  /* states.kept_ns, compensated as the mean is */
	bool waits;		  /* its function is there to wait */
	/* The result of live_rows_means since the last update: a paused picture must not change. */
	bool has_means;
	struct row_mean run_mean, window_mean;
	double precision; /* as row_mean.relative of the run; may be out of date */
	uint64_t precision_calls;
};

/* The sort keys, contiguous: there are thousands of rows, and they are large. */
struct row_place {
	double key, total_ns;
	const char *name; /* instead of the key, for ROW_BY_NAME */
	bool last;	  /* waits, and the order is by time: after all that works */
	uint32_t row;	  /* in the groups' order, which is the report's */
};

struct rows {
	struct row *row; /* by group, of the feed's model */
	uint32_t rows;
	struct row_place *order; /* sorted: */
	uint64_t generation;
	uint32_t precision_next; /* whose precision is to be renewed next */
	double confidence;
	double calls_s, time_s, bytes_s; /* of all; NAN: no interval */
	double waiting_s;		 /* of time_s, in functions that wait */
	struct row_states states;	 /* of all that work and are known; kept_ns is none */
	bool has_states;
	uint64_t calls;
};

/* After a live_reader_refresh or live_reader_regroup. -1: out of memory. */
int live_rows_update(struct rows *r, const struct live_reader *f);
void live_rows_sort(struct rows *r, const struct live_reader *f, enum row_sort by, bool reverse);
void live_rows_free(struct rows *r);

/* The means and intervals of one row. NANs: out of memory. */
void live_rows_means(const struct rows *r, const struct live_reader *f, uint32_t row,
		     struct row_mean *run, struct row_mean *window);

/* -1: no sort key is called so. */
int live_rows_sort_parse(const char *name, enum row_sort *by);

#endif

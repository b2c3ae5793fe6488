// SPDX-License-Identifier: GPL-3.0-or-later
/* The rows of a live picture: each call path over the whole run and over the last interval. Rates
 * are computed for all rows at every refresh; confidence intervals, which cost more, for those
 * that are shown. */
#pragma once

#include "report/containers/string_index.h"
#include "report/live/live_reader.h"
#include "stats/mean/stopping.h"

/* ---- means.c: by what a row is found again in a later model, whose indices are others ---- */

/* A hash of function, outcome and path (groups_path): the same in every model of the same files. */
uint64_t row_key_of(const struct profile *p, const struct group_row *g, struct group_path path);
/* The same of a frame: of all that is shown of it. */
uint64_t row_key_frame(const struct profile *p, const struct prof_frame *frame);

/* ---- where the time of a row's calls went: sums of its entries, and shares ---- */

/* Sums of entries. */
struct row_sums_states {
	double calls, units;	       /* of which it is known whether they were switched */
	double kept_calls, kept_units; /* of calls that kept their CPU; sampled: of those asked */
	double known, weighted, runnable_ns, asleep_ns;
	bool unknown; /* of some calls it is not */
};

/* Shares of the calls' time; NAN: not known. */
struct row_states {
	double on_cpu, runnable, asleep;
	double kept_ns; /* mean of the calls that kept their CPU, as measured */
};

/* `detector`: of the entry in the model, for an entry without a record. */
void row_states_add(struct row_sums_states *to, const struct prof_reading *r, uint32_t detector);

/* The states of some calls, by those of them that were read, or else by those of `all` that were.
 */
struct row_states row_states_of(const struct row_sums_states *some,
				const struct row_sums_states *all, double ns_per_unit);

/* ---- means with their intervals: of the whole run exactly as in a report, and of a
 * window of it ---- */

/* A mean, compensated for what recording adds; NAN: nothing can be said. */
struct row_mean {
	double mean_ns, low_ns, high_ns;
	double relative;       /* half width on the wider side over the mean */
	double design;	       /* design effect; NAN: not known */
	double freedom;	       /* of the error */
	unsigned unreliable;   /* enum stats_unreliable */
	uint64_t calls;	       /* that it is of */
	uint64_t warmup_calls; /* excluded, before them */
};

struct row_mean means_nothing(void);

/* The mean of a settled row: what site_fill makes of the same sums. */
struct row_mean means_of_run(const struct prof_clock *clock, const struct site_sums *w,
			     double confidence);

/* The mean of a window by its sums; run_design: design effect of the run (see means_widen). Windows
 * have no phases, so warnings about phases are missing. */
struct row_mean means_of_window(const struct prof_clock *clock, const struct prof_sums *s,
				double run_design, double confidence);

/* Widen the interval of a short window. Batches join in pairs as the run goes on, so a window of
 * a second rarely has whole batches: its calls show their variance, but not their dependence. If
 * `e`, made of the window's sums, has no design effect, that of the whole run is used if it
 * exceeds 1: each half of the interval becomes sqrt(design) times as wide. The run's design
 * effect includes dependence over longer times than the window, so the interval may be too wide,
 * never too narrow (tests/unit/report/test_live_window.c has the coverage). */
void means_widen(struct mean_interval *e, double run_design);

/* The wider half of the interval, divided by the mean; NAN: unknown. */
double means_relative(const struct mean_interval *e);

/* ---- the rows ---- */

enum row_sort {
	ROW_BY_TIME,  /* a second, in the last interval */
	ROW_BY_CALLS, /* likewise */
	ROW_BY_BYTES,
	ROW_BY_MEAN,	  /* of the last interval */
	ROW_BY_TOTAL,	  /* time, of the whole run */
	ROW_BY_PRECISION, /* widest relative interval first; rows without calls last */
	ROW_BY_NAME,
	ROW_BY_CPU, /* time on a CPU a second, in the last interval */
	ROW_SORTS
};

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
	double confidence;
	double calls_s, time_s, bytes_s; /* of all; NAN: no interval */
	double waiting_s;		 /* of time_s, in functions that wait */
	struct row_states states;	 /* of all that work and are known; kept_ns is none */
	bool has_states;
	uint64_t calls;
};

/* After a live_reader_refresh or live_reader_regroup. -1: out of memory. */
int live_rows_update(struct rows *r, const struct live_reader *f);
void live_rows_sort(struct rows *r, const struct live_reader *f, enum row_sort by);
void live_rows_free(struct rows *r);

/* A row with its means and intervals. NANs: out of memory. */
const struct row *live_rows_means(const struct rows *r, const struct live_reader *f, uint32_t row);

/* `scprof run --until`: whether all sites that matter are known precisely enough (stopping.h). A
 * site here is a row of the report by path. A site matters if it has PRECISION_MAJOR of the time in
 * calls of the named functions (or in all calls); if none has, the one with most time does.
 * Functions that wait (report/model/sites.h) matter only if they are named, or nothing else was
 * called. They may change while the program runs; a site that joins later is watched from then on
 * for as long as any other. */

#define PRECISION_MAJOR 0.05
/* From this share on its stretches are kept. */
#define PRECISION_KEPT 0.01

struct precision_site;

struct precision {
	double relative;     /* wanted */
	double least_s;	     /* no stop before */
	const char *names;   /* globs of functions, separated by commas; NULL: all */
	size_t sites;	     /* that matter, at the last look */
	size_t reached;	     /* of these */
	double worst;	     /* relative half width of the widest; NAN: not known of all yet */
	unsigned unreliable; /* enum stats_unreliable, of those that are not reached */
	double calls;	     /* of all sites that may matter */
	double due_s;	     /* when a stretch ends next: INFINITY: there is none */
	bool without_waits;  /* at that look, functions that wait did not matter */
	struct pairs keys;   /* private: halves of rows' keys; and the sites by number */
	struct precision_site *site;
	uint32_t room;
};

/* After live_rows_update, `now_s` seconds of recording after the start. 1: reached; 0: not yet; -1:
 * out of memory. */
int precision_look(struct precision *p, const struct live_reader *f, const struct rows *r,
		   double now_s);
void precision_free(struct precision *p);

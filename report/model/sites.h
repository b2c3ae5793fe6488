// SPDX-License-Identifier: GPL-3.0-or-later
/* The sites of a report: which calls are one row, their order, and their sums as estimates. */
#pragma once

#include "profile/base/array.h"
#include "profile/profile.h"
#include "report/report.h"
#include "stats/histogram/tail.h"
#include "stats/mean/states.h"
#include "stats/regression/line.h"

/* ---- from sums in clock units to means in nanoseconds ---- */

/* What the rule of the mean gets of a row's calls on its clock: those of `rest`, with the phases of
 * `sums`, and with its tail where no warm-up is in that. It points into both, which may be one. The
 * shortest is 0 where it was not kept, which is safe. */
struct stats_sample estimate_sample(const struct prof_clock *c, const struct prof_sums *sums,
				    const struct prof_sums *rest);
/* What the wrapper adds on a clock. */
struct report_overhead estimate_overhead(const struct prof_clock *c);
/* The mean overhead of calls that went these ways; *o where that is not known. */
struct report_overhead estimate_overhead_of_ways(const struct report_overhead *o,
						 const uint64_t way_calls[SCP_WAYS]);
/* The mean overhead of calls with these sums: their nested calls' overhead is in inside_ns, and
 * its uncertainty in the error. */
struct report_overhead estimate_overhead_around(const struct report_overhead *o,
						const struct prof_sums *s);
/* The same on a clock. */
struct report_overhead estimate_overhead_on(const struct prof_clock *c, const struct prof_sums *s);
/* Subtract the overhead from a mean and its interval; the error of the overhead, assumed to be
 * normal, widens the interval on both sides. */
void estimate_compensate(struct mean_interval *e, const struct report_overhead *o,
			 double confidence);
/* Half the width of an interval, widened by the error of what was subtracted, as above. */
double estimate_widen(double half_width, double error, double confidence);
/* The straight line of time on size, in clock units, from the batches; -1 where sizes do
 * not vary or were not kept by batches. */
int estimate_line(const struct prof_sums *s, struct stats_line_fit *fit, double confidence);
/* A single duration of a site, compensated: the call's own overhead is subtracted, and in
 * proportion to its length that of the nested calls, of which only the sum is known.
 * estimate_scale is the factor that the latter leaves. */
double estimate_compensate_call(const struct report_site *s, double raw_ns);
double estimate_scale(const struct report_site *s);
/* How calls beyond a percentile depend on each other; it points into `sums`. */
struct stats_tail estimate_tail(const struct prof_sums *sums);

/* ---- is the mean of a site one number? Warm-up is found entry by entry, because each thread warms
 * up on its own and only an entry's batches lie in order of time ---- */

/* Of the entries of one site, added one by one; starts as all zeros. */
struct steadiness {
	bool mean_only; /* the caller needs no drift, which costs as much to find as the warm-up */
	/* The calls that the mean is of: those after the warm-up, or all. No histogram,
	 * phases or line, which know of no batches. */
	struct prof_sums rest;
	uint64_t warmup_calls, warmup_units;
	uint64_t next_calls, next_units; /* of `rest`, as many as were set aside: its first */
	uint64_t largest_units;		 /* of the entry whose drift is kept */
	struct drift drift;
	double drift_at; /* share of that entry's calls before the step */
};

/* Add the sums of one entry. `ordered`: its batches lie in order of time (not so where processes
 * were folded into one). `include`: leave the warm-up in the mean. -1: out of memory. */
int steadiness_add(struct steadiness *to, const struct prof_sums *s, bool ordered, bool include);
/* The interval of the mean of `rest`, the cut being an estimate. */
void steadiness_widen(struct mean_interval *e, const struct steadiness *s);
/* The part of a report's site; `hist` as hist_find has it. To be called when its estimate, overhead
 * and total are known. */
void steadiness_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		     const struct prof_hist *hist, const struct steadiness *steady);
/* Its notes, enum report_finding or-ed. */
unsigned steadiness_findings(const struct report_site *s);

/* The sums of a row's entries, and which of its calls the mean is of. Reports and live views share
 * this rule, so that they agree about the same calls. Starts as all zeros. */
struct site_sums {
	struct prof_sums sums;	  /* of all calls */
	struct steadiness steady; /* steady.rest: of those that the mean is of */
	struct prof_phase phase;  /* of the entry with most samples of them: */
	uint64_t phases;
};

/* Batches of processes that were folded into one are not in order of time. */
bool site_sums_in_order(const struct profile *p, const struct prof_entry *e);
/* Add an entry's sums. `ordered` and `include` as for steadiness_add. -1: out of memory. */
int site_sums_add(struct site_sums *w, const struct prof_sums *s, bool ordered, bool include);
/* After the last entry. */
void site_sums_settle(struct site_sums *w);
void site_sums_clear(struct site_sums *w);
/* The mean of a settled row's calls, warm-up excluded unless it was included. As measured: not
 * compensated yet. */
struct mean_interval site_sums_mean(const struct prof_clock *clock, const struct prof_sums *sums,
				    const struct prof_sums *rest, double confidence);
/* Everything but its function, outcome and path, which the grouping knows, and its share.
 * The mean is that of steady->rest, all else that of `sums`, all calls.
 * Notes in the report whether calls are synchronous with the clock's tick. */
void site_fill(struct report *r, struct report_site *s, const struct prof_sums *sums,
	       const struct steadiness *steady);
/* Of that, what groups_order_key needs. */
void site_fill_means(struct report *r, struct report_site *s, const struct prof_sums *sums,
		     const struct steadiness *steady);
/* Once its intervals are final: cut them and percentiles at 0, and see whether the mean is one. */
void site_limit(struct report_site *s, double confidence);
/* The time of calls with these sums, compensated: of a site, its total_ns. */
double site_total_ns(const struct prof_clock *clock, const struct report_overhead *o,
		     const struct prof_sums *sums);
/* The row of a function's calls that found no room: without it totals would lack their time. */
void site_fill_overflow(const struct report *r, struct report_site *s, uint32_t function);

/* ---- where the time of a row's calls went: on a CPU, runnable, asleep ---- */

/* Before the sites: the share stolen, and its error. */
void states_find_stolen(struct report *r);

struct states_shared states_find_shared(const struct profile *p);
/* A page clock's ticker often runs on the CPU of the threads, which lose it for each tick: calls
 * that kept their CPU see too few ticks, and what they take is not known. */
bool states_ticker_is_near(const struct profile *p);
/* What the estimators get of a row's calls; arguments as below. It points into them. false: where
 * their time went is not known. */
bool states_sample(const struct prof_clock *c, const struct prof_sums *sums,
		   const struct prof_sums *rest, const struct states_shared *shared,
		   struct states_sample *to);
/* The histogram of the calls that kept their CPU. Single buckets may be off by a call that was
 * counted meanwhile. `switched` NULL: none was. */
void states_subtract_switched(const struct prof_hist *all, const struct prof_blocks *switched,
			      uint64_t *count);
/* Of a site whose mean and percentiles are filled. `rest`: the calls that the mean is of; `sums`:
 * all. */
void states_fill(const struct report *r, struct report_site *s, const struct prof_sums *sums,
		 const struct prof_sums *rest);
/* ns that the calls of a table may have been on a CPU: what the kernel charged its threads, and
 * what lies outside of the readings. */
double states_most_on_cpu(const struct report *r, const struct prof_table *t);
/* Asleep time that was stolen rather, as a share of it. */
double states_asleep_stolen(double stolen_share, const struct scp_off_cpu *o);
/* Is it known of any site? */
bool states_any(const struct report *r);
/* Reliability warnings of any of its intervals. */
unsigned states_doubts(const struct report_states *t);
/* After the bars: which of their calls were switched. */
void states_fill_bars(struct report_site *s, const struct prof_sums *sums);
/* Is the function there to wait: for events, a connection, another thread or process, or time to
 * pass? What it takes is not work, and depends on others: it is kept out of all shares of it. True
 * of the group `wait`, of accept, and of functions of the C library where -s selected them. A
 * region or a function of the program never waits, whatever it is called. */
bool waiting_function(const struct prof_function *f);

/* Which entries of a profile are one row of a report.
 *
 * Made for a million rows: only numbers are kept of each, so that sums, of which
 * a row needs a kilobyte while it is worked out, are made one row at a time. */

#define GROUP_OVERFLOW PROF_NONE /* as `first`: calls of `function` that found no room */

struct group_row {
	uint64_t units, calls;
	uint32_t function, outcome;
	uint32_t path;	/* of several that are folded, the one of the longest entry */
	uint32_t first; /* its first entry; the others by `next`, in the profile's order */
};

struct groups {
	const struct profile *profile;
	enum report_by by;
	enum report_sort sort;	    /* for groups_order_sort; time unless set */
	const uint32_t *program_of; /* by process; borrowed. NULL: programs are not kept apart */
	const struct report_overhead *overhead; /* borrowed; NULL: order by time as measured */
	double *key; /* by number of row: what comes first, groups_order_key; NULL: by the sums */
	struct group_row *row;
	uint32_t *order; /* numbers of rows, as the report has them */
	uint32_t *place; /* by number of row: where it is in that order */
	uint32_t rows;
	uint32_t *next;	      /* by entry: the next one of the same row, PROF_NONE: last */
	uint32_t *site_of;    /* by entry: the place of its row; PROF_NONE: left out */
	bool *waits;	      /* by function, as waiting_function says */
	const uint32_t *fold; /* by path: equal numbers are one row; NULL: each is its own */
	/* By function: the frames of rows that are of one function of an interpreted language. To
	 * be kept for as long as paths of rows are. */
	struct prof_frame *caller;

	struct number_table table; /* private: of rows */
	uint32_t *last;		   /* private: last entry of a row */
	uint64_t *longest;	   /* private: units of its longest entry */
};

/* What the grouping keeps of a path. */
struct group_path {
	const struct prof_frame *frame;
	uint32_t frames, flags;
};

/* Rows, without their places. `fold`: by path, from groups_fold, or NULL; it must outlive the
 * groups. `program_of`: by process; no row is of two programs; or NULL. -1: out of memory; call
 * groups_free in any case. */
int groups_make(struct groups *g, const struct profile *p, enum report_by by, const uint32_t *fold,
		const uint32_t *program_of);
/* The program of a row; REPORT_NO_PROGRAM: not apart, or overflow. */
uint32_t groups_program(const struct groups *g, const struct group_row *row);
void groups_free(struct groups *g);
/* How many different call paths a row's entries have; UINT32_MAX: out of memory. */
uint32_t groups_paths(const struct groups *g, const struct group_row *row);

struct group_path groups_path(const struct groups *g, const struct group_row *row);
/* The same of any path, or of none (NULL). `function`: where the frame goes of a row that is of one
 * function of an interpreted language. */
struct group_path groups_keep(const struct profile *p, enum report_by by,
			      const struct prof_path *path, struct prof_frame *function);

/* ---- in which order the rows of a report come: those that do not wait (waiting_function) first,
 * of both the longest total first (or as --sort has it); ties by what is printed, never by order in
 * the file ---- */

/* Is the order that of estimates, which must be made before? */
bool groups_order_needs_sites(enum report_sort sort);
/* Then the number that its rows are ordered by. */
double groups_order_key(enum report_sort sort, const struct report_site *s);
/* A row's time as it is printed, report_site.total_ns: what recording added to each differs. In
 * clock units where groups.overhead is not set. */
double groups_row_ns(const struct groups *g, const struct group_row *row);
/* After groups_make: the places of all rows. */
int groups_order_sort(struct groups *g);
/* groups_make and this, with nothing folded. */
int groups_order_build(struct groups *g, const struct profile *p, enum report_by by);
/* By path of the profile: a number that paths share whose frames lie in the same functions of the
 * same modules, in the same order; with `site` only the frames of their sites. A frame without a
 * function's name is its address. Looks up the names of all frames, each once. To be freed; NULL:
 * out of memory. */
uint32_t *groups_fold(struct report *r, bool site);

/* Which calls of a row are inside other recorded calls: their time is those calls' time, too.
 * Known from the gaps, which lie between calls that are inside no other. */
struct nesting {
	const struct profile *profile;
	bool any;	    /* some call is inside another */
	uint64_t *in, *out; /* by entry: gaps that end, and begin, at its calls; NULL without any */
	bool *told;	    /* by table: its gaps are complete; likewise. Of others all is outer */
	uint32_t *outers;   /* by table: entries with calls inside them; likewise */
};

/* -1: out of memory; call nesting_end in any case. */
int nesting_begin(struct nesting *n, const struct profile *p);
void nesting_end(struct nesting *n);

/* Of a row's entries. */
struct nesting_row {
	uint64_t outer_calls; /* inside no other recorded call */
	double outer_part;    /* of the row's time: estimated by the calls where only some are */
	/* Of the row's time, in clock units: outside of the recorded calls inside it. NAN: the
	 * profile does not tell. */
	double self_units;
};
struct nesting_row nesting_of(const struct nesting *n, const struct groups *g,
			      const struct group_row *row);
/* What the means of a site differ by between several runs: then its intervals are about the next
 * run, and not only about those that were recorded. */
struct run_to_run;

/* Of two runs an interval between them is so wide that it says nothing. */
#define RUN_TO_RUN_LEAST 3

/* For a report's sites, after runs_find; NULL where there are too few runs, or no memory. */
struct run_to_run *run_to_run_begin(const struct report *r);
/* Each run's means of a row, which is the site at `place`, less than r->sites. */
void run_to_run_note(struct run_to_run *t, const struct report *r, const struct groups *groups,
		     const struct group_row *row, uint32_t place);
/* Widen the intervals of elapsed time, of calls that kept their CPU, on CPU and charged, where runs
 * differ by more than each run's own interval says. `t` may be NULL, and is freed. */
void run_to_run_finish(struct run_to_run *t, struct report *r);
/* Fill r->site from the groups, of which it gives each its place: the first `keep` with all that a
 * report shows, of the others what totals and reliability warnings need. -1: out of memory. */
int sites_build(struct report *r, struct groups *groups, uint32_t keep);
/* Once the time of all threads is known: what share of it the sites have. */
void sites_share_time(struct report *r);

/* Samples outside of recorded calls by run: all in front, then those of recording and of each row.
 */
struct computing_runs {
	uint64_t *samples; /* to be freed */
	uint32_t room;
};

/* `row`: 0 is recording. -1: out of memory. */
int computing_runs_add(struct computing_runs *t, const struct report *r, uint32_t row,
		       uint32_t process, uint64_t samples);
/* The intervals of r->computing's shares, where runs differ by more. -1: out of memory. */
int computing_runs_widen(struct computing_runs *t, const struct report *r);

// SPDX-License-Identifier: GPL-3.0-or-later
/* What changed between two profiles, or between two sets of profiles of the same work: call site by
 * call site, with intervals, and with the false discovery rate controlled over all sites.
 * docs/diff.md says which tests are made and why.
 *
 * diff_model_build does all the arithmetic; the renderers only choose words and columns.
 * Single-threaded. A diff borrows from its profiles. Quantities that are not known are NAN or NULL;
 * changes are ratios new/base. */
#pragma once

#include "stats/compare/compare.h"
#include "report/report.h"
#include "report/wording/numbers.h"

/* Which sites on one side only are a change. */
enum diff_sides {
	DIFF_SIDES_FREQUENT, /* those that chance does not explain: see diff_judge.c */
	DIFF_SIDES_ALL,
	DIFF_SIDES_NONE
};

struct diff_options {
	enum report_format format;
	enum report_by by; /* path, site or function */
	double confidence; /* 1 - the false discovery rate; of intervals too */
	double min_change; /* smaller changes of a site are not reported */
	double run_to_run; /* with one run a side: what machines vary by from run to run */
	enum diff_sides sides;
	const char *per; /* "recv", "recv@error": calls and time for each of these calls; NULL */
	bool full;	 /* text: sites of which too little is known, too */
	uint32_t top;	 /* rows shown; 0: all */
	uint32_t frames; /* lines of call path a row in text; JSON always has all */
	uint32_t width;	 /* columns of text; 0: those of the terminal */
};

/* Reasons why a site cannot be compared, beside the names of reliability.h. */
#define DIFF_FEW_TICKS "too-few-ticks"
#define DIFF_FEW_CALLS "too-few-calls"
#define DIFF_UNLIKE    "runs-too-unlike"
#define DIFF_SWITCHED  "all-calls-switched"
#define DIFF_NO_STATES "states-unknown"

/* Of several runs, those with fewer calls at a site are not used for it: single durations have
 * tails that no test of a few means can cope with. */
#define DIFF_LEAST_CALLS 5
/* With one run a side, sites with fewer calls in a run are not compared: their error has to come
 * from within the run, and the dependence of so few calls cannot be seen there. */
#define DIFF_PAIR_CALLS 256
/* The same of a function that computes: samples, whose error is known. */
#define DIFF_PAIR_SAMPLES 32

#define DIFF_MIN_CHANGE 0.005
#define DIFF_RUN_TO_RUN 9

#define DIFF_OPTIONS_DEFAULT                                                                       \
	{                                                                                          \
		.format = REPORT_TEXT, .by = REPORT_BY_PATH, .confidence = 0.95,                   \
		.min_change = DIFF_MIN_CHANGE, .run_to_run = DIFF_RUN_TO_RUN,                      \
		.top = REPORT_TOP_DEFAULT, .frames = REPORT_FRAMES_DEFAULT                         \
	}

struct match_row;

/* What may have changed at a site. */
enum diff_quantity {
	DIFF_ELAPSED,
	DIFF_CPU_TIME, /* of the calls that were not switched */
	DIFF_QUANTITIES
};

/* What a test compares, and against what. Where it is known of each call whether it was switched,
 * DIFF_UNSWITCHED_UNDISTURBED takes the place of DIFF_UNDISTURBED. */
enum diff_view {
	DIFF_MEAN,	  /* elapsed time */
	DIFF_UNDISTURBED, /* elapsed time without the longest calls */
	DIFF_UNSWITCHED,  /* CPU time: of the calls that kept their CPU */
	DIFF_UNSWITCHED_UNDISTURBED,
	DIFF_VIEWS
};
enum diff_against {
	DIFF_TOTAL, /* the change itself */
	DIFF_OWN, /* the change relative to the other sites; with one run a side, of its function */
	DIFF_AGAINSTS
};

/* The sides of a comparison, and what an average run of one has. */
enum diff_side_of { DIFF_BASE, DIFF_NEW, DIFF_SIDES };

struct diff_side {
	double calls, total_ns;
	double ns;	      /* of a call, or of a unit of work */
	double unswitched_ns; /* of the calls that were not switched; NAN: none */
	double units;	      /* of work */
	double share;	      /* of a function that computes: of the CPU time outside of calls */
};

/* A site in one profile. */
struct diff_run {
	uint64_t calls;
	double total_ns;	  /* compensated */
	struct compare_mean mean; /* in ns, compensated */
	double design_effect;
	unsigned unreliable; /* enum stats_unreliable */
	bool few;	     /* ticks are few: `count` is more precise than `mean` */
	struct compare_count count;
	struct compare_mean undisturbed; /* error INFINITY: there is none */
	double quick_ns;		 /* the fastest hundredth of the calls; NAN: not known */
	/* Where the time went; means of a call in ns, NAN: not known. */
	struct compare_mean unswitched, unswitched_undisturbed; /* error INFINITY: none */
	unsigned unswitched_unreliable;
	bool watched;  /* it is known of each call whether it was switched */
	double spread; /* of single calls: variance over squared mean; not above 0: not known */
	double unswitched_calls, runnable_ns, asleep_ns;
};

/* One test of a site. */
struct diff_test {
	bool made;
	bool relative; /* to a change that the other sites of its function share */
	double p;      /* NAN: not made */
	double weight; /* of the quantity's tests, which add up to 1 */
	double ratio, low, high;
	/* of the ratio's logarithm; what is no change lies within +-margin of 0 */
	double error, freedom, margin;
	double detectable; /* smallest change that would have been found, as a ratio above 1 */
};

enum diff_status {
	DIFF_SLOWER,
	DIFF_FASTER,
	DIFF_SAME,     /* no change can be seen */
	DIFF_UNTESTED, /* cannot be compared: `reason` */
	DIFF_ONLY_BASE,
	DIFF_ONLY_NEW
};

/* What the tests of a quantity say together. */
struct diff_finding {
	double p, q; /* of its tests; over all quantities of all sites; NAN: not tested */
	enum diff_status status;
	const char *reason; /* DIFF_UNTESTED: why; else NULL */
	/* The test behind the status, or else the most sensitive one. */
	enum diff_view view;
	enum diff_against against;
	struct diff_test shown;
};

static inline bool diff_is_changed(const struct diff_finding *f)
{
	return f->status == DIFF_SLOWER || f->status == DIFF_FASTER;
}

/* How often a site is called for each unit of work (--per), in an average run. */
struct diff_rate {
	double calls[DIFF_SIDES]; /* NAN: no unit was named */
	/* Of several runs a side; else NAN, and no change. */
	double ratio, low, high, p, q;
	bool changed;
};

struct diff_site {
	const char *symbol, *library, *outcome;
	const char *brief;	    /* of a function that computes, with a name: in a word */
	uint32_t profile, entry;    /* where its path is */
	bool moved;		    /* its lines differ from BASE's */
	bool waiting;		    /* its function waits for others */
	bool states;		    /* which calls were switched is known in all runs */
	const struct diff_run *run; /* one for each profile, BASE's first; calls 0: not there */
	struct diff_side side[DIFF_SIDES];
	double effect_ns; /* of an average run */
	struct diff_test test[DIFF_VIEWS][DIFF_AGAINSTS];
	struct diff_finding found[DIFF_QUANTITIES];
	struct diff_finding verdict; /* of those, the one that decides */
	bool counts;		     /* DIFF_ONLY_BASE, DIFF_ONLY_NEW: and that is a change */
	bool much;		     /* the same: with much of its side's time in calls that work */
	struct diff_rate rate;
};

/* The unit of work, and what it takes: of an average run. */
struct diff_per {
	const char *symbol, *outcome;	   /* NULL: none was named */
	double *units;			   /* of each profile */
	struct diff_side side[DIFF_SIDES]; /* all calls, and the time in calls that work, a unit */
	struct diff_test time;		   /* of that time; low, high NAN: one run a side */
	bool changed;			   /* it did, by several runs a side */
};

/* The change that all sites of a kind share, of several runs a side: probably the machine. */
struct diff_common {
	uint32_t sites; /* 0: too few, or one run a side */
	double ratio, low, high;
};

struct diff {
	const struct profile *const *profile;
	uint32_t profiles, bases;
	struct diff_options options;
	struct match *match;
	struct diff_run *runs;
	double *nested_ns;	/* of each profile: in calls inside of other calls */
	struct diff_site *site; /* changed ones first, then by effect on the total time */
	uint32_t sites;
	struct diff_common common[DIFF_QUANTITIES][2]; /* of sites that work, that wait */
	uint32_t slower, faster, same, untested, only_base, only_new;
	uint32_t gone, came;  /* of only_base, only_new: those that count */
	uint32_t more, fewer; /* of the sites on both sides: calls a unit changed */
	struct diff_per per;
	/* An average run's, in all calls that do not wait, each moment once. */
	struct diff_side side[DIFF_SIDES]; /* calls: of all sites */
	bool any_waits;
	bool samples;		/* sites are functions that compute, their calls samples */
	struct diff *computing; /* of these, without paths; NULL: not all runs were sampled */
	uint64_t overflow_calls;
	int status; /* exit status: 0 no change, 1 change, 2 nothing could be compared */
	struct report_warning *warning;
	uint32_t warnings;
};

/* The first `bases` of the profiles are BASE, the others NEW; at least one each. NULL:
 * out of memory, or, with *why filled, the profiles cannot be compared at all. */
struct diff *diff_model_build(const struct profile *const *profile, uint32_t profiles,
			      uint32_t bases, const struct diff_options *o,
			      struct profile_error *why);
void diff_model_free(struct diff *d);

/* Less the overhead, the mean of empty calls may be below 0. */
static inline double diff_shown_ns(double mean_ns)
{
	return mean_ns < 0 ? 0 : mean_ns;
}

/* The runs of a side: from its first on to before its end. */
static inline uint32_t diff_first_run(const struct diff *d, int side)
{
	return side == DIFF_NEW ? d->bases : 0;
}

static inline uint32_t diff_end_run(const struct diff *d, int side)
{
	return side == DIFF_NEW ? d->profiles : d->bases;
}

/* So many calls a site needs in each run, where one run a side has to show its error, and for a
 * site to have come or gone. */
static inline uint64_t diff_pair_calls(const struct diff *d)
{
	return d->samples ? DIFF_PAIR_SAMPLES : DIFF_PAIR_CALLS;
}

/* In words: the verdict of a site, what its other quantity did if one changed ("": not known), the
 * verdict of all sites, and the change that sites of a kind share ("" where they are too few). */
struct words diff_words(const struct diff *d, const struct diff_site *s);
struct words diff_words_other(const struct diff *d, const struct diff_site *s);
struct words diff_words_verdict(const struct diff *d);
/* How small a change samples would show, where that is not small; else "". */
struct words diff_words_power(const struct diff *d);
/* The sites that came and went, by name, and what a unit of work takes; "": none, no unit. */
struct words diff_words_sides(const struct diff *d);
struct words diff_words_per(const struct diff *d, bool utf8);
struct words diff_words_common(const struct diff *d, enum diff_quantity of, bool waiting);
const char *diff_words_status_name(enum diff_status status);
/* Of a test, as JSON has them. */
const char *diff_words_view_name(enum diff_view view);
const char *diff_words_against_name(enum diff_against against);
/* The width of a test's limits: what its percentage's digits are to show. */
double diff_words_unit(const struct diff_test *t);
/* "+5.2 %" of 1.052, with the digits that show `unit` (the smallest change of interest). */
struct numbered diff_words_percent(double ratio, double unit);
/* What the grouping keeps of a site's path, innermost frame first: how many frames, and
 * of one its names (as symbolize_frame) or a line for people, to be freed, not yet
 * clean; NULL: out of memory. */
uint32_t diff_path_frames(const struct diff *d, const struct diff_site *s);
/* Which of them is the call site (path_site.h). */
uint32_t diff_path_site(const struct diff *d, const struct diff_site *s);
const struct symbol *diff_path_symbols(const struct diff *d, const struct diff_site *s,
				       uint32_t frame, size_t *count);
bool diff_path_heuristic(const struct diff *d, const struct diff_site *s, uint32_t frame);
char *diff_path_frame_line(const struct diff *d, const struct diff_site *s, uint32_t frame);

/* ---- between diff*.c ---- */

/* All estimates of all rows. -1: out of memory. */
int diff_estimate_fill_runs(struct diff *d);
/* The tests: with one run a side, and with several. -1: out of memory. */
int diff_pair_test(struct diff *d);
int diff_runs_test(struct diff *d);
/* From tests to verdicts. -1: out of memory. */
int diff_judge(struct diff *d);
/* What was computed, in d->computing, where it is known. -1: out of memory. */
int diff_computing_compare(struct diff *d);
/* Calls and time a unit of work. -1: out of memory, or *why says that a profile has none. */
int diff_per_fill(struct diff *d, struct profile_error *why);
void diff_warnings_make(struct diff *d);
/* Of a row: is it known in all runs which of its calls were switched? */
bool diff_estimate_has_states(const struct diff *d, const struct diff_run *run);
enum diff_quantity diff_estimate_quantity(enum diff_view view);
/* An estimate of a view; error INFINITY: there is none. */
struct compare_mean diff_estimate(const struct diff_run *r, enum diff_view view);
/* The logarithm of an estimate, and its squared relative error. False, and NAN: it is of too few
 * calls, or there is none. */
bool diff_estimate_log(const struct diff_run *r, enum diff_view view, double *y, double *v);
/* What is no change, of a ratio's logarithm: the threshold, and how far other calls are the ones
 * that were not switched. */
double diff_estimate_margin(const struct diff *d, const struct diff_site *s, enum diff_view view);
/* Of what all sites share: may a site stay as it was, and be no change? Where time is lost to other
 * programs, which meet some sites and miss others; CPU time tells the rest. */
bool diff_estimate_may_stay(const struct diff_site *s, enum diff_view view);
/* Why a site's view may not be tested; NULL: it may. */
const char *diff_estimate_hindrance(const struct diff *d, const struct diff_site *s,
				    enum diff_view view);

int diff_text(struct diff *d, FILE *out);
int diff_json(struct diff *d, FILE *out);
int diff_html(struct diff *d, FILE *out);

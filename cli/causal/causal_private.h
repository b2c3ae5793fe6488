// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof causal` was asked to do. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <math.h>

#include "cli/run/run_options.h"
#include "collector/causal/causal.h"
#include "include/scprof_causal.h"
#include "report/report.h"
#include "report/wording/numbers.h"

struct causal_options {
	struct run_options run; /* -s, -g, -c; `command` */
	struct causal_wishes wishes;
	char function[256]; /* NAME of what is progress */
	const char *at;	    /* patterns; NULL: all */
	bool end;	    /* end the command once the experiment is over */
	pid_t attach;	    /* 0: a command is started */
	bool format_given;
	enum report_format format; /* text, JSON, a page */
	const char *output;
	const char *confirm, *changed; /* NULL: not asked for */
	double faster;
	uint64_t runs;
};

/* OPTIONS_GO, or the exit status. */
int causal_options_parse(int argc, char **argv, struct causal_options *o);

/* Does one of the patterns FUNCTION[@FRAME], separated by commas, match the function, and its FRAME
 * the path that is asked? */
bool causal_sites_glob(const char *patterns, const char *function,
		       bool (*has_frame)(const void *context, const char *glob),
		       const void *context);

/* Which call site an entry of the page is: what the profiles of the run say of it, also while they
 * are written. */

struct causal_sites {
	struct profile *profile; /* all files of the directory */
	struct report *report;	 /* of them, by the page's kind of site */
	struct causal_ref *ref;	 /* private: entries by their numbers in the files */
	size_t refs;
};

/* What 10 % off a call is 10 % of. */
enum causal_basis {
	CAUSAL_BASIS_NONE, /* no profile tells, or it waits for others and states are not known */
	CAUSAL_BASIS_CPU,  /* time on a CPU */
	CAUSAL_BASIS_CPU_FILE, /* that, and time asleep: it waits for files only */
	CAUSAL_BASIS_ELAPSED   /* all its time: states are not known */
};

struct causal_found {
	const char *function;	       /* NULL: not known */
	const struct report_site *row; /* of its calls, the longest in all; NULL: none */
	uint64_t calls;
	struct slopes_value mean; /* seconds that a call takes by itself; NAN: not known */
	double busy;		  /* of all calls together, seconds */
	enum causal_basis basis;
};

/* 0, or -1: no file can be read, or no memory. causal_sites_free either way. */
int causal_sites_read(struct causal_sites *s, const char *directory, enum scp_causal_by by);
void causal_sites_free(struct causal_sites *s);

struct causal_found causal_sites_find(const struct causal_sites *s, enum scp_causal_by by,
				      const struct causal_page_site *site);

/* Does one of the patterns mean calls of `function` on the row's path? Each frame has several
 * names: "handle", "handle:88", "app.c:88". */
bool causal_sites_match(const struct causal_sites *s, const struct report_site *row,
			const char *function, const char *patterns);

/* Seconds that a call takes by itself at the sites that `patterns` mean; NAN: there is none. */
double causal_sites_mean(const struct causal_sites *s, const char *patterns);

/* The functions that completed most, "recv, send, SSL_read"; "" where there are none. */
void causal_sites_most(const struct causal_sites *s, char *text, size_t size);

/* What is to be delayed, and what is progress. */

/* For causal_wishes.choose: all that is known of the pilot's calls. */
struct causal_choice {
	const struct causal_options *o;
	char directory[PATH_MAX]; /* of the profiles */
	bool none_matched;	  /* set: no call was seen at the sites that are asked for */
};
bool causal_choose_sites(void *choice, struct causal_candidate *c, size_t count);

/* Does one of the patterns mean the site? */
bool causal_choose_matches(const struct causal_sites *s, const struct causal_found *found,
			   const char *patterns);

/* The functions of --progress, --at and --confirm are recorded: -s has those of a library, too, and
 * -g the groups of the others. Before run_options_settle. */
void causal_choose_recorded(struct causal_options *o);

/* What a causal experiment says, ready to be printed: by site what a faster call brings, and what
 * keeps that from being known. Quantities that are not known are NAN or NULL. */

#define CAUSAL_CONFIDENCE 0.95
#define CAUSAL_UNPREDICTED                                                                         \
	{                                                                                          \
		.percent = NAN, .low = NAN, .high = NAN, .latency_percent = NAN,                   \
		.latency_low = NAN, .latency_high = NAN                                            \
	}

#define CAUSAL_LARGEST 1000.0 /* percent: beyond, figures mean nothing */

struct causal_limits {
	double value, low, high;
};
/* At CAUSAL_CONFIDENCE. */
struct causal_limits causal_report_limits(const struct slopes_value *v, double scale);

struct causal_row {
	const struct causal_result_site *site;
	char *label;	/* "SSL_write at handle:88"; owned, clean */
	char *function; /* owned */
	struct causal_found found;
	bool told;		    /* something can be said */
	double calls_unit;	    /* 1 at the only site of the unit's own function */
	struct causal_limits kappa; /* of the slope: per call, 1: each nanosecond costs one */
	struct slopes_prediction ten, thirty;
	struct slopes_prediction removed; /* percent NAN where that is not known */
};

struct causal_warning {
	const char *code;
	char text[320];
};

/* --confirm: what was predicted, and what came. Percent of throughput. */
struct causal_confirmed {
	const char *site;
	double faster;			    /* asked: a share */
	struct causal_limits before, after; /* seconds a call, over the runs */
	struct causal_limits measured;	    /* share by which a call really was shorter */
	struct slopes_prediction predicted; /* for `faster` */
	struct slopes_prediction for_measured;
	struct causal_limits realised; /* percent */
	double rate_before, rate_after;
	size_t runs; /* of each */
	bool known, agrees;
	bool too_wide; /* to say so: not `known` */
};

struct causal_report {
	const char *progress; /* NAME[@OUTCOME] */
	const struct causal_result *result;
	struct causal_sites *sites; /* borrowed; NULL: no profile */
	struct causal_row *row;	    /* what 10 % brings, most first; those not told last */
	size_t rows;
	struct causal_warning warning[16];
	size_t warnings;
	struct report *computing;		  /* owned; NULL: not known, see below */
	const struct causal_confirmed *confirmed; /* NULL: not asked for */
};

/* `sites`, `result` and `progress` are borrowed. `none_matched`: --at matched no site. 0; -1: no
 * memory. causal_report_free either way. */
int causal_report_make(struct causal_report *r, const char *progress,
		       const struct causal_result *result, struct causal_sites *sites,
		       enum scp_causal_by by, bool none_matched);
void causal_report_free(struct causal_report *r);

/* What the processes of `p`, which is borrowed, computed outside of recorded calls: no site, and
 * yet what may hold progress up. Where it is not known a warning says why. 0, or -1: no memory. */
int causal_computing_find(struct causal_report *r, struct profile *p);
/* How many functions are worth a line, from the first on; and in words: one of them ("79 % (75 to
 * 83)  parse"), and what makes a site of one. */
uint32_t causal_computing_rows(const struct causal_report *r);
struct words causal_computing_row(const struct causal_report *r, uint32_t i);
struct words causal_computing_advice(const struct causal_report *r);

/* Parts of that: a row's predictions, calls a unit, all warnings. */
void causal_report_predict(const struct causal_result *c, struct causal_row *row);
void causal_report_count_unit(struct causal_report *r);
void causal_report_warn(struct causal_report *r, bool none_matched);
/* There are no samples of what was computed. */
void causal_report_warn_unsampled(struct causal_report *r, const char *why);

/* "handle:88", "app.c:88", "libfoo.so+0x12" */
void causal_report_frame(const struct causal_report *r, const struct prof_frame *frame, char *text,
			 size_t size);
/* Of the result's site with that index. */
const char *causal_report_name(const struct causal_report *r, size_t site);
/* One sentence of what keeps the row from being one number; "" where there is nothing. */
struct words causal_report_note(const struct causal_report *r, const struct causal_row *row);
/* Why delays are not told of, where no window is. */
const char *causal_report_untold(const struct causal_result *c);
/* What all rows say together where none is surely on the path of progress; else "". */
struct words causal_report_verdict(const struct causal_report *r);
/* A unit's own duration, beside what it takes by itself; "" where it has none. */
struct words causal_report_unit(const struct causal_report *r, bool utf8);
/* "+3.1 % [2.4, 3.8]" */
struct causal_text {
	char text[64];
};
struct causal_text causal_report_percent(double value, double low, double high);
struct causal_text causal_report_prediction(const struct slopes_prediction *p);
struct causal_text causal_report_limited(const struct causal_limits *l);
/* "at most ", "at least ", "" */
const char *causal_report_bound(const struct slopes_prediction *p);

/* 0, or -1: no memory. Errors of the stream stay in it. */
int causal_text_print(const struct causal_report *r, FILE *out);
int causal_json_print(const struct causal_report *r, FILE *out);
int causal_html_print(const struct causal_report *r, FILE *out);

/* --confirm: was the prediction right? The program and the changed one run in turn, in random
 * order, and are recorded without delays. */

/* The environment, before the experiment changes it; NULL: no memory. */
char **causal_confirm_keep_environment(void);

/* The runs, and *out from them. What fails is said, and leaves out->known false. */
void causal_confirm_run(char **environment, const struct causal_options *o,
			const struct causal_report *r, struct causal_confirmed *out);

/* What the runs of both say: rates of progress, means of the site in seconds (NAN: not known). */
struct causal_confirm_runs {
	size_t count;
	const double *rate[2], *mean[2]; /* before, after: [count] */
};
void causal_confirm_settle(const struct causal_confirm_runs *runs, const struct causal_options *o,
			   const struct causal_report *r, struct causal_confirmed *out);

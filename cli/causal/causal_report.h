// SPDX-License-Identifier: GPL-3.0-or-later
/* What a causal experiment says, ready to be printed: by site what a faster call brings, and what
 * keeps that from being known. Quantities that are not known are NAN or NULL. */
#ifndef SCPROF_CLI_CAUSAL_CAUSAL_REPORT_H
#define SCPROF_CLI_CAUSAL_CAUSAL_REPORT_H

#include <stdio.h>

#include "cli/causal/causal_sites.h"
#include "collector/causal/causal.h"

#define CAUSAL_CONFIDENCE 0.95

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
	struct causal_limits kappa; /* of the slope: per call, 1: each nanosecond costs one */
	struct slopes_prediction ten, thirty;
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
	const struct causal_confirmed *confirmed; /* NULL: not asked for */
};

/* `sites`, `result` and `progress` are borrowed. `none_matched`: --at matched no site. 0; -1: no
 * memory. causal_report_free either way. */
int causal_report_make(struct causal_report *r, const char *progress,
		       const struct causal_result *result, struct causal_sites *sites,
		       enum scp_causal_by by, bool none_matched);
void causal_report_free(struct causal_report *r);

/* Marks of a row, as words: "at most", "straight", ... */
const char *causal_report_shape(enum slopes_shape shape);
/* One sentence of what keeps the row from being one number; "" where there is nothing. */
void causal_report_note(const struct causal_report *r, const struct causal_row *row, char *text,
			size_t size);
/* "+3.1 % [2.4, 3.8]" */
void causal_report_percent(char *text, size_t size, double value, double low, double high);

/* 0, or -1: no memory. Errors of the stream stay in it. */
int causal_text_print(const struct causal_report *r, FILE *out);
int causal_json_print(const struct causal_report *r, FILE *out);
int causal_html_print(const struct causal_report *r, FILE *out);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* A series of batch means as ranks, for tests that a few wild batches cannot decide.
 *
 * Levels are compared in normal scores: the i-th of n values becomes the quantile of the normal
 * distribution at (i - 3/8) / (n + 1/4) (Blom 1958), ties share their mean rank. A trend is looked
 * for in the ranks themselves: any steady rise is a straight line there. Private to stats/. */
#pragma once

#include <stdbool.h>

#include "stats/stats.h"

#define SERIES_MOST 64
/* Shorter series are not searched for two levels: their ranks cannot be improbable enough. */
#define SERIES_LEAST_TO_SPLIT 16

struct series {
	unsigned count;
	unsigned each;		   /* number of batches per value */
	double x[SERIES_MOST];	   /* mean of a call, clock units */
	double score[SERIES_MOST]; /* normal scores: mean 0, mean square 1; 0 where all are equal */
	double rank[SERIES_MOST];  /* ranks, scaled like the scores */
};

/* Batches from `skip` on. Neighbours are joined while more than half of the values are equal (few
 * ticks) and 16 remain; also if there are more than 64. */
struct series rank_series_of(const struct stats_batches *b, unsigned skip);

/* Can the ranks be searched for two levels? Not with fewer than 16, or if half of them are
 * equal. */
bool rank_series_can_split(const struct series *s);

/* The place `at` in [first, last] that splits the scores best: [0, at) and [at, count).
 * `statistic` is their difference in standard errors of independent values. */
struct series_split {
	unsigned at;
	double statistic; /* signed: positive where the first part is larger */
	double left;	  /* sum of squares around the two levels */
	double inflation; /* factor of the standard error due to serial correlation */
};
struct series_split rank_series_split(const struct series *s, unsigned first, unsigned last);

/* The straight line through the ranks; `left` of one through the scores, to be compared with
 * that of a split. */
struct series_line {
	double statistic; /* slope in standard errors of independent values */
	double left;
	double inflation;
};
struct series_line rank_series_line(const struct series *s);

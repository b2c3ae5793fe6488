// SPDX-License-Identifier: GPL-3.0-or-later
/* What an estimator makes of the replications of one cell, and the rule it is held
 * to: cover or warn. */
#ifndef COVERAGE_SCORE_H
#define COVERAGE_SCORE_H

#include "tests/bench/coverage/source.h"
#include "stats/mean/mean_interval.h"

#define SCORE_METHODS 8
#define SCORE_DOUBTS  3

/* The rule's numbers. */
#define RULE_COVER     0.94  /* at least */
#define RULE_WARN      0.90  /* or so many replications warned */
#define RULE_SILENT    0.06  /* at most: neither covered nor warned */
#define RULE_ALARMS    0.05  /* at most, where it covers */
#define RULE_OVERCOVER 0.975 /* at most, with RULE_TICKS ticks and random durations */
#define RULE_WIDTH     1.15  /* times the oracle's, likewise */
#define RULE_TICKS     100
#define RULE_ERRORS    2 /* standard errors of a coverage that are allowed for */

struct score {
	struct cell cell;
	bool constant; /* all durations are the same */
	uint64_t replications, covered, warned, doubt[SCORE_DOUBTS];
	uint64_t silent;     /* neither covered nor warned */
	uint64_t low_misses; /* the truth lay below the interval; the other misses above */
	double truth, deviation;
	double ticks;		      /* mean number in a run */
	double mean_sum, mean_square; /* of estimates, less the truth */
	double width_sum;
	struct {
		const char *name;
		uint64_t count;
	} method[SCORE_METHODS];
};

enum criterion {
	CRITERION_COVER_OR_WARN,
	CRITERION_FALSE_ALARM,
	CRITERION_OVERCOVER,
	CRITERION_WIDTH,
	CRITERIA
};
extern const char *const criterion_names[CRITERIA];

extern const char *const doubt_names[SCORE_DOUBTS];

/* Confidence 0.95 throughout. */
#define SCORE_CONFIDENCE 0.95

/* One replication's interval, and the sum of its ticks. score_end: after the last one. */
void score_add(struct score *s, const struct mean_interval *e, uint64_t ticks);
void score_end(struct score *s);
void score_run(struct score *s, struct source *source, uint64_t replications, struct dice *d);

double score_coverage(const struct score *s);
double score_coverage_error(const struct score *s); /* standard error */
double score_share(const struct score *s, uint64_t count);
double score_deviation(const struct score *s); /* of the estimate: exact or its own spread */
double score_width(const struct score *s);     /* mean width over the oracle's */

/* More replications than RULE_SILENT are neither covered nor warned, by RULE_ERRORS standard
 * errors. */
bool score_is_silent(const struct score *s);

/* How badly a cell fails a criterion: 0 passed, NAN not judged by it, else positive,
 * larger is worse. */
double score_badness(const struct score *s, enum criterion c);

#endif

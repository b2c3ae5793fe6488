// SPDX-License-Identifier: GPL-3.0-or-later
/* The page /metrics. docs/serve.md has the table of what is on it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/report.h"
#include "report/serve/agent/agent.h"

/* The two formats that Prometheus reads: OpenMetrics 1.0 and the text format 0.0.4. They differ in
 * where "_total" stands, in units, and in the last line. */

struct metrics {
	FILE *out;
	bool openmetrics;
	const char *family; /* the open one; NULL: none */
	bool counter;	    /* is it */
	bool labels;	    /* the sample's first label was written */
};

#define METRICS_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define METRICS_TEXT_TYPE	 "text/plain; version=0.0.4; charset=utf-8"

/* Begin a family: all its samples follow. `name` without "_total"; unit "" for none, else the
 * last word of the name. */
enum metrics_type { METRICS_COUNTER, METRICS_GAUGE };
void metrics_write_family(struct metrics *m, enum metrics_type type, const char *name,
			  const char *unit, const char *help);

/* A sample has this order: its name with labels ("name", value, ..., or NULL), any more labels, its
 * value. */
void metrics_write_sample(struct metrics *m, const char *const *labels);
#define METRICS_SAMPLE(m, ...) metrics_write_sample(m, (const char *const[]){__VA_ARGS__, NULL})
void metrics_write_label(struct metrics *m, const char *name, const char *value);
void metrics_write_whole(struct metrics *m, prof_u128 value);
void metrics_write_real(struct metrics *m, double value);

void metrics_write_end(struct metrics *m);

/* Mean and interval of every row that has a name, by the rule that makes a report's intervals,
 * over all calls that the agent knows of: of processes that live, and of those that ended. */

struct gauge {
	const struct counters_service *service;
	const struct counters_function *function;
	uint32_t outcome, clock;
	uint64_t calls;
	double total_ns;
	struct mean_interval estimate;
};

struct gauges {
	struct gauge *gauge; /* by service, then by time in calls, longest first */
	uint32_t count;
	uint64_t left_out; /* processes: another tick than most of their clock's kind; no time left
			    */
};

/* Takes the agent's lock, but not while it computes. Each user's profiles get as much time as
 * agent_read.c gives at once. 0, or -1: out of memory. gauges_free is due either way. */
int gauges_build(struct gauges *g, struct agent *a);
void gauges_free(struct gauges *g);

/* Write all of it. Takes the agent's lock. 0, or -1: out of memory, or the stream failed. */
int metrics_print(struct agent *a, bool openmetrics, FILE *out);

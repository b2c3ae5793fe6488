// SPDX-License-Identifier: GPL-3.0-or-later
/* The two formats that Prometheus reads: OpenMetrics 1.0 and the text format 0.0.4. They differ in
 * where "_total" stands, in units, and in the last line. */
#ifndef SCPROF_SERVE_PAGES_METRICS_WRITE_H
#define SCPROF_SERVE_PAGES_METRICS_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

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
void metrics_write_counter(struct metrics *m, const char *name, const char *unit, const char *help);
void metrics_write_gauge(struct metrics *m, const char *name, const char *unit, const char *help);

/* One sample: its name, any labels, its value. */
void metrics_write_sample(struct metrics *m);
void metrics_write_label(struct metrics *m, const char *name, const char *value);
void metrics_write_whole(struct metrics *m, prof_u128 value);
void metrics_write_real(struct metrics *m, double value);

void metrics_write_end(struct metrics *m);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --until`: whether all sites that matter are known precisely enough (stopping.h).
 *
 * A site here is a row of the report by path. A site matters if it has PRECISION_MAJOR of the
 * time in calls of the named functions (or in all calls); if none has, the one with most time
 * does. Functions that wait (report/model/sites.h) matter only if they are named, or nothing else
 * was called. They may change while the program runs; a site that joins later is watched from then
 * on for as long as any other. */
#ifndef SCPROF_REPORT_LIVE_PRECISION_H
#define SCPROF_REPORT_LIVE_PRECISION_H

#include "report/live/live_rows.h"
#include "stats/mean/stopping.h"

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
	struct precision_site *known;
};

/* After live_rows_update, `now_s` seconds of recording after the start. 1: reached; 0: not yet; -1:
 * out of memory. */
int precision_look(struct precision *p, const struct live_reader *f, const struct rows *r,
		   double now_s);
void precision_free(struct precision *p);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --until`: whether all sites that matter are known well enough (stopping.h).
 *
 * A site here is a row of the report by path. Of the calls of chosen functions (or of all), those
 * sites matter that have PRECISION_MAJOR of their time or more; if none has, the one that
 * has most. Which they are may change while the program runs; a site that becomes one later has
 * to pass its own looks. */
#ifndef SCPROF_REPORT_LIVE_PRECISION_H
#define SCPROF_REPORT_LIVE_PRECISION_H

#include "report/live/live_rows.h"
#include "stats/mean/stopping.h"

#define PRECISION_MAJOR 0.05

struct precision_site;

struct precision {
	double relative;   /* wanted */
	const char *names; /* globs of functions, separated by commas; NULL: all */
	size_t sites;	   /* that matter, at the last look */
	size_t reached;	   /* of these */
	double worst;	   /* relative half width of the widest; NAN: not known of all yet */
	unsigned doubts;   /* enum stats_doubt, of those that are not reached */
	struct precision_site *known;
};

/* After live_rows_update. 1: reached; 0: not yet; -1: out of memory. */
int precision_look(struct precision *p, const struct feed *f, const struct rows *r);
void precision_free(struct precision *p);

#endif

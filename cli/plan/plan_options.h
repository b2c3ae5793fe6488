// SPDX-License-Identifier: GPL-3.0-or-later
/* The command line of `scprof plan`, read and checked. */
#ifndef SCPROF_CLI_PLAN_PLAN_OPTIONS_H
#define SCPROF_CLI_PLAN_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/usage/options.h"
#include "report/report.h"

struct plan_options {
	bool json;
	double confidence; /* in (0, 1) */
	double width;	   /* total width of the interval, relative to the mean */
	unsigned digits;   /* significant digits instead of `width`; 0: none */

	/* A planned measurement: tick_ns > 0. */
	uint64_t tick_ns, mean_ns, longest_ns; /* longest_ns 0: not given */
	uint64_t calls; /* how precise are so many? 0: how many are needed? */

	/* A measurement that was made. */
	double change; /* to be found by a comparison; 0: not asked */
	double share;  /* sites above this share of the calls' time */
	enum report_by by;
	const char *const *profile;
	size_t profiles; /* 0: a planned measurement */
};

#define PLAN_SHARE_DEFAULT  0.01
#define PLAN_WIDTH_DEFAULT  0.1			/* +-5 % */
#define PLAN_CALLS_MAX	    1000000000000000ull /* 10^15 */
#define PLAN_DIGITS_MAX	    9
#define PLAN_CHANGE_MIN	    0.01 /* twice what is no change at all */
#define PLAN_CHANGE_MAX	    10
#define PLAN_WIDTH_MIN	    1e-9
#define PLAN_CONFIDENCE_MAX 0.999999999 /* no normal approximation is valid beyond */

/* OPTIONS_GO, or the exit status. */
int plan_options_parse(int argc, char **argv, struct plan_options *o);

#endif

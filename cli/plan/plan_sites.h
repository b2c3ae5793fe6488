// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan PROFILE`: how much more of the same program the sites need until their
 * intervals are as narrow as was asked. */
#ifndef SCPROF_CLI_PLAN_PLAN_SITES_H
#define SCPROF_CLI_PLAN_PLAN_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/plan/plan_options.h"
#include "report/report.h"

enum plan_state {
	PLAN_REACHED,  /* narrow enough already */
	PLAN_MORE,     /* `calls` in all */
	PLAN_AT_LEAST, /* `calls`, but why it may be more stands in `reason` */
	PLAN_NEVER,    /* no number of calls helps: `reason` */
	PLAN_UNKNOWN   /* nothing to go by: `reason` */
};

struct plan_site {
	uint32_t site; /* index into the report */
	enum plan_state state;
	const char *reason; /* a code; NULL: none */
	bool rough;	    /* the interval is so wide that the forecast is hardly one */
	double width;	    /* of the interval now, over the mean; NAN: not known */
	double calls;	    /* needed in all; INFINITY: never; NAN: not known */
	double more_calls;  /* beyond those made; as `calls` */
	double more_ns;	    /* of running like before; as `calls` */
};

/* A run says little of what happens less often than once in it. */
#define PLAN_FAR 4

struct plan_sites {
	struct plan_site *site; /* longest total first */
	uint32_t sites;
	uint32_t in_state[PLAN_UNKNOWN + 1];
	double running_ns; /* that the profile covers: some process was there */
	/* For all sites in PLAN_MORE and PLAN_AT_LEAST: so many times the run, calls of every kind
	 * in it. */
	double factor, more_calls, more_ns;
	bool far;	  /* factor > PLAN_FAR: rarer things than the run held will come */
	uint32_t perhaps; /* sites below the share whose intervals reach above it */
};

/* 0, or -1: out of memory. To be ended either way. */
int plan_sites_build(struct plan_sites *p, const struct report *r, const struct plan_options *o);
void plan_sites_end(struct plan_sites *p);

const char *plan_state_name(enum plan_state state);
/* What a reason means and what helps, in one line. */
const char *plan_reason_text(const char *reason);

/* On standard output. 0, or -1: out of memory; errors of the stream stay in it. */
int plan_sites_print(const struct plan_sites *p, struct report *r, const struct plan_options *o);
int plan_sites_json(const struct plan_sites *p, struct report *r, const struct plan_options *o);

#endif

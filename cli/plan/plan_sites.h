// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan PROFILE`: how much more of the same program the sites need until their
 * intervals are as narrow as was asked. */
#ifndef SCPROF_CLI_PLAN_PLAN_SITES_H
#define SCPROF_CLI_PLAN_PLAN_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/plan/plan_options.h"
#include "report/report.h"
#include "stats/mean/stopping.h"

enum plan_state {
	PLAN_REACHED,  /* narrow enough already */
	PLAN_MORE,     /* `calls` in all */
	PLAN_AT_LEAST, /* `calls`, perhaps more: see `reason` */
	PLAN_NEVER,    /* no number of calls helps: `reason` */
	PLAN_UNKNOWN   /* no forecast is possible: `reason` */
};

struct plan_site {
	uint32_t site; /* index into the report */
	enum plan_state state;
	const char *reason; /* a code; NULL: none */
	bool rough;	    /* the interval is too wide for a good forecast */
	double width;	    /* of the interval now, over the mean; NAN: not known */
	double calls;	    /* needed in all; INFINITY: never; NAN: not known */
	double more_calls;  /* beyond those made; as `calls` */
	double more_ns;	    /* of running at the same rates; as `calls` */
	/* The same for their CPU time, the mean of those that are not switched: far fewer, where
	 * other programs take the CPU. NAN: it is not known which were. */
	double cpu_width, cpu_calls, cpu_more_calls;
};

/* A run says little about events that are rarer than one a run. */
#define PLAN_FAR 4
/* And a short one nothing of phases: what lasts a third of it goes unseen in one of 20
 * (stopping.h).
 */
#define PLAN_BRIEF_NS (STOPPING_LEAST_S * 1e9)

struct plan_sites {
	struct plan_site *site; /* longest total first */
	uint32_t sites;
	uint32_t in_state[PLAN_UNKNOWN + 1];
	double running_ns; /* in which a process was recorded */
	/* For all sites in PLAN_MORE and PLAN_AT_LEAST: how many times as long the run must be, and
	 * all calls in it. */
	double factor, more_calls, more_ns;
	/* The same for the CPU time of all sites of which it is forecast; NAN: of none. */
	double cpu_factor, cpu_more_calls, cpu_more_ns;
	bool far;	  /* factor > PLAN_FAR: rarer events than the run had will occur */
	bool brief;	  /* running_ns < PLAN_BRIEF_NS: slow phases may be missing */
	uint32_t perhaps; /* sites below the share whose intervals reach above it */
};

/* 0, or -1: out of memory. plan_sites_end either way. */
int plan_sites_build(struct plan_sites *p, const struct report *r, const struct plan_options *o);
void plan_sites_end(struct plan_sites *p);

const char *plan_state_name(enum plan_state state);
/* What a reason means and what helps, in one line. */
const char *plan_reason_text(const char *reason);

/* On standard output. 0, or -1: out of memory; errors of the stream stay in it. */
int plan_sites_print(const struct plan_sites *p, struct report *r, const struct plan_options *o);
int plan_sites_json(const struct plan_sites *p, struct report *r, const struct plan_options *o);

#endif

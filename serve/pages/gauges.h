// SPDX-License-Identifier: GPL-3.0-or-later
/* Mean and interval of every row that has a name, by the rule that makes a report's intervals,
 * over all calls that the agent knows of: of processes that live, and of those that ended. */
#ifndef SCPROF_SERVE_PAGES_GAUGES_H
#define SCPROF_SERVE_PAGES_GAUGES_H

#include "serve/agent/agent.h"
#include "report/report.h"

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
	size_t count, room;
	uint64_t left_out; /* processes: another tick than most of their clock's kind; no time left
			    */
};

/* Takes the agent's lock, but not while it computes. Each user's profiles get as much time as
 * shares.h gives at once. 0, or -1: out of memory. gauges_free is due either way. */
int gauges_build(struct gauges *g, struct agent *a);
void gauges_free(struct gauges *g);

#endif

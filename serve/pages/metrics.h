// SPDX-License-Identifier: GPL-3.0-or-later
/* The page /metrics. docs/serve.md has the table of what is on it. */
#ifndef SCPROF_SERVE_PAGES_METRICS_H
#define SCPROF_SERVE_PAGES_METRICS_H

#include "serve/agent/agent.h"

/* Write all of it. Takes the agent's lock. 0, or -1: out of memory, or the stream failed. */
int metrics_print(struct agent *a, bool openmetrics, FILE *out);

#endif

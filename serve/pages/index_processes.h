// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of processes on the page /. */
#ifndef SCPROF_SERVE_PAGES_INDEX_PROCESSES_H
#define SCPROF_SERVE_PAGES_INDEX_PROCESSES_H

#include <stdio.h>

#include "serve/agent/agent.h"
#include "serve/pages/index_columns.h"

/* With the agent's lock. Nothing where no process is known. 0, or -1: out of memory. */
int index_processes_print(const struct agent *a, const struct index_order *order, FILE *out);

#endif

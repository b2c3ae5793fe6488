// SPDX-License-Identifier: GPL-3.0-or-later
/* The columns of the table of processes on /, as ?sort= names them. */
#ifndef SCPROF_SERVE_PAGES_INDEX_COLUMNS_H
#define SCPROF_SERVE_PAGES_INDEX_COLUMNS_H

#include <stdbool.h>

enum index_column {
	INDEX_PROGRAM,
	INDEX_STATE,
	INDEX_CALLS,
	INDEX_CPU,
	INDEX_WALL,
	INDEX_STARTED,
	INDEX_PID,
	INDEX_COLUMNS
};

/* Words from a to z, numbers from the largest down, unless reversed. */
struct index_order {
	enum index_column column;
	bool reversed;
};

static const char *const index_column_names[INDEX_COLUMNS] = {"program", "state",   "calls", "cpu",
							      "wall",	 "started", "pid"};

#endif

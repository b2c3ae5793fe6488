// SPDX-License-Identifier: GPL-3.0-or-later
/* The page /, and what its parts share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/serve/agent/agent.h"

/* The columns of the table of processes on /, as ?sort= names them. */

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

/* The page /: what runs here, and where its time goes. It reloads itself without a script, and its
 * columns are sorted by following links. */

extern const char index_page_style[];

/* Takes the agent's lock. 0, or -1: out of memory, or the stream failed. */
int index_page_print(struct agent *a, const struct index_order *order, FILE *out);

/* Texts and links of the index page. Names come from profiles: they are escaped here. */

/* `text` between two that are markup. */
void index_write_text(FILE *out, const char *before, const char *text, const char *after);

/* A link to PAGE?service=SERVICE&clock=CLOCK and `more`, which begins with "&amp;" or is empty;
 * `words` are escaped. */
void index_write_link(FILE *out, const char *page, const char *service, uint32_t clock,
		      const char *more, const char *words);

/* With the agent's lock: the table of processes, and that of the finished profiles in the
 * directories. Nothing where there are none. 0, or -1: out of memory. */
int index_tables_processes(const struct agent *a, const struct index_order *order, FILE *out);
int index_tables_profiles(const struct agent *a, const struct index_order *order, FILE *out);

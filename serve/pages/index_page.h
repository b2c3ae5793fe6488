// SPDX-License-Identifier: GPL-3.0-or-later
/* The page /: what runs here, and where its time goes. It reloads itself without a script, and its
 * columns are sorted by following links. */
#ifndef SCPROF_SERVE_PAGES_INDEX_PAGE_H
#define SCPROF_SERVE_PAGES_INDEX_PAGE_H

#include "serve/agent/agent.h"
#include "serve/pages/index_columns.h"

extern const char index_page_style[];

/* Takes the agent's lock. 0, or -1: out of memory, or the stream failed. */
int index_page_print(struct agent *a, const struct index_order *order, FILE *out);

#endif

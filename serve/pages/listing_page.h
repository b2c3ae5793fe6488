// SPDX-License-Identifier: GPL-3.0-or-later
/* The profiles of the directories as a part of the page /. */
#ifndef SCPROF_SERVE_PAGES_LISTING_PAGE_H
#define SCPROF_SERVE_PAGES_LISTING_PAGE_H

#include "serve/agent/agent.h"
#include "serve/pages/index_columns.h"

/* With the agent's lock; processes that run are left to index_processes.h. Nothing where there are
 * none. 0, or -1: out of memory. */
int listing_page_print(const struct agent *a, const struct index_order *order, FILE *out);

#endif

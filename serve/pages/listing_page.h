// SPDX-License-Identifier: GPL-3.0-or-later
/* The profiles of the directories as a part of the page /. */
#ifndef SCPROF_SERVE_PAGES_LISTING_PAGE_H
#define SCPROF_SERVE_PAGES_LISTING_PAGE_H

#include "serve/agent/agent.h"

/* With the agent's lock. Nothing where there are none. */
void listing_page_print(const struct listing *l, FILE *out);

#endif

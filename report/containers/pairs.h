// SPDX-License-Identifier: GPL-3.0-or-later
/* Pairs of numbers, numbered in the order in which they were met: nodes of a tree by parent and
 * label, say. A pair takes 24 to 48 bytes. Private to report/. */
#ifndef SCPROF_REPORT_CONTAINERS_PAIRS_H
#define SCPROF_REPORT_CONTAINERS_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/number_table.h"

#define PAIRS_NONE UINT32_MAX

struct pair {
	uint32_t a, b;
};

struct pairs {
	struct pair *pair; /* by number */
	uint32_t count;
	uint32_t room; /* private, as the table is */
	struct number_table table;
};

/* The number of a pair; of a new one `count` as it was before. PAIRS_NONE: out of memory. */
uint32_t pairs_add(struct pairs *p, uint32_t a, uint32_t b);
void pairs_clear(struct pairs *p);

#endif

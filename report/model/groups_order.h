// SPDX-License-Identifier: GPL-3.0-or-later
/* In which order the rows of a report come: those that do not wait (waiting.h) first, of both the
 * longest total first (or as --sort has it); ties by what is printed, never by order in the file.
 * Private to report/. */
#ifndef SCPROF_REPORT_MODEL_GROUPS_ORDER_H
#define SCPROF_REPORT_MODEL_GROUPS_ORDER_H

#include "report/model/groups.h"

/* After groups_make, the places: each row has one of its own, those below `first` and those of rows
 * that are noted are exact. Other rows with equal units and calls may be in any order. */
int groups_order_sort(struct groups *g, uint32_t first);
/* groups_make and this, with all places exact, and nothing folded. */
int groups_order_build(struct groups *g, const struct profile *p, enum report_by by);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* By what a row is found again in a later model, whose indices are others. */
#ifndef SCPROF_REPORT_LIVE_ROW_KEY_H
#define SCPROF_REPORT_LIVE_ROW_KEY_H

#include "report/model/sites.h"

/* Of function, outcome and path (groups_path): the same in every model of the same files. */
uint64_t row_key_of(const struct profile *p, const struct group_row *g, struct group_path path);

#endif

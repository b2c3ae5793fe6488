// SPDX-License-Identifier: GPL-3.0-or-later
/* Names as numbers, so that rows are sorted by words. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_GROUPS_RANK_H
#define SCPROF_REPORT_MODEL_GROUPS_RANK_H

#include "profile/profile.h"

/* By index, from 1; equal names have equal ranks. NULL: out of memory; free() them. */
uint32_t *groups_rank_functions(const struct profile *p);
uint32_t *groups_rank_modules(const struct profile *p);

#endif

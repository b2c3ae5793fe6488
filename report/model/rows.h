// SPDX-License-Identifier: GPL-3.0-or-later
/* How many rows a format prints that has all of them unless --top says otherwise. */
#ifndef SCPROF_REPORT_MODEL_ROWS_H
#define SCPROF_REPORT_MODEL_ROWS_H

#include "report/report.h"

static inline uint32_t rows_shown(uint32_t rows, const struct report_options *o)
{
	bool all = o->top == REPORT_TOP_DEFAULT || o->top == 0 || o->top > rows;

	return all ? rows : o->top;
}

#endif

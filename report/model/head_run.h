// SPDX-License-Identifier: GPL-3.0-or-later
/* The lines of a report's head, and those of what ran; private to report_head.c and head_run.c. */
#ifndef SCPROF_REPORT_MODEL_HEAD_RUN_H
#define SCPROF_REPORT_MODEL_HEAD_RUN_H

#include "report/model/report_head.h"

struct head {
	const struct report *report;
	bool utf8;
	report_head_sink *sink;
	void *to;
};

/* A line; without memory none. */
void head_put(const struct head *f, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The process, or processes, the programs, how they were attached to, and what filters left out. */
void head_run_put(const struct head *f);

#endif

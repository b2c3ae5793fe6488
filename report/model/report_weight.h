// SPDX-License-Identifier: GPL-3.0-or-later
/* The numbers of a call path in formats of other tools, which know whole numbers only. */
#ifndef SCPROF_REPORT_MODEL_REPORT_WEIGHT_H
#define SCPROF_REPORT_MODEL_REPORT_WEIGHT_H

#include "report/report.h"

struct weight {
	const char *name, *unit; /* as pprof calls them */
	const char *event;	 /* as callgrind does, unit and all */
	uint64_t (*of)(const struct report_site *s);
};

/* What REPORT_WEIGHT_* means; static memory. */
const struct weight *report_weight_find(enum report_weight weight);

/* Those that the sites of a report have, in their order. How many they are. */
unsigned report_weight_list(const struct report *r, enum report_weight list[REPORT_WEIGHTS]);

#endif

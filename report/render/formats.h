// SPDX-License-Identifier: GPL-3.0-or-later
/* One function for each format of a report (REPORT_FORMATS). Each prints all of it: 0, or -1
 * without memory. Errors of the stream stay in it. */
#pragma once

#include "report/report.h"

#define FORMAT_DECLARED(value, name, suffix, print, traits)                                        \
	int print(struct report *r, const struct report_options *o, FILE *out);
REPORT_FORMATS(FORMAT_DECLARED)

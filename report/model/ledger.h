// SPDX-License-Identifier: GPL-3.0-or-later
/* How much of what the processes did the recorded calls explain, and what would record the rest.
 * Private to report/. */
#ifndef SCPROF_REPORT_MODEL_LEDGER_H
#define SCPROF_REPORT_MODEL_LEDGER_H

#include "report/report.h"

/* Of a report that is complete otherwise. -1: out of memory. */
int ledger_fill(struct report *r);

/* "12.0 % of 1,234 reads, ...": the shares that are known. free() it. NULL: none is, or out of
 * memory. */
char *ledger_describe(const struct report *r, bool utf8);

/* What records the part that is elsewhere. free() it. NULL: no large part is, or out of memory. */
char *ledger_advise(const struct report *r);

/* What a function with that name and these groups (SCP_GROUP_*) is to the kernel: see the file. */
#define LEDGER_READS  1u
#define LEDGER_WRITES 2u
unsigned ledger_counted_as(const char *name, uint32_t group);

#endif

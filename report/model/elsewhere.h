// SPDX-License-Identifier: GPL-3.0-or-later
/* What was not recorded, and what would record it: the look at groups that were off (struct
 * scp_look), libraries for which there are ready-made groups, selected functions that were never
 * called, computing. Private to report/. */
#ifndef SCPROF_REPORT_MODEL_ELSEWHERE_H
#define SCPROF_REPORT_MODEL_ELSEWHERE_H

#include "report/report.h"

/* Of a report that is complete otherwise. -1: out of memory. */
int elsewhere_fill(struct report *r);
void elsewhere_free(struct report *r);

/* All that follow: free() the text. NULL: nothing to say, or out of memory. */

/* "`-g io` would record 31 % of the threads' time (...)": the groups that matter. */
char *elsewhere_describe(const struct report *r);

/* "zlib,ssl": ready-made groups for libraries that were loaded and of which nothing was selected.
 * *names: the libraries, "libz, libssl"; free() it, too. */
char *elsewhere_libraries(const struct report *r, char **names);

/* "SSL_read, SSL_write": selected functions that were never called. *pattern: selects variants of
 * the first of them; free() it, too. NULL: others of its library were called. */
char *elsewhere_not_called(const struct report *r, char **pattern);

/* The share of the time (but for waiting for a CPU) that the program computed, outside of all calls
 * that are known, looked at or recorded; NAN: not known. */
double elsewhere_computing(const struct report *r);

#endif

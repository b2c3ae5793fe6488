// SPDX-License-Identifier: GPL-3.0-or-later
/* Names as values of labels. Names are data: whatever a profile says, a scraped page stays
 * well-formed and a series is one series. */
#ifndef SCPROF_REPORT_SERVE_SUMS_LABEL_H
#define SCPROF_REPORT_SERVE_SUMS_LABEL_H

#include <stddef.h>
#include <stdio.h>

#define LABEL_BYTES 256 /* of a value, with the NUL */

/* The value that stands for all names beyond a limit; a name that is this is one of them. */
#define LABEL_OTHER "other"

/* Makes a name safe: broken UTF-8, controls and marks of direction are replaced by U+FFFD, what
 * is longer is cut between characters and ends in "...". Names that become equal are one. Never
 * empty: "" becomes "unknown". */
void label_clean(char out[LABEL_BYTES], const char *name);

/* "name@UID" for what belongs to another user; the name is cut where both do not fit. */
void label_add_user(char name[LABEL_BYTES], unsigned uid);

/* NAME="VALUE" with backslash, quote and newline escaped, as OpenMetrics and the text format
 * 0.0.4 both want them. */
void label_write(FILE *out, const char *name, const char *value);

#endif

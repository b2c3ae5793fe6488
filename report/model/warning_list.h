// SPDX-License-Identifier: GPL-3.0-or-later
/* Lists of warnings, of reports and of comparisons. Each code and text is kept once. A warning that
 * finds no memory is lost: the numbers matter more. */
#ifndef SCPROF_REPORT_MODEL_WARNING_LIST_H
#define SCPROF_REPORT_MODEL_WARNING_LIST_H

#include <stdarg.h>

#include "report/report.h"

/* Add a warning to a list that starts as NULL and 0; each is to be cleared, the list freed. The
 * format makes the figures, which begin its first sentence, without a full stop; the code's own
 * words follow them (warning_codes.h). */
__attribute__((format(printf, 4, 0))) void warning_list_add(struct report_warning **list,
							    uint32_t *count, const char *code,
							    const char *format, va_list args);

/* Add a warning to a report's own list. */
__attribute__((format(printf, 3, 4))) void warning_list_note(struct report *r, const char *code,
							     const char *format, ...);

void warning_list_clear(struct report_warning *w);

/* What touches the numbers first, then doubts by the share of the time, then what touches paths. */
void warning_list_sort(struct report_warning *list, uint32_t count);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Every code that a report or a comparison warns with: what it means for the numbers, and what to
 * do. A warning is its figures, which whoever warns has, and these words. */
#ifndef SCPROF_REPORT_WORDING_WARNING_CODES_H
#define SCPROF_REPORT_WORDING_WARNING_CODES_H

#include <stddef.h>

enum warning_kind {
	WARNING_ANSWER,	 /* its figures say all that is known, and are shown whole */
	WARNING_NUMBERS, /* calls are missing, or numbers may be wrong */
	WARNING_DOUBT,	 /* an interval may miss the mean, or the mean hides something */
	WARNING_PATHS,	 /* call paths, names and what stands beside the numbers */
	WARNING_NOTE,	 /* what the head says in short: shown in full only */
};

struct warning_code {
	const char *code;
	enum warning_kind kind;
	const char *title; /* in a line, without a full stop */
	const char *means; /* sentences: the cause, and which numbers it touches */
	const char *act;   /* one sentence or two; "": nothing needs to be done */
};

extern const struct warning_code warning_codes[];
extern const size_t warning_codes_count;

/* NULL: there is none of that name. */
const struct warning_code *warning_codes_find(const char *code);

#endif

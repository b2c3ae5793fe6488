// SPDX-License-Identifier: GPL-3.0-or-later
/* The words of all warnings, and lists of warnings. */
#pragma once

#include "report/report.h"
#include "report/wording/utf8.h"

/* Every code that a report or a comparison warns with: what it means for the numbers, and what to
 * do. A warning is its figures, which whoever warns has, and these words. */
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
/* Lists of warnings, of reports and of comparisons. Each code and text is kept once. A warning that
 * finds no memory is lost: the numbers matter more.
 *
 * Add a warning to a list that starts as NULL and 0; each is to be cleared, the list freed. The
 * figures, which are freed, begin its first sentence, without a full stop; the code's own words
 * follow them (warning_codes.h). */
void warning_list_add(struct report_warning **list, uint32_t *count, const char *code,
		      char *figures);
/* Add a warning, its figures as by printf, to the list of a report or of a comparison. */
#define warning_list_note(r, code, ...)                                                            \
	warning_list_add(&(r)->warning, &(r)->warnings, code, utf8_text(__VA_ARGS__))

void warning_list_clear(struct report_warning *w);
/* What touches the numbers first, then doubts by the share of the time, then what touches paths. */
void warning_list_sort(struct report_warning *list, uint32_t count);

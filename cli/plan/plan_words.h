// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints the numbers of `scprof plan`, which may be far larger than those of a report. */
#ifndef SCPROF_CLI_PLAN_PLAN_WORDS_H
#define SCPROF_CLI_PLAN_PLAN_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* "29,196"; "1.54e+24" from 2^53 on. */
void plan_words_count(char *out, size_t room, double count);

/* For a sentence: "850", "14 thousand", "1.3 million". */
void plan_words_about(char *out, size_t room, double count);

/* "52 s", "4.9 minutes", "26 hours", "3.1 days"; below a second as numbers_duration. */
void plan_words_time(char *out, size_t room, double ns);

/* "2.5 ms": a duration as it was given, up to six digits. */
void plan_words_duration(char *out, size_t room, double ns, bool utf8);

/* "5 %", "0.23 %": two significant digits and no more. */
void plan_words_percent(char *out, size_t room, double share);

/* A whole number of JSON where it is exact, a real one where it is too large; null where
 * it is not finite. */
json_t *plan_words_json(double count);

/* Print a document made with json_parts_put, and give it back. 0, or -1: out of memory, or the
 * stream failed. */
int plan_words_dump(json_t *document, int failed);

#endif

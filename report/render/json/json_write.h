// SPDX-License-Identifier: GPL-3.0-or-later
/* JSON as it comes, without a tree of values, for what a report has a hundred thousand of. The
 * texts are those that jansson writes with JSON_FLAGS, so that both may stand in one document.
 * Private to report/. */
#ifndef SCPROF_REPORT_RENDER_JSON_JSON_WRITE_H
#define SCPROF_REPORT_RENDER_JSON_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_FLAGS (JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

struct json_writer {
	FILE *out;
	bool between; /* a comma is due before the next value */
};

/* A member of an object, or with `key` NULL an element of an array, or a value alone. */
void json_write_number(struct json_writer *w, const char *key, double value); /* null: not finite */
void json_write_count(struct json_writer *w, const char *key, uint64_t n);
void json_write_flag(struct json_writer *w, const char *key, bool value);
void json_write_null(struct json_writer *w, const char *key);
/* Repaired, in ASCII; null for NULL. */
void json_write_text(struct json_writer *w, const char *key, const char *text);

/* '{' and '}', or '[' and ']', around members or elements. */
void json_write_open(struct json_writer *w, const char *key, char bracket);
void json_write_close(struct json_writer *w, char bracket);

#endif

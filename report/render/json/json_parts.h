// SPDX-License-Identifier: GPL-3.0-or-later
/* Values for small documents that are built as a tree with jansson. NULL: out of memory; jansson
 * passes that on, since json_object_set_new with NULL fails. */
#ifndef SCPROF_REPORT_RENDER_JSON_JSON_PARTS_H
#define SCPROF_REPORT_RENDER_JSON_JSON_PARTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

json_t *json_parts_number(double value); /* null where not finite */
json_t *json_parts_count(uint64_t n);
json_t *json_parts_text(const char *s); /* broken UTF-8 replaced; null for NULL */

/* Put a new value into an object; counts failures in *failed. */
void json_parts_put(json_t *object, const char *key, json_t *value, int *failed);

/* A whole document with a newline; it is freed. NULL: out of memory. 0, or -1 with errno. */
int json_parts_print(json_t *document, FILE *out);

#endif

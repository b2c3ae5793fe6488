// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as one JSON object, schema "scprof-report/1". Every field is
 * always there; what is not known is null. Text is valid UTF-8, written in
 * ASCII, so that no name can steer a terminal. */
#ifndef SCPROF_REPORT_RENDER_JSON_JSON_H
#define SCPROF_REPORT_RENDER_JSON_JSON_H

#include <jansson.h>

#include "report/render/json/json_write.h"
#include "report/report.h"

/* Print all of it. 0, or -1: out of memory, or the stream failed. */
int json_print_report(struct report *r, const struct report_options *o, FILE *out);

/* Values, for the files that build a document. NULL: out of memory; jansson
 * passes that on, json_object_set_new with NULL fails. */
json_t *json_parts_number(double value); /* null where not finite */
json_t *json_parts_count(uint64_t n);
/* A whole document with a newline; it is freed. NULL: out of memory. 0, or -1 with errno. */
int json_parts_print(json_t *document, FILE *out);
json_t *json_parts_text(const char *s); /* repaired; null for NULL */
json_t *json_site(struct report *r, const struct report_site *s);
/* The same as text. 0, or -1: out of memory. */
struct json_stacks;
int json_site_put(struct report *r, const struct report_site *s, struct json_stacks *stacks,
		  FILE *out);
json_t *json_parts_frame(const struct symbol *s, int *failed);
/* A site's path: its frames, and how complete it is. */
json_t *json_parts_stack(struct report *r, const struct report_site *s, int *failed);
const char *json_parts_path_name(const struct report_site *s);
/* Put slowest_asked and slowest[], `shown` of them, into the document. */
void json_slowest(json_t *doc, struct report *r, uint32_t shown, int *failed);
/* Fields of a site by displacement, into its object; all null where nothing is known. */
void json_displaced(struct json_writer *w, const struct report *r, const struct report_site *s);
void json_steady_print(struct json_writer *w, const struct report_site *s);
/* What threads do over and over. Sites from `sites` on are not in the document. */
struct loop;
json_t *json_loop(const struct report *r, const struct loop *l, uint32_t sites);

/* Put a new value into an object; counts failures in *failed. */
void json_parts_put(json_t *object, const char *key, json_t *value, int *failed);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The report as one JSON object, schema "scprof-report/1" (docs/scprof-report.schema.json). Every
 * field is always there; what is not known is null. Field names are a contract with scripts:
 * fields may be added, never renamed or removed. */
#pragma once

#include "report/render/json/json_write.h"
#include "report/report.h"

/* One function of a frame as an element of an array. */
void json_stack_frame(struct json_writer *w, const struct symbol *s, bool heuristic);
/* The members "path", how complete it is, and "stack", innermost frame first. */
void json_stack_write(struct json_writer *w, struct report *r, const struct report_site *s);
/* From "program" to "attach"; and members of several processes' objects. */
void json_run_write(struct json_writer *w, const struct report *r);
void json_run_argv(struct json_writer *w, const struct prof_process *p);
void json_run_end_value(struct json_writer *w, const struct prof_process *p);
/* The members of a site, into an object that the caller opens and closes. */
void json_site_write(struct json_writer *w, struct report *r, const struct report_site *s);
/* The function of a site by its index in the report; of PROF_NONE, `none`. */
void json_site_name(struct json_writer *w, const char *key, const struct report *r, uint32_t site,
		    const char *none);
/* "computing", the functions with most of it; null: there are no samples. 0, or -1: no memory. */
int json_computing_write(struct json_writer *w, struct report *r, uint32_t most);
/* "computing" of a comparison. */
struct diff;
void diff_json_computing(struct json_writer *w, const struct diff *computing);
/* "warnings". */
void json_warnings_write(struct json_writer *w, const struct report_warning *warning,
			 uint32_t warnings);
/* "loops": at most `most`; null unless the report is by gap. Sites from `sites` on are not in the
 * document: they have no index. */
void json_loops_write(struct json_writer *w, const struct report *r, uint32_t sites, uint32_t most);
/* "threads_s" and "charged_s" of the totals; "switches"; what
 * is known of one of the slowest calls. */
void json_states_write_threads(struct json_writer *w, const struct report *r);
void json_states_write_switches(struct json_writer *w, const struct profile *p);
void json_states_write_call(struct json_writer *w, const struct report_slowest *s);

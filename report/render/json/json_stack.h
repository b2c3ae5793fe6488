// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths as JSON. Paths of a large report share their frames, so the text of each frame is
 * made once and kept. */
#ifndef SCPROF_REPORT_RENDER_JSON_JSON_STACK_H
#define SCPROF_REPORT_RENDER_JSON_JSON_STACK_H

#include "report/render/json/json_write.h"
#include "report/report.h"

/* Zero to begin with. */
struct json_stack_cache {
	char **frame; /* by twice the number of its symbol, one more of a heuristic frame; NULL: not
			 asked for yet */
	uint32_t room;
};

/* One function of a frame as an element of an array. */
void json_stack_frame(struct json_writer *w, const struct symbol *s, bool heuristic);

/* The members "path", which tells how complete the path is, and "stack", innermost frame
 * first. Out of memory: w->failed. */
void json_stack_write(struct json_writer *w, struct report *r, const struct report_site *s,
		      struct json_stack_cache *cache);

void json_stack_clear(struct json_stack_cache *cache);

#endif

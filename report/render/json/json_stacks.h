// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths as JSON without a tree of values: paths of a large report share their frames, so
 * that each frame's text is made once. Private to report/. */
#ifndef SCPROF_REPORT_RENDER_JSON_JSON_STACKS_H
#define SCPROF_REPORT_RENDER_JSON_JSON_STACKS_H

#include "report/report.h"

struct json_stacks {
	char **frame; /* by the number of its symbol; NULL: not asked for yet */
	uint32_t room;
};

/* Print the elements of the array that json_parts_stack makes. 0, or -1: out of memory. */
int json_stacks_put(struct json_stacks *k, struct report *r, const struct report_site *s,
		    FILE *out);
void json_stacks_clear(struct json_stacks *k);

#endif

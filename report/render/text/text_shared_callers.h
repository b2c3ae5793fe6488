// SPDX-License-Identifier: GPL-3.0-or-later
/* Rows of the same function and outcome must not look the same: which of the
 * frames that a row would fold away must be seen, and which frames need their
 * address because their names are the same. Private to the text report.
 *
 * Only frames in which rows differ are looked up: symbolizing is slow. */
#ifndef SCPROF_REPORT_RENDER_TEXT_TEXT_SHARED_CALLERS_H
#define SCPROF_REPORT_RENDER_TEXT_TEXT_SHARED_CALLERS_H

#include "report/render/text/text.h"

enum apart_mark {
	APART_SHOW = 1,	      /* this frame tells the row from another */
	APART_OFFSET = 2,     /* only by its address */
	APART_MODULE = 4,     /* or by the folder of its module, of its source */
	APART_INSTRUCTION = 8 /* a Python frame, of which not even the column tells */
};

struct text_apart {
	unsigned char **mark; /* of each row: one for each frame, and SHOW for the path's end */
	uint32_t rows;
};

/* For `rows` sites of the report: those that `site` numbers, NULL: the first ones. 0, or -1: out of
 * memory. Either way to be ended. */
int text_shared_callers_begin(struct text_apart *a, struct report *r, const uint32_t *site,
			      uint32_t rows);
void text_shared_callers_end(struct text_apart *a);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* Call paths as two fields of CSV, names and places. Paths share their frames, so each frame's
 * texts are made once. */
#ifndef SCPROF_REPORT_RENDER_CSV_CSV_PATH_H
#define SCPROF_REPORT_RENDER_CSV_CSV_PATH_H

#include "report/render/csv/csv_write.h"
#include "report/render/stacks/stacks.h"

struct csv_piece;
struct csv_paths {
	struct stacks stacks;
	struct csv_piece *piece; /* by number of the frame and kind of field */
	uint32_t room;
};

/* -1: out of memory. csv_path_end is due either way. */
int csv_path_begin(struct csv_paths *p, struct report *r);
void csv_path_end(struct csv_paths *p);

/* The field: functions, or where they are, innermost first, separated by ';'. */
void csv_path(struct csv *c, struct csv_paths *p, const struct report_site *site,
	      const char *column, bool places);

#endif

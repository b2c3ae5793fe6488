// SPDX-License-Identifier: GPL-3.0-or-later
/* The picture as lines of clean text: for the screen, and for a pipe. */
#ifndef SCPROF_REPORT_LIVE_VIEW_H
#define SCPROF_REPORT_LIVE_VIEW_H

#include "report/live/labels.h"
#include "report/live/live_rows.h"
#include "report/live/view_state.h"

enum view_style { VIEW_PLAIN, VIEW_TITLE, VIEW_HEAD, VIEW_SELECTED, VIEW_PATH, VIEW_ALERT };

struct view_line {
	char *text;
	enum view_style style;
};

struct view {
	struct view_line *line;
	size_t lines, room;
	bool failed; /* out of memory: lines are missing */
};

struct view_source {
	struct live_reader *feed;
	struct rows *rows;
	struct labels *labels;
	const char *note; /* one more line; NULL: none */
};

/* At most `height` lines (0: no limit but `most` rows) of at most `width` columns. Carries out
 * the moves of `s` and keeps its selected row in sight. The rows are sorted. */
void view_make(struct view *v, const struct view_source *from, struct view_state *s, size_t width,
	       size_t height, size_t most, bool utf8);
void view_free(struct view *v);

#endif

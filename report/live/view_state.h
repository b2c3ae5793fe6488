// SPDX-License-Identifier: GPL-3.0-or-later
/* This holds what the user has chosen, and how keys change it. */
#ifndef SCPROF_REPORT_LIVE_VIEW_STATE_H
#define SCPROF_REPORT_LIVE_VIEW_STATE_H

#include "report/live/live_rows.h"

#define STATE_FILTER 64

enum state_mode { STATE_WATCH, STATE_HELP, STATE_FILTERING };

struct view_state {
	enum state_mode mode;
	enum row_sort sort;
	enum report_by by;
	bool paused, all_open, quit;
	double interval_s;
	char filter[STATE_FILTER];	  /* rows whose function or caller holds it; "": all */
	char filter_before[STATE_FILTER]; /* while it is written */
	uint64_t selected;    /* key of a row, which is followed; 0: whichever is first */
	uint64_t highlighted; /* key of the row that the view shows as selected; 0: none */
	uint64_t open;	 /* key of the row that shows its path, or (all_open) does not; 0: none */
	size_t position; /* of the selected row among those shown; the view sets it */
	size_t first;	 /* row at the top of the screen; the view sets it */
	int move;    /* for the view to carry out, in rows down; INT_MIN, INT_MAX: to the ends */
	size_t page; /* rows that fit; the view sets it */
};

#define STATE_INTERVAL_MIN 0.1
#define STATE_INTERVAL_MAX 60.0

struct view_state view_state_default(void);
/* A key as ncurses gives it. */
void view_state_key(struct view_state *s, int key);
bool view_state_is_open(const struct view_state *s, uint64_t row_key);

extern const char *const view_state_help[]; /* lines, NULL at the end */

#endif

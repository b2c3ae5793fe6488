// SPDX-License-Identifier: GPL-3.0-or-later
/* The picture as lines of clean text: for the screen, and for a pipe. */
#pragma once

#include "report/live/live_rows.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

/* This holds what the user has chosen, and how keys change it. */

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

/* A key as ncurses gives it. */
void view_state_key(struct view_state *s, int key);
bool view_state_is_open(const struct view_state *s, uint64_t row_key);

extern const char *const view_state_help[]; /* lines, NULL at the end */

/* ---- labels.c: names of frames and rows, safe for a terminal. Each is looked up once: a new model
 * of the same files has the same frames. Texts of frames live as long as the labels. ---- */

struct labels;

/* Of a reader's models. NULL: out of memory. */
struct labels *labels_new(const struct live_reader *f, bool utf8);
void labels_free(struct labels *l);

/* "readQuery at networking.c:123", "libc.so.6+0x1234". Never NULL. */
const char *labels_frame(struct labels *l, const struct prof_frame *frame);

/* "recv", "recv [would-block]", into out. */
void labels_function(const struct labels *l, const struct group_row *row, char *out, size_t room);

/* ---- columns.c: one row as a line of text of a given width ---- */

enum column {
	COLUMN_CALLS_S,
	COLUMN_TIME_S,
	COLUMN_BYTES_S,
	COLUMN_STATES,
	COLUMN_KEPT,
	COLUMN_MEAN_NOW,
	COLUMN_MEAN_ALL,
	COLUMN_PRECISION,
	COLUMN_CALLS,
	COLUMNS /* then the function and its caller, which share what is left */
};

/* In front of the precision of an interval with a reliability warning (row_mean.unreliable). */
#define COLUMNS_DOUBT "!"
/* Marks a mean of the calls after a warm-up: times all calls it is not the total. */
#define COLUMNS_ASIDE "^"

struct columns {
	size_t width;
	bool utf8;
	bool shown[COLUMNS];
	size_t function, caller; /* widths */
};

/* For so many columns of a terminal. `function`: the longest name of one; with the callers'
 * names, which get the rest, or without; `states`: with where the time went. */
struct columns columns_fit(size_t width, bool utf8, size_t function, bool callers, bool states);

/* A row, or (NULL) the titles: a text of columns.width at most, to be freed; NULL: out of memory.
 * Names must be clean. */
char *columns_line(const struct columns *c, const struct row *r, const char *function,
		   const char *caller);

/* "12,345", "0.3", "1.23M": so many a second. */
struct numbered columns_rate(double a_second);

/* ---- the picture ---- */

enum view_style { VIEW_PLAIN, VIEW_TITLE, VIEW_HEAD, VIEW_SELECTED, VIEW_PATH, VIEW_ALERT };

struct view_line {
	char *text;
	enum view_style style;
};

struct view {
	struct view_line *line;
	uint32_t lines;
	size_t width;
	bool utf8;
};

/* What the sampled processes of the run compute, by what it leaves beside their profiles. */

struct view_computing {
	struct profile *profile;
	struct report *report; /* NULL: there are no samples */
	double next_s;	       /* when to look again, CLOCK_MONOTONIC */
};

void view_computing_free(struct view_computing *c);

struct view_source {
	struct live_reader *feed;
	struct rows *rows;
	struct labels *labels;
	const char *note; /* one more line; NULL: none */
	struct view_computing *computing;
};

/* Take a text that is clean (NULL: out of memory), or format one and clean it; cut to the width. A
 * line that finds no memory is left out. */
void view_lines_add(struct view *v, char *text, enum view_style style);
#define view_lines_format(v, style, ...)                                                           \
	view_lines_add(v, utf8_cleaned(utf8_text(__VA_ARGS__), (v)->utf8), style)
void view_lines_free(struct view *v);

/* The lines above the rows: what is watched, the totals, and what readers must know before they
 * trust the numbers (new paths not read yet, the end of the program). */
void screen_header_write(struct view *v, const struct view_source *from,
			 const struct view_state *s);

/* At most `height` lines (0: no limit but `most` rows) of at most `width` columns. Carries out
 * the moves of `s` and keeps its selected row in sight. The rows are sorted. */
void view_make(struct view *v, const struct view_source *from, struct view_state *s, size_t width,
	       size_t height, size_t most, bool utf8);

/* The full-screen picture, and the same as text for pipes. */

struct live_options {
	struct view_state state; /* to begin with */
	double confidence;
	/* batch: */
	uint64_t pictures; /* 0: until the target has ended */
	size_t rows;	   /* of a picture; 0: all */
	size_t width;	   /* 0: the terminal's */
	/* screen: */
	int end; /* a descriptor whose end of file tells that the measurement is over; -1: none */
	const char *note; /* one more line in the picture; NULL: none */
	bool keep;	  /* ignore SIGINT and SIGQUIT */
};

/* On the terminal of standard input and output, until `q` or a signal. 0; -1 and *err. */
int screen_run(struct live_reader *f, const struct live_options *o, struct profile_error *err);

/* Pictures as text on `out`, one an interval. 0; -1 and *err: memory, or the stream. */
int live_text_run(struct live_reader *f, const struct live_options *o, FILE *out,
		  struct profile_error *err);

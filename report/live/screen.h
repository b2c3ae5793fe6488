// SPDX-License-Identifier: GPL-3.0-or-later
/* The full-screen picture, and the same as text for pipes. */
#ifndef SCPROF_REPORT_LIVE_SCREEN_H
#define SCPROF_REPORT_LIVE_SCREEN_H

#include "report/live/live_reader.h"
#include "report/live/view_state.h"

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

#endif

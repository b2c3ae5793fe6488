// SPDX-License-Identifier: GPL-3.0-or-later
/* A bar on standard error while something takes long, where that is a terminal; nothing in a
 * pipe or a file. It appears when half a second has passed, and is drawn a few times a second
 * at most. Not for several threads at once. */
#pragma once

#include <stdbool.h>

struct progress {
	bool shown;   /* it is a terminal, and a bar is wanted */
	bool drawn;   /* there is one on the screen */
	bool at_once; /* set by who cannot draw in between: nothing is held back */
	const char *what;
	double began, last; /* seconds */
};

/* `what`: "scprof merge"; borrowed. */
void progress_begin(struct progress *p, const char *what, bool wished);

/* `share` of the work that is done, 0 to 1; NAN: not known, then there is no bar. With words
 * behind it. */
void progress_show(struct progress *p, double share, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Call it before other output to the terminal. */
void progress_clear(struct progress *p);

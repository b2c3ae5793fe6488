// SPDX-License-Identifier: GPL-3.0-or-later
/* A bar on standard error while something takes long, where that is a terminal; nothing in a
 * pipe or a file. It appears when half a second has passed, and is drawn a few times a second
 * at most. Not for several threads at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct progress {
	bool shown; /* it is a terminal, and a bar is wanted */
	bool drawn; /* there is one on the screen */
	const char *what;
	double began, last; /* seconds */
};

/* `what`: "scprof merge"; borrowed. */
void progress_begin(struct progress *p, const char *what, bool wished);

/* `share` of the work that is done, 0 to 1; NAN: not known, then there is no bar. With words
 * behind it. */
void progress_show(struct progress *p, double share, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same at once, even shortly after the last: for work that cannot draw in between. */
void progress_show_now(struct progress *p, double share, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* So many of all profiles are read. */
void progress_files(struct progress *p, size_t done, size_t all);

/* Call it before other output to the terminal. */
void progress_clear(struct progress *p);

// SPDX-License-Identifier: GPL-3.0-or-later
/* What the terminal that a report goes to can show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal {
	size_t width;
	bool screen; /* a terminal, on which a report is short */
	bool colour; /* a terminal, NO_COLOR unset or empty, TERM not "dumb" */
	bool utf8;   /* the user's locale is UTF-8 */
};

enum terminal_style { TERMINAL_PLAIN, TERMINAL_BOLD, TERMINAL_DIM, TERMINAL_NAME, TERMINAL_WARN };

/* `width` 0: the terminal's, else COLUMNS, else 100. */
struct terminal terminal_of(FILE *out, size_t width);
/* It shows escape sequences as they are, as TERM says or by not saying. */
bool terminal_is_dumb(void);
/* Switch to a style; TERMINAL_PLAIN ends it. Nothing without colour. */
void terminal_style(FILE *out, const struct terminal *t, enum terminal_style style);
/* Print in a style. */
__attribute__((format(printf, 4, 5))) void terminal_print(FILE *out, const struct terminal *t,
							  enum terminal_style style,
							  const char *format, ...);

/* A line that is being written. */
struct terminal_line {
	FILE *out;
	const struct terminal *terminal;
	size_t at;   /* columns that it has come to */
	bool failed; /* out of memory */
};
/* A text cut to `width` columns from `start` on. Spaces are held back until something follows them,
 * so that no line ends in blanks. */
void terminal_put(struct terminal_line *l, size_t start, size_t width, bool right, const char *text,
		  enum terminal_style style);

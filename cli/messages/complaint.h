// SPDX-License-Identifier: GPL-3.0-or-later
/* Error messages. Control characters in them, which arguments and names may have, are printed as
 * \\xNN: a message is one line, and no terminal obeys it. */
#pragma once

#include <stddef.h>

/* All that say something return -1, so that a check can end with `return complaint_say(...)`. */

/* "COMMAND: TEXT" and a newline, on standard error. */
int complaint_print(const char *command, const char *text);
int complaint_say(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for a text of several lines; the last line says what to do. */
int complaint_lines(const char *command, const char *text);

/* Of commands whose messages stand among those of another program, such as `scprof run`: "scprof:
 * TEXT", with later lines indented under the first. */
int say(const char *text);
int say_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The origin of a default. The command that refuses a value knows only an option or a variable, but
 * the user must find the line of the file. For one thread. */
struct default_origin {
	const char *file;
	unsigned line;
	const char *option;   /* its long name */
	char letter;	      /* '\0': it has none */
	const char *word;     /* of the command line, that sets it; NULL: its variable does */
	const char *variable; /* NULL: it has none */
};

/* This default is in force now: messages about it begin with its file and line. All texts are
 * borrowed for good. */
void complaint_note_default(const struct default_origin *origin);

/* The one of `names` that takes the fewest insertions, deletions, replacements
 * and swaps of neighbours; NULL if none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

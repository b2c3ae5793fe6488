// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a default came from: the command that refuses a value knows only an option or a variable,
 * and the user must find the line of the file. For one thread. */
#ifndef SCPROF_CLI_MESSAGES_DEFAULT_ORIGIN_H
#define SCPROF_CLI_MESSAGES_DEFAULT_ORIGIN_H

struct default_origin {
	const char *file;
	unsigned line;
	const char *option;   /* its long name */
	char letter;	      /* '\0': it has none */
	const char *word;     /* of the command line, that sets it; NULL: its variable does */
	const char *variable; /* NULL: it has none */
};

/* This default is in force now. All texts are borrowed for good. */
void default_origin_note(const struct default_origin *origin);

/* "FILE:LINE: " of the default that `text` complains of: the one whose value getopt has just handed
 * out, else the one whose option or variable `text` begins with. "" for anything else. The next
 * call overwrites it. */
const char *default_origin_of(const char *text);

#endif

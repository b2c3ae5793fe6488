// SPDX-License-Identifier: GPL-3.0-or-later
/* The text of a command's --help, taken apart again.
 *
 * That text is the one source of what a command takes: man pages, completion and the
 * configuration file read it through here, and a test holds it against what getopt is given.
 * So it has a form: "usage:" and a line of synopsis each; two spaces and an option or operand,
 * two or more before its text, and what goes on further in; "environment:" and variables (which
 * have a '_') likewise; "exit status:".
 * An option's argument is a word in capitals that says of which kind (PATH, CLOCK, T), or the
 * choices themselves: text|json.
 */
#ifndef SCPROF_CLI_HELP_USAGE_H
#define SCPROF_CLI_HELP_USAGE_H

#include <stdbool.h>
#include <stddef.h>

enum usage_part {
	USAGE_SYNOPSIS,
	USAGE_TEXT,
	USAGE_OPTION,
	USAGE_OPERAND,
	USAGE_ENVIRONMENT,
	USAGE_EXIT
};

struct usage_item {
	enum usage_part part;
	char letter;   /* of an option, '\0': none */
	char name[64]; /* of an option, without "--", "" if it has a letter only; operand, variable
			*/
	char argument[64]; /* of an option, "": takes none */
	char text[1024];   /* in one line; cut off where it is longer */
};

/* The next item from *at on, which begins at the text's start and is moved. false: no more. */
bool usage_next(const char **at, struct usage_item *item);

/* The option with this long name, or with this letter where name is NULL. */
bool usage_find(const char *usage, const char *name, char letter, struct usage_item *item);

/* Words of the synopsis that are no options and no arguments of options, such as PROFILE or
 * COMMAND, without dots and brackets: "PROFILE", "BASE NEW". Of all lines, each once. */
void usage_operands(const char *usage, char *words, size_t size);

#endif

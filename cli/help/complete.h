// SPDX-License-Identifier: GPL-3.0-or-later
/* What can stand at a place of a command line, for the completion of shells.
 *
 * The shells' own parts (completion/) ask `scprof complete INDEX WORD...` and get a line a
 * candidate: the whole word, a tab, what it is. What shells know better is left to them, by a
 * line that begins with a colon:
 *   :files SUFFIX   names of files that end so ("" for any), after a "--option=" in the word
 *   :dirs           directories, likewise
 *   :command N      from word N on stands another command's line
 *   :open           no space after a candidate: a list may go on
 */
#ifndef SCPROF_CLI_HELP_COMPLETE_H
#define SCPROF_CLI_HELP_COMPLETE_H

#include <stddef.h>

#include "cli/commands.h"
#include "cli/help/usage.h"

struct complete_line {
	char **word; /* what stands after "scprof" */
	int words;
	int index;	   /* of the word in question, which may be one beyond the last */
	int program;	   /* of the word that names the program; -1: none */
	const char *typed; /* the word, as far as it is there; of --option=VALUE the value */
	size_t ahead;	   /* bytes of "--option=" in front of it */
};

/* Prints on standard output. A line that cannot be completed prints nothing. */
void complete_print(char **word, int words, int index);

/* A candidate, if the word begins so. `what` may be NULL. */
void complete_offer(const struct complete_line *line, const char *candidate, const char *what);

/* Values of an option; operands of that name. */
void complete_value(const struct complete_line *line, const struct usage_item *option);
void complete_operand(const struct complete_line *line, const char *operand);

#endif

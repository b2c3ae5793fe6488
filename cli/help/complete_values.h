// SPDX-License-Identifier: GPL-3.0-or-later
/* Candidates for the value of an option and for an operand. Prints in the form that cmd_complete.c
 * tells. */
#ifndef SCPROF_CLI_HELP_COMPLETE_VALUES_H
#define SCPROF_CLI_HELP_COMPLETE_VALUES_H

#include <stddef.h>

struct complete_line {
	char **word; /* what stands after "scprof" */
	int words;
	int index;	   /* of the word in question, which may be one beyond the last */
	const char *typed; /* the word, as far as it is there; of --option=VALUE the value */
	size_t ahead;	   /* bytes of "--option=" in front of it */
};

/* A candidate, if the word begins so. `what` may be NULL. */
void complete_values_offer(const struct complete_line *line, const char *candidate,
			   const char *what);

/* Values of an option whose argument is called `kind`; operands of that name. */
void complete_values_option(const struct complete_line *line, const char *kind);
void complete_values_operand(const struct complete_line *line, const char *operand);

#endif

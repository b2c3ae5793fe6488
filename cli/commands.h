// SPDX-License-Identifier: GPL-3.0-or-later
/* The commands: the front door, completion, man pages and the configuration file all read
 * this one table. A new command is a line here and its text in the form of usage.h. */
#ifndef SCPROF_CLI_COMMANDS_H
#define SCPROF_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage;   /* its --help; NULL: not for people, and shown nowhere */
	const char *summary; /* one line of `scprof --help`, and of the man page */
	int bad_usage;	     /* exit status of wrong usage */
	bool takes_defaults; /* from the configuration files */
};

extern const struct command commands[];
extern const size_t commands_count;

/* NULL: there is none of that name. */
const struct command *commands_find(const char *name);

/* What `scprof --help` prints, in the form of usage.h: the commands are operands. */
extern const char commands_usage[]; /* without the list of commands */
int commands_print_help(void);	    /* on standard output. 0, or -1 with errno */

#endif

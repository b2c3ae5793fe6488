// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of commands: the front door, completion, man pages and the configuration file all read
 * it. A new command is a line in main.c, and its table of options (usage.h). */
#ifndef SCPROF_CLI_HELP_COMMANDS_H
#define SCPROF_CLI_HELP_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cli/usage/usage.h"

struct commands;

struct command {
	const char *name;
	const struct usage *usage; /* NULL: not for people, and shown nowhere */
	bool takes_defaults;	   /* from the configuration files */
	const char *example;	   /* without "scprof"; NULL: a command of the laboratory */
	int (*run)(int argc, char **argv);
	/* instead, of a command about commands */
	int (*run_on)(const struct commands *all, int argc, char **argv);
};

struct commands {
	const struct command *command;
	size_t count;
	const struct usage *usage; /* of the tool itself */
};

/* NULL: there is none of that name. */
static inline const struct command *commands_find(const struct commands *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(name, all->command[i].name))
			return &all->command[i];
	return NULL;
}

/* Without those that are not for people. */
static inline const struct command *commands_find_shown(const struct commands *all,
							const char *name)
{
	const struct command *c = commands_find(all, name);

	return c && c->usage ? c : NULL;
}

#endif

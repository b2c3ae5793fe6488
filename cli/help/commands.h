// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of commands: the front door, completion, man pages and the configuration file all read
 * it. A new command is a line in main.c, and its table of options (options.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cli/usage/options.h"

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

/* Defaults of options, from /etc/scprof.conf and the user's own file:
 *
 *   [report]            the command
 *   confidence = 0.99   a long option of it; "yes" or "no" for one that takes no value
 *   # a comment, also behind a value and a space
 *
 * The command line beats the environment, that beats the user's file, and that the system's. Only
 * the tool reads these files, never the preloaded library, never from the working directory, and
 * never a file that somebody else could have written. */

#define CONFIG_SYSTEM "/etc/scprof.conf"

struct config_entry {
	const struct command *command;
	const struct usage_entry *option; /* if it takes no value, `value` is "yes" or "no" */
	char value[512];
	const char *file;
	unsigned line;
};

struct config_file {
	char path[4096];
	bool there;
};

#define CONFIG_FILES 2
struct config {
	struct config_file file[CONFIG_FILES]; /* in reading order; SCPROF_CONFIG: one */
	size_t files;
	struct config_entry *entry; /* later ones beat earlier ones, which are gone */
	size_t count, errors;
};

/* Reads what there is. Each error is said as `from`'s, "FILE:LINE: what, what to do", and `errors`
 * counts them. 0; -1: out of memory. config_free either way. */
int config_read(struct config *c, const struct commands *all, const char *from);
void config_free(struct config *c);

/* What is in force for `command`, put between its name and the words of the command line; an
 * option that is on the command line, or one that means the same, is left out, and so is one whose
 * variable is set in the environment. Options that have a variable are put there instead. The new
 * argv, for good, and *argc; NULL: out of memory. */
char **config_apply(const struct config *c, const struct command *command, int *argc, char **argv);

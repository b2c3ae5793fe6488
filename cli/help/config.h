// SPDX-License-Identifier: GPL-3.0-or-later
/* Defaults of options, from /etc/scprof.conf and the user's own file:
 *
 *   [report]            the command
 *   confidence = 0.99   a long option of it; "yes" or "no" for one that takes no value
 *   # a comment, also behind a value and a space
 *
 * The command line beats the environment, that beats the user's file, and that the system's.
 * Only the tool reads these files, never the preloaded library, never from the working
 * directory, and never a file that somebody else could have written.
 */
#ifndef SCPROF_CLI_HELP_CONFIG_H
#define SCPROF_CLI_HELP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/help/commands.h"

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

/* Reads what there is. `complain` gets each error, "FILE:LINE: what, what to do", and `errors`
 * counts them. 0; -1: out of memory. config_free either way. */
int config_read(struct config *c, const struct commands *all, void (*complain)(const char *text));
void config_free(struct config *c);

/* Reads one file, as above. */
int config_read_file(struct config *c, const struct commands *all, const char *path,
		     void (*complain)(const char *text));

/* What is in force for `command`, put between its name and the words of the command line; an
 * option that is on the command line, or one that means the same, is left out, and so is one whose
 * variable is set in the environment. Options that have a variable are put there instead. The new
 * argv, for good, and *argc; NULL: out of memory. */
char **config_apply(const struct config *c, const struct command *command, int *argc, char **argv);

#endif

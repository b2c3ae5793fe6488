// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a default came from, for who complains about its value: the command that reads the value
 * knows an option or a variable only, and the user must find a line of a file. One thread. */
#ifndef SCPROF_CLI_HELP_CONFIG_ORIGIN_H
#define SCPROF_CLI_HELP_CONFIG_ORIGIN_H

#include "cli/help/config.h"

/* The default is in force now, as this word of the command line, or as the option's variable
 * (word NULL; variable NULL: it has none). All are borrowed for good. */
void config_origin_note(const struct config_entry *e, const char *word, const char *variable);

/* "FILE:LINE: " of the default that `text` complains of: the one whose value getopt has just handed
 * out, else the one whose option or variable `text` begins with. "" for anything else. The next
 * call overwrites it. */
const char *config_origin_of(const char *text);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* The commands that read profiles, called as the command line calls them: report in all formats
 * and groupings, merge, diff, plan, top.
 */
#ifndef SCPROF_TESTS_MUTANT_COMMANDS_H
#define SCPROF_TESTS_MUTANT_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#define MUTANT_COMMAND 512 /* bytes of a line, with the NUL */

struct mutant_files {
	char mutant[64], good[64], out[64], text[64]; /* text: what standard output is */
};

extern const size_t mutant_commands; /* how many there are */

/* The line of a turn, one after the other and then again. Words in it: @ is the mutant, = the
 * profile that it was made of, + an output file. */
void mutant_command_name(uint64_t turn, char *line, size_t room);

/* Ends the process with status 1 where the command does what it must not: a status that it does
 * not have, JSON that is none, "nan" among the numbers of a text, a merged profile that cannot be
 * read. */
void mutant_command_run(const char *line, const struct mutant_files *files);

_Noreturn void mutant_give_up(const char *what);

#endif

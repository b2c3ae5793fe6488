// SPDX-License-Identifier: GPL-3.0-or-later
/* One recorded run of a command, by `scprof run` in a process of its own, with an environment size
 * and an address layout that no other run has (collector/launch/layout.h). Its standard input is
 * empty, and its standard output goes nowhere. */
#ifndef SCPROF_CLI_DIFF_DIFF_LIVE_RUN_H
#define SCPROF_CLI_DIFF_DIFF_LIVE_RUN_H

#include <stddef.h>

struct diff_live_command {
	const char *side, *text; /* "BASE", what the user wrote */
	char **argv;		 /* NULL-terminated: its words, or /bin/sh -c and the text */
	char *words;		 /* private */
};

/* Without a shell where the text is only words: letters, digits, and of other characters
 * those that no shell reads. -1: out of memory. */
int diff_live_command_read(struct diff_live_command *c, const char *side, const char *text);
/* A command that is words already, NULL-terminated, one at least; a single one with blanks in it is
 * read as above. They are borrowed. -1: out of memory. */
int diff_live_command_take(struct diff_live_command *c, const char *side, char **words);
void diff_live_command_free(struct diff_live_command *c);

/* A new directory for runs' profiles, below TMPDIR. 0; or -1, having said why: `path` is "" then.
 */
int diff_live_directory(char *path, size_t room);

/* As `scprof run` takes them; NULL: not given. */
struct diff_live_recording {
	const char *clock, *symbols, *groups;
};

/* Writes the profile; what the command printed as errors, and scprof run said, goes to the file
 * `said`. 0; or -1 where there is no profile, where the command failed, or it was stopped: what is
 * wrong was said, but for the last. */
int diff_live_run(const struct diff_live_command *c, const struct diff_live_recording *how,
		  const char *profile, const char *said);

#endif

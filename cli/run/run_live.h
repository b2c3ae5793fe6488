// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --live`: `scprof top` on the terminal while the command runs. What the command writes
 * to the terminal goes to a file; what is redirected already stays so. The screen is a process of
 * its own: whatever happens to it, the command and the profile go on, and the terminal is restored.
 */
#ifndef SCPROF_CLI_RUN_RUN_LIVE_H
#define SCPROF_CLI_RUN_RUN_LIVE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct run_live {
	bool wished;
	int terminal; /* /dev/tty; -1: none */
	int kept[3];  /* our standard descriptors while the command's are in place; -1: as is */
	int end;      /* of a pipe: closed when the run has ended; -1: none */
	pid_t pid;    /* of the screen process; 0: none */
	char log[PATH_MAX];	 /* of the command's output; "": it has none on the terminal */
	int log_fd;		 /* that file; -1: none */
	struct termios settings; /* of the terminal, before the screen process */
	bool has_settings;
};

/* Before the command starts: a terminal and a log. `directory`, `command`: for the log's name.
 * 0, or -1 having said why. */
int run_live_open(struct run_live *l, const char *directory, const char *command);

/* Around the start of the command: it inherits the log in place of the terminal. */
void run_live_lend(struct run_live *l);
void run_live_take_back(struct run_live *l);

/* Starts the screen process. From here on our own messages go to the log, too, until the user quits
 * it. It then says what goes on: `command`, which is process `pid`, and what comes at its end. */
void run_live_begin(struct run_live *l, const char *profiles, const char *command, pid_t pid,
		    bool reports);

/* Like say(), but on the terminal if the user has quit the screen. */
int run_live_say(const char *text);

/* The run has ended: the screen says so, and stays until the user quits. Then the terminal is
 * restored. May be called whatever happened before. */
void run_live_end(struct run_live *l);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof run --live`: `scprof top` on the terminal while the command runs. What the command
 * would have written to the terminal goes to a file; of what is redirected nothing changes.
 * The picture is a process of its own: whatever becomes of it, command and profile go on, and the
 * terminal is given back. */
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
	int end;      /* its other end tells the picture that all is over; -1: none */
	pid_t pid;    /* of the picture; 0: none */
	char log[PATH_MAX];	 /* of the command's output; "": it has none on the terminal */
	int log_fd;		 /* that file; -1: none */
	struct termios settings; /* the terminal's, before the picture */
	bool has_settings;
};

/* Before the command starts: a terminal and a log. `directory`, `command`: for the log's name.
 * 0, or -1 having said why. */
int run_live_open(struct run_live *l, const char *directory, const char *command);

/* Around the start of the command: it inherits the log in place of the terminal. */
void run_live_lend(struct run_live *l);
void run_live_take_back(struct run_live *l);

/* The picture, of the run's profiles. From here on our own messages go to the log, too. */
void run_live_begin(struct run_live *l, const char *profiles);

/* All has ended: the picture says so, and stays until the person quits. Then the terminal is
 * ours again. Safe to call whatever happened before. */
void run_live_end(struct run_live *l);

#endif

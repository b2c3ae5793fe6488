// SPDX-License-Identifier: GPL-3.0-or-later
/* Starting the command and waiting for it, unnoticed: it gets the descriptors,
 * signal mask, dispositions, process group and terminal that it would have had
 * without scprof, and is nobody's subreaped child.
 */
#ifndef SCPROF_LAUNCH_H
#define SCPROF_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct launch {
	pid_t pid;
	int signals; /* signalfd */
};

/* Start argv (found at `path`) with the present environment. From here on this
 * process takes no signal: SIGINT and SIGQUIT, which the terminal sends to both,
 * are the command's business; SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on
 * by launch_wait. What was ignored stays ignored. SIGPIPE and SIGXFSZ come back as errors of
 * the writes. `shell_fallback`: where exec says ENOEXEC, /bin/sh runs the file, as execvp
 * has it. `kept`: a signal that is blocked likewise, but is another thread's to take; 0: none.
 * 0; or -1 with errno and *exec_failed: whether exec itself failed. */
int launch_start(struct launch *l, const char *path, char **argv, bool shell_fallback, int kept,
		 bool *exec_failed);

/* Until the command has ended. Its wait status. */
int launch_wait(struct launch *l);

/* The exit status that a shell would report: 128 + N after signal N. */
int launch_exit_status(int wait_status);

/* Signals are left blocked: what is pending may end us only when all is saved. */
void launch_close(struct launch *l);

#endif

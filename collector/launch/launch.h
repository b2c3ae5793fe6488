// SPDX-License-Identifier: GPL-3.0-or-later
/* Starting the command and waiting for it, unnoticed: it gets the descriptors, signal mask,
 * dispositions, process group and terminal that it would have had without scprof, and no subreaper
 * between. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct launch {
	pid_t pid;
	pid_t newest; /* of all processes and threads, when this one could make the first */
	int signals;  /* signalfd */
	uint64_t process_start; /* starttime of /proc/PID/stat; 0: not known */
	uint64_t ended_mono_ns; /* CLOCK_MONOTONIC_RAW when it was seen to have ended; 0: not yet */
	int status;		/* its wait status then */
	int ended_by; /* the last of SIGINT, SIGQUIT, SIGTERM and SIGHUP that we got; 0: none */
};

/* Start argv (found at `path`) with the present environment. From here on this process takes no
 * signal: SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on by
 * launch_wait_watched, but for those from the kernel, which a terminal sends to both. What was
 * ignored stays ignored. SIGPIPE and SIGXFSZ come back as errors of the writes. `shell_fallback`:
 * where exec says ENOEXEC, /bin/sh runs the file, as execvp has it. `kept`: a signal that is
 * blocked likewise, but is another thread's to take; 0: none. `hold`: NULL, or `born` is called
 * when the process exists and has not yet become the command, which it does when `born` returns. 0;
 * or -1 with errno and *exec_failed: whether exec itself failed. */
struct launch_hold {
	void (*born)(void *context, pid_t pid);
	void *context;
};
int launch_start_held(struct launch *l, const char *path, char **argv, bool shell_fallback,
		      int kept, bool *exec_failed, const struct launch_hold *hold);

/* Until the command has ended. Its wait status. `watch`: NULL, or `tick` is called about every
 * period_ms; `ended` when the command has ended and the kernel still knows it (it is reaped after
 * that). Either may be NULL. *usage becomes that of the command and the children it waited for. */
struct launch_watch {
	int period_ms;
	void (*tick)(void *context);
	void (*ended)(void *context, pid_t pid);
	void *context;
};
int launch_wait_watched(struct launch *l, const struct launch_watch *watch, struct rusage *usage);

/* A signal that came with this code: did the kernel send it to the whole process group, so that the
 * command has it already? What the terminal sends; but that it is gone to the leader of the session
 * alone, which scprof is where nothing is between it and the terminal (ssh -t HOST scprof run ...).
 * Async-signal-safe. */
bool launch_group_has(int number, int code);

/* The exit status that a shell would report: 128 + N after signal N. */
int launch_exit_status(int wait_status);

/* Signals are left blocked: what is pending may end us only when all is saved. */
void launch_close(struct launch *l);

/* The signals that ask scprof to end: of INT, QUIT, TERM and HUP those that are not ignored. */
void launch_ending_signals(sigset_t *set);

struct signal_wait {
	sigset_t set, before;
};

/* Blocks these signals: from here on they are pending until they are taken. */
void signal_wait_begin(struct signal_wait *e);

/* Waits up to so many milliseconds. The signal, or 0. */
int signal_wait_next(const struct signal_wait *e, int milliseconds);

/* Restores the signal mask. */
void signal_wait_end(const struct signal_wait *e);

/* Ends this process by that signal. Returns only where its default does not end a process. */
void signal_wait_raise(int signal_number);
